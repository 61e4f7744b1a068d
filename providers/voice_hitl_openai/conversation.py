"""One session with the Realtime API as a state machine. Pure: no socket, no clock.

What is received and what is wanted go in; what is to be sent (`take_commands`) and to be told (`take_events`) comes
out. It is the whole of the protocol as far as it has memory: which responses are ours, what may still be heard of
them, how much of an item came, which changes of the session hold, what a renewed session has to be told.
"""

from collections.abc import Sequence
from itertools import count
from typing import Final, assert_never

from voice_hitl.provider import (
    AudioOut,
    Connected,
    GoingAway,
    InjectRole,
    PlaybackEnded,
    ProviderConfig,
    ProviderDigit,
    ProviderEvent,
    ProviderFailed,
    ResponseEnded,
    ResponseStarted,
    Resumed,
    SpeechStarted,
    SpeechStopped,
    ToolCalled,
    ToolCallStarted,
    Transcript,
    TranscriptFailed,
    UserItem,
)
from voice_hitl_openai import commands
from voice_hitl_openai.going_on import GoingOn
from voice_hitl_openai.history import History, OwedCall, Said, replayed
from voice_hitl_openai.messages import (
    ItemAdded,
    Meaningless,
    Message,
    OutputItemAdded,
    OutputItemDone,
    PlaybackStopped,
    Refusal,
    ResponseCreated,
    ResponseDone,
    SessionEcho,
    SpokenDelta,
    Unknown,
    Unreadable,
)
from voice_hitl_openai.refusals import is_already_active, weigh
from voice_hitl_openai.responses import Request, Response, Responses
from voice_hitl_openai.session import Session, Update
from voice_hitl_openai.settings import Settings
from voice_hitl_openai.spoken import SpokenItems
from voice_hitl_openai.wording import said_as_given

_UNDOING: Final = ("cancel-", "clear-", "delete-", "truncate-")
"""What was to be undone may be gone already: a refusal of these is no error."""

GOING_AWAY: Final = 1001
"""The WebSocket close code (RFC 6455, 7.4.1) with which the service ends a session at its time limit."""


class Conversation:
    """One session.

    Args:
        settings: What every session of the provider has in common.
        stem: Told apart from every other session's: part of the ids of our items, so that none means another's.
        clock_offset: What to add to seconds since 1970 to have the caller's clock.
    """

    def __init__(self, settings: Settings, *, stem: str = "0", clock_offset: float = 0.0) -> None:
        self._stem = stem
        self._clock_offset = clock_offset
        self._numbers = count(1)
        self._commands: list[str] = []
        self._events: list[ProviderEvent] = []
        self._session = Session(settings)
        self._responses = Responses()
        self._going_on = GoingOn(self._responses)
        self._history = History()
        self._spoken = SpokenItems()
        self._hosted = False
        self._kept: tuple[str, ...] | None = None
        self._connected = False
        self._leaving = False
        self.expired = False
        """Whether the service has ended the session at its time limit."""

    @property
    def held(self) -> bool:
        """Whether the service has confirmed that it does nothing by itself."""
        return self._session.held

    def take_commands(self) -> list[str]:
        """What is to be sent, in this order."""
        taken, self._commands = self._commands, []
        return taken

    def take_events(self) -> list[ProviderEvent]:
        """What is to be told, in this order."""
        taken, self._events = self._events, []
        return taken

    # --- what is wanted ----------------------------------------------------------------------------------------------

    def open(self, config: ProviderConfig) -> Update:
        """Ask for the session, and tell it what an old one said where it carries that on.

        `config.metadata` may say what to carry on (`history.replayed`), and `held` (True: held from the start).
        """
        held = config.metadata.get("held") is True
        update = self._send(self._session.open(self._name("update"), config, held=held))
        entries = replayed(config.metadata)
        if config.hosted_call_id:
            # The call goes on at the service with all that it has: nothing of it is to be said again.
            self._hosted = True
            if entries is not None:
                self._kept = tuple(entry.call_id for entry in entries if isinstance(entry, OwedCall))
        elif entries is not None:
            self._replay(entries)
        return update

    def _replay(self, entries: Sequence[Said | OwedCall]) -> None:
        call_ids: dict[str, str] = {}
        items: list[dict[str, object]] = []
        for entry in entries:
            item_id = self._name("item")
            if isinstance(entry, OwedCall):
                call_ids[item_id] = entry.call_id
                items.append(commands.call_item(item_id, entry.call_id, entry.name, entry.arguments))
            else:
                call_ids[item_id] = ""
                items.append(commands.message_item(item_id, entry.role, entry.text))
        self._history.replay(call_ids)
        for item in items:
            self._create(item)

    def respond(self) -> None:
        """Ask the model to go on, now or when it can."""
        if self._going_on.ask(self._history.known):
            self._ask_to_go_on()

    def say(self, text: str) -> None:
        """Have `text` said, out of band."""
        tag = self._name("say")
        self._responses.ask(Request(tag, self._history.known, says=text))
        self._commands.append(commands.create_saying(tag, text))

    def inject(self, text: str, role: InjectRole) -> str:
        """Add a text item; return its id."""
        return self._create(commands.message_item(self._name("item"), role, text))

    def give_output(self, call_id: str, text: str) -> None:
        """Give a call its one output; a second one is not sent."""
        if self._history.answer(call_id):
            self._create(commands.output_item(self._name("item"), call_id, text))

    def interrupt(self, response_id: str | None, item_id: str, played_ms: float) -> None:
        """Stop a response, or all of them, and forget what was not heard of the item that was playing."""
        for response in self._responses:
            if response_id in {None, response.response_id}:
                self._cancel(response)
        if response_id is None:
            for request in self._responses.asked:
                request.cancelled = True
        if self._hosted:
            # It knows how much was heard, and cuts its history itself.
            self._commands.append(commands.clear_output(self._name("clear")))
            return
        if not item_id or self._history.is_forgotten(item_id):
            return
        for cut in self._spoken.cut(item_id, int(played_ms), self._responses):
            if cut.heard_ms <= 0:
                self.forget(cut.item_id)
                continue
            name = self._name("truncate")
            self._commands.append(commands.truncate_item(name, cut.item_id, cut.index, cut.heard_ms))

    def hold(self, *, on: bool) -> Update | None:
        """Keep the model from answering by itself, or give that back; None when it is so already.

        It holds when the update is confirmed.
        """
        update = self._session.hold(self._name("update"), on=on)
        if update is None:
            return None
        self._send(update)
        if on:
            self._going_on.keep_back()
        else:
            self._going_on.release()
            self._pay()
        return update

    def forget(self, item_id: str) -> None:
        """Take an item out of the history."""
        self._spoken.forget(item_id)
        if self._history.is_forgotten(item_id):
            return
        self._history.forget(item_id)
        self._commands.append(commands.delete_item(self._name("delete"), item_id))

    def reconfigure(self, config: ProviderConfig) -> Update:
        """Change instructions and tools, and the voice as long as it was not heard (the service refuses it then)."""
        return self._send(self._session.reconfigure(self._name("update"), config, voice=not self._spoken.any))

    # --- what is received --------------------------------------------------------------------------------------------

    def receive(self, message: Message) -> None:  # noqa: C901, PLR0912 - one arm a kind of message
        """Take in one message of the service."""
        match message:
            case AudioOut():
                self._on_audio(message)
            case SpokenDelta(response_id, item_id, text):
                if text and self._is_heard(response_id, item_id):
                    self._events.append(Transcript("assistant", text, final=False, item_id=item_id))
            case Transcript(item_id=item_id) | TranscriptFailed(item_id):
                if not self._history.is_forgotten(item_id):
                    self._events.append(message)
            case SpeechStarted() | SpeechStopped():
                self._going_on.caller_speaks = isinstance(message, SpeechStarted)
                self._events.append(message)
                self._pay()
            case SessionEcho():
                self._on_session(message)
            case ItemAdded():
                self._on_item(message)
            case ResponseCreated():
                self._on_response(message)
            case OutputItemAdded():
                self._on_output(message)
            case OutputItemDone():
                self._on_output_done(message)
            case ResponseDone():
                self._on_response_done(message)
            case Refusal():
                self._on_refusal(message)
            case PlaybackStopped(response_id):
                response = self._responses.find(response_id)
                items = response.items if response is not None else []
                self._events.extend(PlaybackEnded(item_id) for item_id in items)
            case ProviderDigit():
                self._events.append(message)
            case Meaningless() | Unknown() | Unreadable():
                pass
            case _:
                assert_never(message)

    def _on_audio(self, audio: AudioOut) -> None:
        if not audio.pcm or not self._is_heard(audio.response_id, audio.item_id):
            return
        self._spoken.add(audio.item_id, audio.response_id, audio.index, len(audio.pcm))
        self._events.append(audio)

    def _is_heard(self, response_id: str, item_id: str) -> bool:
        """Whether what comes of this item may still be heard."""
        if self._history.is_forgotten(item_id) or self._responses.is_over(response_id):
            return False
        response = self._responses.find(response_id)
        # One that never began here is nobody's of ours.
        return not response.cancelled if response is not None else not self._session.held

    def _on_session(self, echo: SessionEcho) -> None:
        if echo.created:
            return
        self._session.show(echo)
        if not self._connected:
            self._connected = True
            # Whoever attaches to a call anew finds the same session: that would not put its end off.
            ends = echo.expires_at if not self._hosted else None
            self._events.append(Connected(ends + self._clock_offset if ends else None))
            if self._kept is not None:
                self._events.append(Resumed(self._kept))
            self._tell_resumed()

    def _on_item(self, added: ItemAdded) -> None:
        whose = self._history.take(added.item)
        if whose == "caller":
            self._going_on.caller_speaks = False
            self._events.append(UserItem(added.item.item_id))
        self._tell_resumed()

    def _tell_resumed(self) -> None:
        kept = self._history.carried_on() if self._connected else None
        if kept is not None:
            self._events.append(Resumed(kept))

    def _on_response(self, created: ResponseCreated) -> None:
        request = self._responses.request_of(created.tag, tags=created.tags)
        response = self._responses.start(created.response_id, request, has_read=self._history.taken)
        if response is None:
            return
        self._events.append(ResponseStarted(response.response_id, response.ours))
        response.intruder = self._session.held and not response.ours
        if response.intruder or (request is not None and request.cancelled):
            self._cancel(response)

    def _on_output(self, added: OutputItemAdded) -> None:
        response = self._responses.find(added.response_id)
        if response is not None:
            response.add_item(added.item.item_id)
        if added.item.kind == "function_call":
            self._events.append(ToolCallStarted(added.item.call_id, added.item.name))

    def _on_output_done(self, done: OutputItemDone) -> None:
        item, response = done.item, self._responses.find(done.response_id)
        self._spoken.complete(item.item_id)
        completed = item.status == "completed"
        if item.kind == "function_call" and completed:
            self._history.owe(item.call_id)
            self._events.append(ToolCalled(item.call_id, item.name, item.arguments, done.response_id))
        elif response is not None and response.intruder:
            self.forget(item.item_id)
        elif item.kind == "message" and completed and not self._history.is_forgotten(item.item_id):
            self._events.append(Transcript("assistant", item.text, final=True, item_id=item.item_id))
            if response is not None and response.says is not None and not said_as_given(response.says, item.text):
                why = "the words that were to be said exactly were said otherwise"
                self._events.append(ProviderFailed(fatal=False, code="said_otherwise", message=why))

    def _on_response_done(self, done: ResponseDone) -> None:
        response = self._responses.end(done.response_id)
        if response is None:
            return
        if done.status == "failed":
            self._events.append(ProviderFailed(False, done.code or "response_failed", done.message))
        self._events.append(ResponseEnded(done.response_id, done.status))
        self._going_on.ended(response, done.status)
        self._pay()

    def _on_refusal(self, refusal: Refusal) -> None:
        if self._session.refuse(refusal):
            self._fail(refusal)
            return
        active = is_already_active(refusal)
        request = self._responses.refuse(refusal.event_id, unnamed=active)
        if active and (request is None or request.says is None):
            if request is not None and not request.cancelled:
                self._going_on.refused(request)
            return
        if refusal.event_id.startswith(_UNDOING):
            return
        self._fail(refusal)
        self._history.refuse(refusal.event_id)
        self._tell_resumed()

    def _fail(self, refusal: Refusal) -> None:
        match weigh(refusal):
            case "harmless":
                pass
            case "expired":
                self.expired = True
                self._leave()
            case "fatal" | "error" as weight:
                self._events.append(ProviderFailed(weight == "fatal", refusal.code, refusal.message))

    def lose(self, code: int, reason: str) -> None:
        """The connection is gone, closed by the service (a WebSocket close code) or lost (1006).

        Not fatal, unless its reason says that no new one would help: the session can be carried on.
        """
        named = Refusal(reason.rsplit(".", 1)[-1], reason)
        if weigh(named) == "fatal":
            self._events.append(ProviderFailed(True, named.code, reason))
        elif code == GOING_AWAY:
            self._leave()
        elif not self._leaving:
            self._events.append(ProviderFailed(False, "connection_lost", reason or f"closed with code {code}"))

    def _leave(self) -> None:
        if not self._leaving:
            self._leaving = True
            self._events.append(GoingAway(0.0))

    # --- what is sent ------------------------------------------------------------------------------------------------

    def _pay(self) -> None:
        if self._going_on.due():
            self._ask_to_go_on()

    def _ask_to_go_on(self) -> None:
        tag = self._name("respond")
        self._responses.ask(Request(tag, self._history.known))
        self._commands.append(commands.create_response(tag))

    def _cancel(self, response: Response) -> None:
        if response.cancelled:
            return
        response.cancelled = True
        self._commands.append(commands.cancel_response(self._name("cancel"), response.response_id))

    def _create(self, item: dict[str, object]) -> str:
        item_id = str(item["id"])
        self._history.send(item_id)
        self._commands.append(commands.create_item(item))
        return item_id

    def _send(self, update: Update) -> Update:
        if not update.sent:
            update.sent = True
            self._commands.append(commands.update_session(update.event_id, update.session))
        return update

    def _name(self, kind: str) -> str:
        return f"{kind}-{self._stem}-{next(self._numbers)}"
