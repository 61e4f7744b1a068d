"""The port to a speech-to-speech model, or to a local pipeline that behaves as one.

A provider is described by its `capabilities` (the truth about its own service), opens a `connection` for each session,
and from then on talks in one typed stream of events and takes commands. Four realtime services fit behind it: OpenAI
Realtime and Live, Gemini Live, xAI, Azure. Times are seconds on the event loop's clock unless a name ends in `_ms`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeVar

from voice_hitl.frozen import frozen
from voice_hitl.tools.definition import AITool

T_co = TypeVar("T_co", covariant=True)

Role = Literal["user", "assistant"]
InjectRole = Literal["system", "user", "assistant"]


class Receiver(Protocol[T_co]):
    """A receive object: `get` waits for the next item and raises `ConnectionEnded` when nothing more comes.

    Never an async generator: it can be left at any point and closed from any task.
    """

    async def get(self) -> T_co:
        """Return the next item."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderCapabilities:
    """What a provider can do. The plugin's job is to tell the truth about its own service."""

    rate: int = 24_000
    """Samples a second of the mono int16 audio it takes and gives."""
    hold: Literal["quiet", "deaf", "none"] = "none"
    """How it can be kept from answering by itself: told to (quiet), by not hearing the caller (deaf), not at all."""
    speaks_while_owed: bool = True
    """Whether it may speak while it waits for the output of a call."""
    blocks_while_owed: bool = False
    """Whether it says nothing at all until it has the output of a call."""
    speech_cancels_calls: bool = False
    """Whether the caller's speech cancels a call it waits for."""
    replies_to_results: bool = False
    """Whether it goes on by itself on getting an output; else it is asked to (`respond`)."""
    verbatim: Literal["exact", "likely", "none"] = "none"
    """Whether `say` speaks exactly the words it is given."""
    truncates: bool = False
    """Whether what was not heard of an item can be taken out of its history."""
    speech_events: bool = True
    """Whether it reports the caller's speech starting and stopping."""
    resumes: Literal["native", "replay", "none"] = "none"
    """Whether a new connection can carry an old one's conversation on."""
    reconfigures: Literal["in_place", "reconnects", "none"] = "none"
    """Whether instructions and tools can change during a session."""
    delegates: bool = False
    """Whether it hands reasoning over (`Delegated`)."""
    owes_output_within_s: float | None = None
    """The longest it waits for an output, where it has a bound of its own."""
    max_result_chars: int | None = None
    """The longest output it takes, in characters."""
    max_call_id: int | None = None
    """The longest call id it takes, in characters."""

    @property
    def held(self) -> Literal["quiet", "deaf", "none"]:
        """How it is held while a person is asked: deaf also where the caller's answer would cancel the very call."""
        return "deaf" if self.hold == "quiet" and self.speech_cancels_calls else self.hold


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderConfig:
    """What a connection is opened with, and what `reconfigure` changes."""

    instructions: str = ""
    tools: Sequence[AITool] = ()
    voice: str | None = None
    language: str = "en"
    metadata: Mapping[str, object] = field(default_factory=dict[str, object])
    hosted_call_id: str = ""
    """The call to attach to, where the provider holds its media itself (`LegCapabilities.hosted`)."""


# --- events ----------------------------------------------------------------------------------------------------------


@frozen()
class Connected:
    """The session stands; the provider ends it at `expires_at` (seconds of the loop's clock), where it says so."""

    expires_at: float | None = None


@frozen()
class AudioOut:
    """Some of the model's voice: mono int16 at the provider's rate, of any length, ahead of real time."""

    pcm: bytes
    item_id: str
    index: int = 0
    """The content part of the item it belongs to."""
    response_id: str = ""


@frozen()
class Transcript:
    """What was said, by `role`. Not final: only what is new, to be appended. Final: the whole text of the item.

    Final only when the item is completed (some services send several "completed" texts of one growing item).
    """

    role: Role
    text: str
    final: bool
    item_id: str
    confidence: float | None = None
    """0 to 1, where the service tells."""


@frozen()
class TranscriptFailed:
    """The caller's item could not be transcribed: a no-match, never silence."""

    item_id: str


@frozen()
class UserItem:
    """The provider has taken the caller's turn into its history as this item."""

    item_id: str


@frozen()
class SpeechStarted:
    """The provider hears the caller begin to speak."""

    item_id: str = ""


@frozen()
class SpeechStopped:
    """The provider hears the caller stop."""

    item_id: str = ""


@frozen()
class ResponseStarted:
    """The model begins to respond; `ours`: because we asked (`respond`, `say`)."""

    response_id: str
    ours: bool = False


@frozen()
class ResponseEnded:
    """The response is over; nothing more of it comes."""

    response_id: str
    status: Literal["completed", "cancelled", "failed", "incomplete"] = "completed"


@frozen()
class ToolCallStarted:
    """The model begins to issue a call; its arguments are still streaming."""

    call_id: str
    name: str


@frozen()
class ToolCalled:
    """The model issued a call. `arguments` is the text as it came (or a mapping), to be read at intake."""

    call_id: str
    name: str
    arguments: str | Mapping[str, object] | None
    response_id: str = ""


@frozen()
class ToolCancelled:
    """The provider has given these calls up: their outputs are not wanted. May come before the call itself."""

    call_ids: tuple[str, ...]


@frozen()
class Delegated:
    """A full-duplex model hands reasoning over. What was said before it has come as final transcripts."""

    delegation_id: str
    target: str = ""


@frozen()
class ProviderDigit:
    """The caller pressed a key, as told by a provider that holds the call's media itself."""

    digit: str


@frozen()
class PlaybackEnded:
    """The provider, which holds the call's media itself, has finished playing an item."""

    item_id: str


@frozen()
class GoingAway:
    """The provider ends this connection in so many seconds; the session is to be renewed in a quiet moment."""

    in_s: float


@frozen()
class Resumed:
    """A new connection carries the conversation on; `calls_kept`: the ids whose outputs it still takes."""

    calls_kept: tuple[str, ...]


@frozen()
class ProviderFailed:
    """The provider reports an error. Not fatal: the call goes on. Fatal: the session is lost."""

    fatal: bool
    code: str
    message: str = ""


ProviderEvent = (
    Connected
    | AudioOut
    | Transcript
    | TranscriptFailed
    | UserItem
    | SpeechStarted
    | SpeechStopped
    | ResponseStarted
    | ResponseEnded
    | ToolCallStarted
    | ToolCalled
    | ToolCancelled
    | Delegated
    | ProviderDigit
    | PlaybackEnded
    | GoingAway
    | Resumed
    | ProviderFailed
)


class ProviderConnection(Protocol):
    """One session with the model. Commands raise `ConnectionEnded` once the connection is gone."""

    def events(self) -> Receiver[ProviderEvent]:
        """The one stream of events. It ends (`ConnectionEnded`) when the connection does, fatal error or not."""
        ...

    def send_audio(self, pcm: bytes) -> None:
        """Give it 20 ms of the caller's voice, mono int16 at its rate. Never waits: bounded, drops the oldest."""
        ...

    async def send_tool_result(self, call_id: str, name: str, text: str, *, failed: bool) -> None:
        """Give the one output of a call. Some services read a result without its `name` as a failure."""
        ...

    async def say(self, text: str) -> None:
        """Speak `text`, out of band: no tools, only these words as input."""
        ...

    async def inject(self, text: str, *, role: InjectRole = "system", silent: bool = True) -> str:
        """Add a text item to the history; return its item id. Not silent: and let the model respond to it."""
        ...

    async def respond(self) -> None:
        """Ask the model to go on. "Already has an active response" is not an error: once more after its end."""
        ...

    async def interrupt(self, response_id: str | None = None, *, item_id: str = "", played_ms: float = 0) -> None:
        """Stop the response that is active (or this one) and, where it truncates, forget what was not heard.

        `item_id` is the item that was being heard and `played_ms` how much of it was. Nothing active is not an error.
        """
        ...

    async def hold(self, *, on: bool) -> None:
        """Keep the model from answering by itself (on), or give back what was before (off). Quiet providers only."""
        ...

    async def forget(self, item_id: str) -> None:
        """Take an item out of the history, where it can be done."""
        ...

    async def reconfigure(self, config: ProviderConfig) -> None:
        """Change instructions and tools in place."""
        ...

    async def delegation_output(self, delegation_id: str, text: str, *, final: bool, spoken: bool = True) -> None:
        """Give some of a delegation's output. Not spoken: for the model to know, and not to tell.

        A delegation of a connection before this one is answered too, in whatever form this one takes.
        """
        ...

    async def aclose(self) -> None:
        """End the connection; closing twice is harmless."""
        ...


class Provider(Protocol):
    """A speech-to-speech model, or a local pipeline that behaves as one. One object serves many sessions."""

    @property
    def name(self) -> str:
        """What to call it in logs and tables."""
        ...

    @property
    def capabilities(self) -> ProviderCapabilities:
        """What it can do."""
        ...

    async def connect(self, config: ProviderConfig) -> ProviderConnection:
        """Open a session; `ProviderError` says what to do when it cannot be had."""
        ...
