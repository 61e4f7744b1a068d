"""What every test may use."""

import os
from collections.abc import Generator
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, settings
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling, Scheduling

from voice_hitl.testing.virtual_time import VIRTUAL_TIME

# How long an example takes says how busy the machine is; what it may cost is measured in benchmarks.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")

ALONE = ("cli/test_serving", "e2e/", "providers/test_local")
"""What hears speech, and hears the wrong words beside other work: best run by itself (`-m alone`)."""
IN_REAL_TIME = (*ALONE, "cli/", "demo/", "transports/", "test_readme", "test_samples")
"""Where tests run side by side (`-n`), these stay one after another."""
GIVES_WAY = 10
"""How nice the tests beside them are."""

Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--no-skips", action="store_true", help="a skipped test is a failed one (CI has all it needs)")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if _is(item.nodeid, ALONE):
            item.add_marker(pytest.mark.alone)


class OneAfterAnother(LoadScopeScheduling):
    """Gives out tests file by file, and all that are in real time to one process."""

    def _split_scope(self, nodeid: str) -> str:
        return "in real time" if _is(nodeid, IN_REAL_TIME) else nodeid.split("::", 1)[0]


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scheduling:
    return OneAfterAnother(config, log)


def pytest_runtest_setup(item: pytest.Item) -> None:
    if "PYTEST_XDIST_WORKER" in os.environ and not _is(item.nodeid, IN_REAL_TIME):
        os.setpriority(os.PRIO_PROCESS, 0, GIVES_WAY)


def _is(nodeid: str, one_of: tuple[str, ...]) -> bool:
    return nodeid.removeprefix("tests/").startswith(one_of)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    return _fail_a_skip((yield), item.config)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    return _fail_a_skip((yield), collector.config)


def _fail_a_skip(report: Report, config: pytest.Config) -> Report:
    if report.skipped and config.getoption("--no-skips"):
        why = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome, report.longrepr = "failed", f"{report.nodeid} was skipped, and here nothing may be: {why}"
    return report


@pytest.fixture
def virtual_time() -> None:
    """Opt in by `pytestmark = pytest.mark.usefixtures("virtual_time")`: the loop's clock jumps (VirtualTimeLoop)."""


@pytest.fixture
def anyio_backend(request: pytest.FixtureRequest) -> object:
    """The library runs on asyncio (aiortc does); anyio's plugin runs the async tests on it."""
    return VIRTUAL_TIME if "virtual_time" in request.fixturenames else "asyncio"


@pytest.fixture(scope="session")
def cases() -> Path:
    """The folder of cases that nobody wrote to fit the code."""
    folder = os.environ.get("VOICE_HITL_CASES")
    if not folder:
        pytest.skip("VOICE_HITL_CASES does not name the folder of cases (CI sets it)")
    return Path(folder)
