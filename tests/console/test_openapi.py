"""The document says what the API does: it is tried, operation by operation, against the real app."""

from collections.abc import Generator
from dataclasses import dataclass
from itertools import count
from typing import Protocol, cast

import pytest
import schemathesis
from anyio.from_thread import BlockingPortal, start_blocking_portal
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import SearchStrategy
from schemathesis import checks as any_api
from schemathesis.specs.openapi import checks

from tests.console.office import Office, bearer
from tests.console.serving import online
from voice_hitl import Choice, Confirm, Form, Option, Question, Text
from voice_hitl.console.openapi import document
from voice_hitl.console.operators import Limits

CHECKS: list[object] = [
    any_api.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]
DOCUMENT = document("/")
OPERATIONS = [
    (path, method)
    for path, methods in cast("dict[str, dict[str, object]]", DOCUMENT["paths"]).items()
    for method in methods
]
ENDLESS = "/events"
OPEN: tuple[Question, ...] = (
    Confirm(prompt="Sure?"),
    Text(prompt="Why?"),
    Form(questions=(Choice(prompt="Which?", options=(Option(label="A"), Option(label="B"))),)),
)


@dataclass(frozen=True)
class Running:
    url: str
    portal: BlockingPortal
    made: Office

    def open_request(self, question: Question) -> str:
        return self.portal.call(self._ask, question)

    async def _ask(self, question: Question) -> str:
        return (await self.made.ask(question)).pending_id


@pytest.fixture(scope="module")
def running() -> Generator[Running]:
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(online(limits=UNHURRIED)) as (made, http):
        yield Running(str(http.base_url), portal, made)


UNHURRIED = Limits(requests=(1e6, 1e6), answers=(1e6, 1e6), failures=(1e6, 1e6))


class Case(Protocol):
    """One request that the document allows, as Schemathesis makes it."""

    path_parameters: dict[str, object]

    def call_and_validate(self, *, base_url: str, headers: dict[str, str], checks: list[object]) -> object: ...


class Operation(Protocol):
    def as_strategy(self) -> SearchStrategy[Case]: ...


@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_nothing_that_is_sent_makes_the_api_fail_or_say_what_the_document_does_not(
    running: Running, path: str, method: str
) -> None:
    if path == ENDLESS:
        return  # it never ends; `test_stream.py` reads it
    operation = cast("Operation", schemathesis.openapi.from_dict(DOCUMENT)[path][method])
    headers = bearer("ann", "supervisors")
    asked = count()

    @settings(max_examples=30, phases=[Phase.generate], suppress_health_check=[HealthCheck.too_slow], database=None)
    @given(case=operation.as_strategy())
    def tried(case: Case) -> None:
        number = next(asked)
        if "id" in case.path_parameters and number % 3:
            case.path_parameters["id"] = running.open_request(OPEN[number % len(OPEN)])
        case.call_and_validate(base_url=running.url, headers=headers, checks=CHECKS)

    tried()
