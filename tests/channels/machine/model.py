"""What the models of a machine do: they call, well and oddly, give calls up, say them, hear people, and fail."""

from collections.abc import Sequence
from random import Random
from typing import Final

from tests.channels.machine.account import Account, Live
from tests.channels.machine.application import BAD, GOOD, HOST
from tests.channels.machine.drawing import Event
from voice_hitl.errors import ProviderError
from voice_hitl.provider import (
    AudioOut,
    GoingAway,
    ResponseEnded,
    ResponseStarted,
    Resumed,
    SpeechStarted,
    SpeechStopped,
    ToolCalled,
    ToolCallStarted,
    ToolCancelled,
    Transcript,
)
from voice_hitl.testing import Injected, SentToolResult

_SAID: Final = ("call:look_up{q:menu}", 'ConfirmAction(action="Book it.")', 'book({"seats": 5})', 'slow({"x": 1})')
_FAIL: Final = (SentToolResult, Injected)


class Models:
    """The models of all sessions.

    Args:
        account: What happened.
        endings: The tools by which a call ends its own session, at any time.
    """

    def __init__(self, account: Account, endings: Sequence[str]) -> None:
        self._account = account
        self._endings = tuple(endings)

    def possible(self) -> list[Event]:
        """What they may do now, the likelier the more often."""
        up, events = self._account.up, list[Event]()
        if up:
            events += [self.asks] * 14 + [self.calls] * 4 + [self.says_a_call] * 2 + [self.calls_oddly] * 3
            events += [self.hears] * 3 + [self.fails, self.loses_its_connection]
            events += [self.is_lost, self.ends_its_session, self.ends_its_session] * (self._account.steps > 8)
        if any(live.issued for live in up):
            events += [self.gives_calls_up] * 2 + [self.calls_again] * 2
        return events

    # --- calls -------------------------------------------------------------------------------------------------------

    def asks(self, chance: Random) -> None:
        live, name = self._live(chance), chance.choice(["ConfirmAction", "ConfirmAction", "book"])
        self.issue(live, self._account.mint(), name, GOOD[name])
        if chance.randrange(4):
            self._end_response(live)

    def calls(self, chance: Random) -> None:
        asking = ["ConfirmAction"] * 3 + ["book"] * 2
        name = chance.choice([*HOST, *asking])
        arguments = chance.choice([GOOD.get(name, "{}")] * 5 + [BAD[0], BAD[2]])
        self.issue(self._live(chance), self._account.mint(), name, arguments)

    def ends_its_session(self, chance: Random) -> None:
        name = chance.choice(self._endings)
        self.issue(self._live(chance), self._account.mint(), name, "{}")

    def calls_oddly(self, chance: Random) -> None:
        live, call_id = self._live(chance), self._account.mint()
        match chance.choice(["cancelled first", "no id", "undeclared", "unreadable", "begun"]):
            case "cancelled first":
                if live.model is not None:
                    live.model.emit(ToolCancelled((call_id,)))
                    self.issue(live, call_id, "ConfirmAction", GOOD["ConfirmAction"])
                    self._account.reached["cancelled before it came"] += 1
            case "no id":
                self.issue(live, "", "look_up", "{}")
            case "undeclared":
                self.issue(live, call_id, "format_disk", "{}")
            case "unreadable":
                self.issue(live, call_id, "ConfirmAction", BAD[1])
            case _:
                if live.model is not None:
                    live.model.emit(ToolCallStarted(call_id, "ConfirmAction"))

    def calls_again(self, chance: Random) -> None:
        live = chance.choice([live for live in self._account.up if live.issued])
        call = chance.choice(live.issued)
        if live.model is None or not call.call_id:
            return
        match chance.choice(["replay", "ghost", "reused"]):
            case "replay":
                again = call
                self._account.reached["a replay"] += 1
            case "ghost":
                again = ToolCalled(call.call_id, call.name, "{}", self._account.mint())
            case _:
                again = ToolCalled(call.call_id, "look_up", '{"q": "again"}', self._account.mint())
        live.model.emit(again)
        # After a reconnection, or once it is forgotten, the id may name a new call.
        self._account.begun(again, anew=False)

    def says_a_call(self, chance: Random) -> None:
        live = self._live(chance)
        text = chance.choice(_SAID)
        if live.model is None:
            return
        self._respond(live)
        mint = self._account.mint
        live.model.emit(AudioOut(bytes(4800), mint(), 0, live.response))
        live.model.emit(Transcript("assistant", text, final=chance.choice([True, False]), item_id=mint()))
        self._account.reached["a call was said"] += 1
        if chance.randrange(4) == 0:
            twin = ToolCalled(mint(), "slow", "{}", live.response)
            live.model.emit(Transcript("assistant", "slow()", final=True, item_id=mint()), twin)
            self._account.begun(twin, anew=False)
            self._account.reached["a call was said and issued"] += 1

    def gives_calls_up(self, chance: Random) -> None:
        live = chance.choice([live for live in self._account.up if live.issued])
        recent = [call.call_id for call in live.issued[-4:]]
        if live.model is not None:
            live.model.emit(ToolCancelled(tuple(chance.choices(recent, k=chance.randrange(3)))))
            self._account.reached["the provider gave calls up"] += 1

    def issue(self, live: Live, call_id: str, name: str, arguments: str) -> None:
        """Call a tool."""
        if live.model is None:
            return
        self._respond(live)
        call = ToolCalled(call_id, name, arguments, live.response)
        live.model.emit(call)
        live.issued.append(call)
        self._account.begun(call, anew=True)

    def _respond(self, live: Live) -> None:
        """Go on with a response, or begin one."""
        if live.model is not None and not live.response:
            live.response = self._account.mint()
            live.model.emit(ResponseStarted(live.response))

    def _end_response(self, live: Live) -> None:
        if live.model is not None and live.response:
            live.model.emit(ResponseEnded(live.response))
        live.response = ""

    # --- the model's service -----------------------------------------------------------------------------------------

    def hears(self, chance: Random) -> None:
        live = self._live(chance)
        if live.model is None:
            return
        match chance.choice(["begins", "ends", "response ends", "response ends"]):
            case "begins":
                live.model.emit(SpeechStarted())
                self._account.reached["the caller barged in"] += bool(live.response)
            case "ends":
                live.model.emit(SpeechStopped())
            case _:
                self._end_response(live)

    def fails(self, chance: Random) -> None:
        live = self._live(chance)
        if live.model is None:
            return
        match chance.choice(["hiccup", "hiccup", "refuses", "hangs", "mends", "mends"]):
            case "hiccup":
                live.model.fail(fatal=False, code="hiccup")
            case "refuses":
                live.model.raise_on(chance.choice(_FAIL), ProviderError("busy"))
                self._account.unsteady.add(live.model.label)
            case "hangs":
                live.model.hang(chance.choice(_FAIL))
                self._account.unsteady.add(live.model.label)
            case _:
                for kind in _FAIL:
                    live.model.mend(kind)

    def is_lost(self, chance: Random) -> None:
        live = self._live(chance)
        if live.model is not None:
            live.model.fail(fatal=True, code="quota")
            self._account.reached["the model failed for good"] += 1

    def loses_its_connection(self, chance: Random) -> None:
        live = self._live(chance)
        if live.model is None:
            return
        live.response = ""
        match chance.choice(["drops", "drops", "drops and is refused", "goes away", "resumes"]):
            case "goes away":
                live.model.emit(GoingAway(chance.choice([2.0, 20.0])))
            case "drops and is refused":
                self._account.world.provider.refuse(times=chance.choice([1, 4]))
                live.model.drop()
            case "resumes":
                live.model.emit(Resumed(tuple(call.call_id for call in live.issued[-2:])))
            case _:
                live.model.drop()
        self._account.unsteady.add("a connection")
        self._account.reached["a connection was lost"] += 1

    def _live(self, chance: Random) -> Live:
        return chance.choice(self._account.up)
