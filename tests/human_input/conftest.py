import pytest

from tests.human_input.told import Told, Waits
from voice_hitl.human_input.handler import HumanInputHandler


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
