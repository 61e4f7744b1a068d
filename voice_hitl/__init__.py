"""voice_hitl: the moment in a live call when an AI has to stop and ask a person."""

from voice_hitl.asker import Asker, AskerSession, Asking, GaveUp
from voice_hitl.askers.card import CardAsker
from voice_hitl.askers.console import ConsoleAsker
from voice_hitl.askers.spoken import SpokenAsker
from voice_hitl.askers.telephone import TelephoneAsker
from voice_hitl.channels.agent_backend import AgentReasoningBackend
from voice_hitl.channels.ai import AIChannel
from voice_hitl.channels.conference import ConferenceChannel
from voice_hitl.channels.on_call import CallSetup, Reject
from voice_hitl.channels.plug import ConferenceRealtimeConfig
from voice_hitl.channels.session import VoiceSession
from voice_hitl.channels.switchboard import Switchboard
from voice_hitl.channels.text_events import TextCall, TextCallEnded, TextDelta, TextEnded, TextEvent
from voice_hitl.channels.voice import RealtimeVoiceChannel
from voice_hitl.enums import (
    ChannelType,
    DoorName,
    HookExecution,
    HookTrigger,
    OutcomeKind,
    PendingInputStatus,
    RequestEnd,
    Via,
)
from voice_hitl.errors import (
    ConferenceError,
    ConnectionEnded,
    HumanInputRejectedError,
    InvalidAnswer,
    InvalidArguments,
    InvalidOffer,
    InvalidQuestion,
    NotStorable,
    PluginMissing,
    ProviderError,
    ReasoningCutShort,
    StoreUnavailable,
    ToolFailedError,
    ToolRefusedError,
    UnservedToolCallError,
    VoiceHitlError,
)
from voice_hitl.events import (
    AskedEvent,
    BargeInEvent,
    DigitEvent,
    ErrorEvent,
    HeardEvent,
    ParticipantEvent,
    SessionEvent,
    SpeechEvent,
    ToolCallEvent,
    TranscriptionEvent,
)
from voice_hitl.hooks import HookContext, HookResult
from voice_hitl.human_input.external import ExternalToolHandler, PolicyExternalToolHandler, ToolDecision
from voice_hitl.human_input.handler import HumanInputHandler
from voice_hitl.human_input.orphans import Recovery
from voice_hitl.human_input.tool_handler import HumanInputToolHandler
from voice_hitl.kit import VoiceKit
from voice_hitl.questions.answer import Answer
from voice_hitl.questions.model import Approval, Choice, Confirm, Form, Number, Option, Question, Text
from voice_hitl.reasoning import (
    ExecuteToolCall,
    ReasoningBackend,
    ReasoningOutput,
    ReasoningRequest,
    SpokenLine,
)
from voice_hitl.requests.pending import PendingInput, PendingInputEvent
from voice_hitl.requests.settlement import Settlement
from voice_hitl.tools.asking import HumanTool, ask_human, ask_user_question, confirm_action, human_tool
from voice_hitl.tools.calls import AIToolCall, ServedCall
from voice_hitl.tools.context import current_tool_actor_id, current_tool_call
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.handler import ToolHandler, compose_tool_handlers
from voice_hitl.tools.policy import ToolPolicy

__all__ = [
    "AIChannel",
    "AITool",
    "AgentReasoningBackend",
    "AIToolCall",
    "Answer",
    "Approval",
    "AskedEvent",
    "Asker",
    "AskerSession",
    "Asking",
    "BargeInEvent",
    "CallSetup",
    "CardAsker",
    "ChannelType",
    "Choice",
    "ConferenceChannel",
    "ConferenceError",
    "ConferenceRealtimeConfig",
    "Confirm",
    "ConnectionEnded",
    "ConsoleAsker",
    "DigitEvent",
    "DoorName",
    "ErrorEvent",
    "ExecuteToolCall",
    "ExternalToolHandler",
    "Form",
    "GaveUp",
    "HeardEvent",
    "HookContext",
    "HookExecution",
    "HookResult",
    "HookTrigger",
    "HumanInputHandler",
    "HumanInputRejectedError",
    "HumanInputToolHandler",
    "HumanTool",
    "InvalidAnswer",
    "InvalidArguments",
    "InvalidOffer",
    "InvalidQuestion",
    "NotStorable",
    "Number",
    "Option",
    "OutcomeKind",
    "ParticipantEvent",
    "PendingInput",
    "PendingInputEvent",
    "PendingInputStatus",
    "PluginMissing",
    "PolicyExternalToolHandler",
    "ProviderError",
    "Question",
    "RealtimeVoiceChannel",
    "ReasoningBackend",
    "ReasoningCutShort",
    "ReasoningOutput",
    "ReasoningRequest",
    "Recovery",
    "Reject",
    "RequestEnd",
    "ServedCall",
    "SessionEvent",
    "Settlement",
    "SpeechEvent",
    "SpokenAsker",
    "TelephoneAsker",
    "SpokenLine",
    "StoreUnavailable",
    "Switchboard",
    "Text",
    "TextCall",
    "TextCallEnded",
    "TextDelta",
    "TextEnded",
    "TextEvent",
    "ToolDecision",
    "ToolCallEvent",
    "ToolFailedError",
    "ToolHandler",
    "ToolPolicy",
    "ToolRefusedError",
    "TranscriptionEvent",
    "UnservedToolCallError",
    "Via",
    "VoiceHitlError",
    "VoiceKit",
    "VoiceSession",
    "ask_human",
    "ask_user_question",
    "compose_tool_handlers",
    "confirm_action",
    "current_tool_actor_id",
    "current_tool_call",
    "human_tool",
]
