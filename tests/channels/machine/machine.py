"""`ChannelMachine`: draws what may happen to a channel now, one thing or several in one tick, and lets time pass."""

import asyncio  # noqa: TID251 - the machine drives an event loop of its own, step by step
import json
import logging
from abc import abstractmethod
from collections import Counter
from collections.abc import Collection, Coroutine
from random import Random
from typing import ClassVar, Final, TypeVar

import anyio
from hypothesis import note, settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from tests.channels.machine.account import MOST_S, Account, Live, settle
from tests.channels.machine.application import Application
from tests.channels.machine.drawing import MANY, SEEDS, WAITS_S, Event, chance_of
from tests.channels.machine.model import Models
from tests.channels.machine.people import People
from voice_hitl.channels.session import VoiceSession
from voice_hitl.enums import OutcomeKind, RequestEnd
from voice_hitl.errors import ConnectionEnded, ProviderError
from voice_hitl.testing import VirtualTimeLoop

T = TypeVar("T")

REACHED_BY_EVERY_CHANNEL: Final = {
    *(f"a call was {kind}" for kind in OutcomeKind if kind is not OutcomeKind.UNSERVED),
    *(f"a request was {end}" for end in RequestEnd),
    *(f"an answer is {kind}" for kind in ("accepted", "duplicate", "late", "not_allowed", "invalid")),
    *("delivered as output", "delivered as text", "an interim output", "a replay", "cancelled before it came"),
    *("a call was said", "a card was answered", "a request was released", "the provider gave calls up"),
    *("a call was said and issued", "a connection was lost", "the model failed for good", "the caller barged in"),
    *("it was answered by card", "it was answered by api", "a session ended: us", "a session ended: lost"),
    *("the channel closed from inside a call", "the channel closed", "a session was changed"),
}
"""What a run has to reach, or it shows nothing."""


class _Errors(logging.Handler):
    """What the library logged as an error: whatever users' code does, there must be none."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.records: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(logging.Formatter().format(record))


class ChannelMachine(RuleBasedStateMachine):
    """What the machines of the channels share. A subclass makes a world in an `@initialize`, and `start`s."""

    reached: ClassVar[Counter[str]]
    loop: VirtualTimeLoop
    seed: int
    account: Account
    application: Application
    models: Models
    people: People

    def open_loop(self, seed: int) -> Random:
        """The first thing that a machine does; returns what draws."""
        self.seed = seed
        self.loop = VirtualTimeLoop()
        self._errors = _Errors()
        logging.getLogger().addHandler(self._errors)
        return chance_of(seed)

    def start(self, account: Account, application: Application, models: Models, people: People) -> None:
        """The world is there."""
        self.account, self.application, self.models, self.people = account, application, models, people
        application.hook_in(account)
        self._before = asyncio.all_tasks(self.loop)

    def run(self, work: Coroutine[object, object, T]) -> T:
        return self.loop.run_until_complete(work)

    # --- what may happen ---------------------------------------------------------------------------------------------

    @rule(seed=SEEDS)
    def step(self, seed: int) -> None:
        """One thing happens, or several in one tick; then time passes."""
        self.seed = hash((self.seed, seed))  # what came before counts: hypothesis likes to repeat itself
        chance = chance_of(self.seed)
        many = chance.choice(MANY)

        async def at_once() -> None:
            self.account.steps += 1
            self.account.is_raced = many > 1
            for _ in range(many):
                what = chance.choice(self.possible())
                note(getattr(what, "__name__", "?").replace("_", " "))
                what(chance)
            await settle()
            self.account.agree_at_once()
            await settle(chance.choice(WAITS_S))

        self.run(at_once())

    def possible(self) -> list[Event]:
        """What may happen now, the likelier the more often."""
        events: list[Event] = [self.application.a_hook_will_fail] * 4
        events += self.models.possible() + self.people.possible() + self.of_the_channel()
        events += [self.the_session_changes] * bool(self.account.up)
        if self.account.steps > 24:
            events += [self.the_channel_closes] + [self.a_call_closes_the_channel] * 5 * bool(self.account.up)
        return events

    @abstractmethod
    def of_the_channel(self) -> list[Event]:
        """What may happen to this channel now."""

    def the_channel_closes(self, chance: Random) -> None:
        self.account.closing = True
        for _ in range(chance.choice([1, 2])):
            self.account.begin(self._close())
        self.reached["the channel closed"] += 1

    def a_call_closes_the_channel(self, chance: Random) -> None:
        self.models.issue(chance.choice(self.account.up), self.account.mint(), "close", "{}")

    async def _close(self) -> None:
        await self.close()
        self.all_closed(self.account.lives)

    def all_closed(self, lives: Collection[Live]) -> None:
        """Everything of these has ended: this holds when what ended them has returned."""
        left = [task for task in self.account.tasks if any(live.session.id in task for live in lives)]
        assert all(live.session.closed.is_set for live in lives), f"what has not ended: {left}"
        assert all(live.leg_is_over for live in lives)

    @abstractmethod
    async def close(self) -> None:
        """Close the channel."""

    def the_session_changes(self, chance: Random) -> None:
        live = chance.choice(self.account.up)

        async def reconfigure() -> None:
            try:
                await self.reconfigure(live.session)
            except (ProviderError, ConnectionEnded, RuntimeError):
                self.reached["a session could not be changed"] += 1
            else:
                self.reached["a session was changed"] += 1

        self.account.begin(reconfigure())

    @abstractmethod
    async def reconfigure(self, session: VoiceSession) -> None:
        """Change what a session is run with."""

    async def close_from_inside(self) -> None:
        """Close the channel, in a call of it."""
        self.reached["the channel closed from inside a call"] += 1
        self.account.closing = True
        await self.close()

    # --- what always holds -------------------------------------------------------------------------------------------

    async def agree_after(self) -> None:
        """What holds of this channel after each step."""

    @abstractmethod
    def agree_in_the_end(self) -> None:
        """What holds of this channel when it is closed."""

    @invariant()
    def agree(self) -> None:
        if not hasattr(self, "account"):
            return
        assert not self._errors.records, self._errors.records[0]
        self.run(self.account.agree())
        self.run(self.agree_after())

    def teardown(self) -> None:
        if not hasattr(self, "loop"):
            return
        try:
            if hasattr(self, "account"):
                self.agree()
                self.account.closing = True
                self.run(self._close_everything())
                self.agree()
                self.account.agree_in_the_end()
                self.agree_in_the_end()
                left = asyncio.all_tasks(self.loop) - self._before
                assert left == set(), [task.get_name() for task in left]
        finally:
            logging.getLogger().removeHandler(self._errors)
            self.loop.close()

    async def _close_everything(self) -> None:
        with anyio.fail_after(3 * MOST_S):
            await self.account.world.kit.close()
        await settle(2 * MOST_S)  # what swallowed its cancellation was abandoned, and ends by itself


def run_machine(machine: type[ChannelMachine], everything: Collection[str], *, times: int) -> None:
    """Run it so many times; it has to hold, and to reach everything. The counts are printed (`pytest -s`)."""
    reached = machine.reached
    reached.clear()
    run_state_machine_as_test(
        machine,
        settings=settings(max_examples=times, stateful_step_count=32, deadline=None, derandomize=True, database=None),
    )
    print(json.dumps(dict(sorted(reached.items())), indent=1))  # noqa: T201 - the report of the run
    missed = {state for state in everything if not reached[state]}
    assert not missed, f"never reached: {sorted(missed)}"
