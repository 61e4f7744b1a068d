"""Runs the test of each rule over every door that has the rule."""

import pytest

from tests.parity.door import why_not
from tests.parity.doors import DOORS


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "rule(number): the test of this rule, over every door that has it")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    mark = metafunc.definition.get_closest_marker("rule")
    if mark is not None:
        doors = [door for door in DOORS if why_not(door, str(mark.args[0])) is None]
        metafunc.parametrize("door", doors, ids=[door.title for door in doors])
