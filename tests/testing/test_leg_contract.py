"""The loopback leg keeps the contract, and legs that do not are found out."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

import anyio
import pytest

from voice_hitl.tasks import Tasks
from voice_hitl.testing import LoopbackCaller, LoopbackLeg, LoopbackTransport, leg_contract
from voice_hitl.transport import Heard, HungUp, Incoming, LegCapabilities, LegEvent, LegInfo, LegLost, Played

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


class Caller(LoopbackCaller):
    """A loopback caller that keeps its messages as they came."""

    def __init__(self, transport: LoopbackTransport) -> None:
        super().__init__(LegInfo(call_id=""), transport, keep_audio=True, ignore=())
        self.messages: list[str] = []

    def take_message(self, text: str) -> None:
        self.messages.append(text)


class FarEnd:
    """A loopback caller as the contract drives it."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self.messages = caller.messages
        self.speak, self.press = caller.speak, caller.press

    @property
    def heard(self) -> bytes:
        return bytes(self._caller.audio)

    async def send_message(self, text: str) -> None:
        self._caller.send_text(text)

    async def hang_up(self) -> None:
        self._caller.hang_up()

    async def vanish(self) -> None:
        self._caller.vanish()

    async def ended(self) -> None:
        await self._caller.ended()


def placing(
    spoil: Callable[[LoopbackLeg], None] = lambda _leg: None, capabilities: LegCapabilities | None = None
) -> leg_contract.Place:
    @asynccontextmanager
    async def place() -> AsyncGenerator[leg_contract.Call]:
        transport = LoopbackTransport(capabilities=capabilities)
        legs: list[LoopbackLeg] = []

        async def take(incoming: Incoming) -> None:
            legs.append(await transport.accept(incoming, rate=leg_contract.RATE))

        transport.listen(take)
        caller = Caller(transport)
        await caller.dial()
        spoil(legs[0])
        yield leg_contract.Call(legs[0], FarEnd(caller))
        await transport.aclose()

    return place


@pytest.mark.parametrize("rule", leg_contract.RULES, ids=lambda rule: rule.__name__)
async def test_the_loopback_leg_keeps_the_contract(rule: leg_contract.Rule) -> None:
    await leg_contract.check(rule, placing())


@pytest.mark.parametrize("rule", leg_contract.RULES, ids=lambda rule: rule.__name__)
async def test_what_a_leg_cannot_do_is_not_asked_of_it(rule: leg_contract.Rule) -> None:
    await leg_contract.check(rule, placing(capabilities=LegCapabilities()))


# --- legs that are wrong ----------------------------------------------------------------------------------------------

Spoil = Callable[[LoopbackLeg, pytest.MonkeyPatch], None]


def forgets_what_was_heard(leg: LoopbackLeg, patch: pytest.MonkeyPatch) -> None:
    clear = leg.clear
    patch.setattr(leg, "clear", lambda: replace(clear(), ms=0.0))


def clears_nothing(leg: LoopbackLeg, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(leg, "clear", Heard)


def leaves_a_task(leg: LoopbackLeg, _patch: pytest.MonkeyPatch) -> None:
    Tasks(f"call {leg.info.call_id}").spawn(anyio.sleep(60), "a forgotten pump")


def telling(change: Callable[[LegEvent], LegEvent]) -> Spoil:
    """A leg that tells something else than what happened."""

    def spoil(leg: LoopbackLeg, patch: pytest.MonkeyPatch) -> None:
        mailbox, player = leg._events, leg._player  # pyright: ignore[reportPrivateUsage] - what goes wrong is inside
        put = mailbox.put

        def tell(event: LegEvent) -> None:
            put(change(event))

        patch.setattr(mailbox, "put", tell)
        patch.setattr(player, "_on_played", tell)

    return spoil


def never_loses(event: LegEvent) -> LegEvent:
    return HungUp("caller", event.at) if isinstance(event, LegLost) else event


def blames_the_caller(event: LegEvent) -> LegEvent:
    return HungUp("caller", event.at) if isinstance(event, HungUp) else event


def exaggerates(event: LegEvent) -> LegEvent:
    return replace(event, ms=event.ms + 20) if isinstance(event, Played) else event


@pytest.mark.parametrize(
    ("spoil", "rule", "why"),
    [
        (forgets_what_was_heard, leg_contract.clear_drops_the_rest_and_says_how_much_was_heard, "0 ms were heard"),
        (clears_nothing, leg_contract.clear_drops_the_rest_and_says_how_much_was_heard, "clear found"),
        (telling(never_loses), leg_contract.a_far_end_that_vanishes_is_lost, "LegLost did not come"),
        (telling(blames_the_caller), leg_contract.we_hang_up_at_once, "ended by"),
        (telling(exaggerates), leg_contract.what_was_played_is_told_item_by_item, "first has 460 ms"),
        (leaves_a_task, leg_contract.the_far_end_hangs_up, "a forgotten pump"),
    ],
)
async def test_a_leg_that_breaks_a_rule_is_told_how(
    monkeypatch: pytest.MonkeyPatch, spoil: Spoil, rule: leg_contract.Rule, why: str
) -> None:
    with pytest.raises(AssertionError, match=why):
        await leg_contract.check(rule, placing(lambda leg: spoil(leg, monkeypatch)))
