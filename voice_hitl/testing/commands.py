"""What a provider connection can be told, as data: one frozen dataclass a command of the port."""

from dataclasses import dataclass, field

from voice_hitl.provider import InjectRole, ProviderConfig


@dataclass(frozen=True, slots=True)
class SentAudio:
    """20 ms of the caller's voice."""

    pcm: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class SentToolResult:
    """The output of a call."""

    call_id: str
    name: str
    text: str
    failed: bool


@dataclass(frozen=True, slots=True)
class Said:
    """Words to speak as they are."""

    text: str


@dataclass(frozen=True, slots=True)
class Injected:
    """A text item for the history; `item_id` is what `inject` returned."""

    text: str
    role: InjectRole
    silent: bool
    item_id: str


@dataclass(frozen=True, slots=True)
class Responded:
    """The model was asked to go on."""


@dataclass(frozen=True, slots=True)
class Interrupted:
    """The model was stopped."""

    response_id: str | None
    item_id: str
    played_ms: float


@dataclass(frozen=True, slots=True)
class Held:
    """The model was kept from answering by itself, or let go again."""

    on: bool


@dataclass(frozen=True, slots=True)
class Forgot:
    """An item was taken out of the history."""

    item_id: str


@dataclass(frozen=True, slots=True)
class Reconfigured:
    """Instructions and tools were changed."""

    config: ProviderConfig


@dataclass(frozen=True, slots=True)
class DelegationOutput:
    """Some of a delegation's output."""

    delegation_id: str
    text: str
    final: bool
    spoken: bool = True


@dataclass(frozen=True, slots=True)
class Closed:
    """The connection was closed from this side."""


Command = (
    SentAudio
    | SentToolResult
    | Said
    | Injected
    | Responded
    | Interrupted
    | Held
    | Forgot
    | Reconfigured
    | DelegationOutput
    | Closed
)
