"""What this library is tested with, for testing an agent of your own: stand-ins for everything outside, and time.

`ScriptedProvider` plays the speech model, `LoopbackTransport` the call and its caller, `ScriptedConference` rooms with
several people, and in a `VirtualTimeLoop` five minutes of waiting take no time. They are strict: what was not expected
fails the test, and says what came instead.
`leg_contract` holds a transport of your own against what every leg does.
"""

from voice_hitl.testing import leg_contract
from voice_hitl.testing.commands import (
    Closed,
    Command,
    DelegationOutput,
    Forgot,
    Held,
    Injected,
    Interrupted,
    Reconfigured,
    Responded,
    Said,
    SentAudio,
    SentToolResult,
)
from voice_hitl.testing.loopback_caller import LoopbackCaller, LoopbackIncoming
from voice_hitl.testing.loopback_leg import LoopbackLeg
from voice_hitl.testing.loopback_transport import LoopbackTransport
from voice_hitl.testing.scripted_chat import ScriptedAnswer, ScriptedChat
from voice_hitl.testing.scripted_conference import ScriptedConference
from voice_hitl.testing.scripted_connection import ScriptedConnection
from voice_hitl.testing.scripted_participant import ScriptedParticipant
from voice_hitl.testing.scripted_provider import ScriptedProvider
from voice_hitl.testing.scripted_room import ScriptedRoom
from voice_hitl.testing.virtual_time import VIRTUAL_TIME, VirtualTimeLoop

__all__ = [
    "VIRTUAL_TIME",
    "Closed",
    "Command",
    "DelegationOutput",
    "Forgot",
    "Held",
    "Injected",
    "Interrupted",
    "LoopbackCaller",
    "LoopbackIncoming",
    "LoopbackLeg",
    "LoopbackTransport",
    "Reconfigured",
    "Responded",
    "Said",
    "ScriptedAnswer",
    "ScriptedChat",
    "ScriptedConference",
    "ScriptedConnection",
    "ScriptedParticipant",
    "ScriptedProvider",
    "ScriptedRoom",
    "SentAudio",
    "SentToolResult",
    "VirtualTimeLoop",
    "leg_contract",
]
