"""A channel or a handler that could not work is refused where it is written."""

import pytest

from voice_hitl import HumanInputHandler, RealtimeVoiceChannel
from voice_hitl.testing import LoopbackTransport, ScriptedProvider


def test_a_policy_for_late_answers_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match="late_answers is 'drop' or 'inject' or 'speak', not 'shout'"):
        RealtimeVoiceChannel(
            "desk",
            provider=ScriptedProvider(),
            transport=LoopbackTransport(),
            late_answers="shout",  # type: ignore[arg-type] # the mistake
        )


def test_a_lost_leg_is_waited_for_no_less_than_not_at_all() -> None:
    with pytest.raises(ValueError, match="rejoin_s is 0 seconds"):
        RealtimeVoiceChannel("desk", provider=ScriptedProvider(), transport=LoopbackTransport(), rejoin_s=-1)


def test_what_becomes_of_orphans_is_one_of_two() -> None:
    with pytest.raises(ValueError, match="orphans: of 'Ask' it is 'withdraw' or 'keep', not 'kept'"):
        HumanInputHandler(orphans={"Ask": "kept"})  # type: ignore[dict-item] # the mistake
    with pytest.raises(ValueError, match="keep_for is more than 0 seconds"):
        HumanInputHandler(keep_for=0)
