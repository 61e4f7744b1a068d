"""Every exception of the library, named by its cause.

::

    VoiceHitlError
     ├── HumanInputRejectedError (RuntimeError)   a person, or a hook, said no
     ├── ToolRefusedError                         raised by a handler: refuse the call, in these words
     ├── ToolFailedError                          raised by a handler: the call failed, in these words
     ├── UnservedToolCallError                    raised by a handler: this tool is not mine
     ├── InvalidQuestion (ValueError)             a question that cannot be asked; says what to correct
     ├── InvalidAnswer (ValueError)               an answer that does not answer its question; says why
     ├── InvalidArguments (ValueError)            tool arguments that do not fit their schema
     ├── ConnectionEnded                          a connection, leg or presence is closed; nothing more comes
     ├── ProviderError                            the speech model could not be reached or refused us
     ├── ReasoningCutShort                        raised by a reasoning backend: what it has said is not the whole
     ├── ConferenceError                          the room could not be joined, or the backend refused us
     ├── InvalidOffer (ValueError)                a call set-up that cannot be answered (a malformed SDP)
     ├── CallNotAnswered                          a call that we placed was not taken; says why
     ├── StoreUnavailable                         a store cannot be used now: a file, a server that is not there
     ├── NotStorable (ValueError)                 a request with values that are not JSON: it cannot be saved
     └── PluginMissing (ImportError)              a plugin, or the extra it needs, is not installed

Late is not wrong: a late answer, a duplicate id, a cancelled call's result are return values, never exceptions.
"""

from collections.abc import Mapping
from typing import Final, Literal


class VoiceHitlError(Exception):
    """The root of all errors raised by this library."""


class HumanInputRejectedError(VoiceHitlError, RuntimeError):
    """A request to a person was refused by the person, or blocked by a hook. Its text is the reason."""


class ToolRefusedError(VoiceHitlError):
    """Raised by a tool handler: the call is refused. The model reads the text."""


class ToolFailedError(VoiceHitlError):
    """Raised by a tool handler: the call failed. The model reads the text."""


class UnservedToolCallError(VoiceHitlError):
    """Raised by a tool handler that does not serve this tool; `compose_tool_handlers` tries the next one."""


class InvalidQuestion(VoiceHitlError, ValueError):  # noqa: N818 - named by its cause, like InvalidAnswer
    """A question that cannot be asked. The text says what to correct."""


class InvalidAnswer(VoiceHitlError, ValueError):  # noqa: N818 - the name is the published contract
    """An answer that does not answer its question. The text says why."""


class InvalidArguments(VoiceHitlError, ValueError):  # noqa: N818 - named by its cause, like InvalidAnswer
    """Tool arguments that do not fit the tool's declared schema. The text says where."""


class ConnectionEnded(VoiceHitlError):  # noqa: N818 - an ending, not a fault
    """A provider connection, a leg or a presence is closed: nothing can be sent and nothing more comes."""


class ProviderError(VoiceHitlError):
    """The provider could not be reached, or refused the session. The text says what to do."""


class ReasoningCutShort(VoiceHitlError):  # noqa: N818 - named by its cause
    """Raised by a reasoning backend: its turn was cut short, and what it has said is not the whole. The text is why."""


class ConferenceError(VoiceHitlError):
    """A conference's backend could not be reached, or does not let us into the room. The text says what to do."""


class InvalidOffer(VoiceHitlError, ValueError):  # noqa: N818 - named by its cause, like InvalidAnswer
    """A call set-up that cannot be answered, such as a malformed SDP."""


class CallNotAnswered(VoiceHitlError):  # noqa: N818 - named by its cause
    """A call that we placed was not taken. `code` is the SIP status (RFC 3261, 21), `why` what it comes to."""

    def __init__(self, code: int, reason: str = "") -> None:
        self.code = code
        self.why: Literal["busy", "declined", "no answer", "no such number", "failed"] = _WHY.get(code, "failed")
        super().__init__(f"the call was not answered ({self.why}, {code}{': ' + reason if reason else ''})")


_WHY: Final[Mapping[int, Literal["busy", "declined", "no answer", "no such number"]]] = {
    486: "busy",
    600: "busy",
    403: "declined",
    603: "declined",
    408: "no answer",
    480: "no answer",
    487: "no answer",
    404: "no such number",
    410: "no such number",
    484: "no such number",
    604: "no such number",
}


class StoreUnavailable(VoiceHitlError):  # noqa: N818 - named by its cause
    """A store cannot be used now. Nobody knows whether it did what it was asked to."""


class NotStorable(VoiceHitlError, ValueError):  # noqa: N818 - named by its cause, like InvalidAnswer
    """A request with values that are not JSON: it cannot be saved, and will not outlive the process."""


class PluginMissing(VoiceHitlError, ImportError):  # noqa: N818 - named by its cause
    """A plugin is unknown, or the extra it needs is not installed. The text says what to install."""
