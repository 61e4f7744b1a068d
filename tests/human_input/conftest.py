from collections.abc import AsyncGenerator, Mapping, Sequence

import pytest

from tests.human_input.processes import REFUND, Counter, Process, Results, Unsteady
from tests.human_input.told import Told, Waits
from voice_hitl.human_input.handler import HumanInputHandler
from voice_hitl.tools.definition import AITool


@pytest.fixture
def handler() -> HumanInputHandler:
    return HumanInputHandler()


@pytest.fixture
def waits(handler: HumanInputHandler) -> Waits:
    return Waits(handler)


@pytest.fixture
def told(handler: HumanInputHandler) -> Told:
    """Whoever is registered as the channel `voice`."""
    callbacks = Told()
    handler.register_channel("voice", callbacks)
    return callbacks


@pytest.fixture
def store() -> Unsteady:
    return Unsteady()


@pytest.fixture
def counter() -> Counter:
    return Counter()


@pytest.fixture
def results() -> Results:
    return Results()


@pytest.fixture
async def process(store: Unsteady, counter: Counter, results: Results) -> AsyncGenerator[Process, None]:
    """One more process, which has the tools; `tools=()`: which has not. Without `orphans=` questions are kept."""
    handlers: list[HumanInputHandler] = []

    def start(*, orphans: Mapping[str, str] | None = None, tools: Sequence[AITool] = (REFUND,)) -> HumanInputHandler:
        policies = orphans or {"Ask": "keep"}
        handler = HumanInputHandler(
            store=store,
            orphans={name: "keep" if policy == "keep" else "withdraw" for name, policy in policies.items()},
            tools=tools,
            tool_handler=counter,
            on_late_result=results,
        )
        handlers.append(handler)
        return handler

    yield start
    store.away, store.takes_s = False, 0
    for handler in handlers:
        await handler.close()
