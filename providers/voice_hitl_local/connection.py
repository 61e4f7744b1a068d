"""One session with the embedded model."""

import json
import secrets
from itertools import count

from voice_hitl.errors import ConnectionEnded, ProviderError
from voice_hitl.provider import (
    Connected,
    InjectRole,
    ProviderConfig,
    ProviderEvent,
    ProviderFailed,
    Receiver,
    ToolCalled,
    ToolCallStarted,
    ToolCancelled,
)
from voice_hitl.speech_ports import Transcription
from voice_hitl.tasks import Mailbox, Tasks
from voice_hitl_local.front_desk.brain import EXPECTED, UNCLEAR, Act, Call, FrontDesk, Say
from voice_hitl_local.hearing import Hearing
from voice_hitl_local.speaking import Speaking, Wish

_SURE = 0.35
"""Below this confidence a recognised text is a guess. The session gets it all the same; the brain asks again."""


class LocalConnection:
    """A caller at the front desk. See `ProviderConnection` for the commands.

    Args:
        config: What it was opened with. The brain is made of rules: instructions are not read.
        greets: Whether it speaks first, before anybody asked it to.
    """

    def __init__(self, config: ProviderConfig, *, greets: bool) -> None:
        self._events: Mailbox[ProviderEvent] = Mailbox()
        self._tasks = Tasks("a local connection")
        self._token, self._numbers = secrets.token_hex(4), count(1)
        self._desk = FrontDesk(config.tools)
        self._unread: dict[str, str] = {}
        """What the caller said that was not answered yet, by item."""
        self._owed: set[str] = set()
        """The calls whose results were not given yet."""
        self._held = False
        self._cut_off = False
        """Whether it was interrupted and has not spoken since: it then answers a noise too."""
        self._asked = False
        """Whether it was asked to go on and has not begun to: asked again before that, it does so once."""
        self._closed = False
        self._hearing = Hearing(
            self._tasks, hint=EXPECTED, emit=self._events.put, new_id=self._new_id, on_turn=self._turn
        )
        self._speaking = Speaking(emit=self._events.put, new_id=self._new_id, issue=self._call, give_up=self._give_up)
        self._events.put(Connected())
        if greets:
            self._speaking.want(Wish(self._greet, ours=False))
        self._tasks.spawn(self._speaking.run(), "speaking")

    def events(self) -> Receiver[ProviderEvent]:
        """The one stream of events."""
        return self._events

    # --- the caller's side --------------------------------------------------------------------------------------------

    def send_audio(self, pcm: bytes) -> None:
        """Hear some of the caller's voice (16 kHz). No gaps: a turn ends by silence, not by its absence."""
        self._check_open()
        self._hearing.push(pcm)

    def _turn(self, item_id: str, heard: Transcription | None) -> None:
        if heard is None and not self._cut_off:
            # A noise: nobody waits for an answer.
            return
        self._unread[item_id] = _words(heard)
        if not self._held:
            self._go_on(ours=False)

    # --- responding ---------------------------------------------------------------------------------------------------

    async def respond(self) -> None:
        """Have the brain go on with what it got and has not answered; after the active response, if there is one."""
        self._check_open()
        self._go_on(ours=True)

    async def say(self, text: str) -> None:
        """Speak exactly `text`; the brain does not know of it."""
        self._check_open()
        self._speaking.want(Wish(lambda: (Say(text),), ours=True, out_of_band=True))

    async def interrupt(self, response_id: str | None = None, *, item_id: str = "", played_ms: float = 0) -> None:
        """Stop speaking. Of a question whose end was not heard, no yes is taken for the answer."""
        self._check_open()
        cut = self._speaking.interrupt(response_id)
        if cut or (item_id and not self._speaking.heard_to_its_end(item_id, played_ms)):
            self._cut_off = True
            self._desk.cut()

    async def hold(self, *, on: bool) -> None:
        """Keep the brain from answering the caller by itself; they are heard and transcribed all the same."""
        self._check_open()
        self._held = on

    def _go_on(self, *, ours: bool) -> None:
        if not ours:
            self._speaking.want(Wish(self._answer, ours=False))
        elif not self._asked:
            self._asked = True
            self._speaking.want(Wish(self._asked_to_go_on, ours=True))

    def _greet(self) -> tuple[Act, ...]:
        return () if self._held or self._desk.has_spoken else self._desk.respond(self._read())

    def _answer(self) -> tuple[Act, ...]:
        """Answer the caller, unless it was kept from it meanwhile, or has answered already."""
        return () if self._held or not self._unread else self._desk.respond(self._read())

    def _asked_to_go_on(self) -> tuple[Act, ...]:
        self._asked = False
        return self._desk.respond(self._read())

    def _read(self) -> tuple[str, ...]:
        self._cut_off = False
        texts = tuple(self._unread.values())
        self._unread.clear()
        return texts

    # --- tools --------------------------------------------------------------------------------------------------------

    def _call(self, call: Call, response_id: str) -> None:
        call_id = self._new_id("call")
        self._owed.add(call_id)
        self._desk.issued(call)
        self._events.put(ToolCallStarted(call_id, call.name))
        self._events.put(ToolCalled(call_id, call.name, json.dumps(call.arguments), response_id))

    def _give_up(self) -> None:
        """Cancel what is owed: the brain has one call open at a time."""
        if self._owed:
            self._events.put(ToolCancelled(tuple(sorted(self._owed))))
            self._owed.clear()

    async def send_tool_result(self, call_id: str, name: str, text: str, *, failed: bool) -> None:
        """Give the one output of a call; the brain speaks of it when it is asked to go on."""
        self._check_open()
        if call_id not in self._owed:
            words = f"no result is owed for call {call_id!r} of {name!r}"
            self._events.put(ProviderFailed(fatal=False, code="unknown_call", message=words))
            return
        self._owed.remove(call_id)
        self._desk.take_result(text, failed=failed)

    async def reconfigure(self, config: ProviderConfig) -> None:
        """Change the tools, in place."""
        self._check_open()
        self._desk.declare(config.tools)

    async def delegation_output(self, delegation_id: str, text: str, *, final: bool, spoken: bool = True) -> None:
        """Refuse: it hands nothing over (`capabilities.delegates`)."""
        raise ProviderError(f"the embedded model delegates nothing: there is no delegation {delegation_id!r}")

    # --- history ------------------------------------------------------------------------------------------------------

    async def inject(self, text: str, *, role: InjectRole = "system", silent: bool = True) -> str:
        """Add an item. The brain reads what is said as the caller (`role="user"`), and only that."""
        self._check_open()
        item_id = self._new_id("item")
        if role == "user":
            self._unread[item_id] = text
        if not silent:
            self._go_on(ours=True)
        return item_id

    async def forget(self, item_id: str) -> None:
        """Take an item out: the caller's words are not answered, of its own the question does not count as heard."""
        self._check_open()
        if self._unread.pop(item_id, None) is None and self._speaking.said_last(item_id):
            self._desk.cut()

    # --- ending -------------------------------------------------------------------------------------------------------

    async def aclose(self) -> None:
        """End the connection; closing twice is harmless."""
        if not self._closed:
            self._closed = True
            self._speaking.interrupt(None)
            self._hearing.drop()
            await self._tasks.close()
            self._events.close()

    def _check_open(self) -> None:
        if self._closed:
            raise ConnectionEnded("the connection to the embedded model is closed")

    def _new_id(self, kind: str) -> str:
        return f"{kind}_{self._token}_{next(self._numbers)}"


def _words(heard: Transcription | None) -> str:
    if heard is None or (heard.confidence is not None and heard.confidence < _SURE):
        return UNCLEAR
    return heard.text
