"""A channel or a handler that could not work is refused where it is written."""

from collections.abc import Callable

import pytest

from tests.channels.desk import Desk
from voice_hitl import (
    ConferenceRealtimeConfig,
    Confirm,
    HumanInputHandler,
    RealtimeVoiceChannel,
    SpokenAsker,
)
from voice_hitl.askers.hold import HoldLines
from voice_hitl.speech.interpret import interpret
from voice_hitl.speech.manner import Manner
from voice_hitl.speech.reading import Reading
from voice_hitl.testing import LoopbackTransport, ScriptedProvider
from voice_hitl.testing.converse import Talk, converse


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


def channel_in(language: str) -> RealtimeVoiceChannel:
    return RealtimeVoiceChannel("a", provider=ScriptedProvider(), transport=LoopbackTransport(), language=language)


def config_in(language: str) -> ConferenceRealtimeConfig:
    return ConferenceRealtimeConfig(ScriptedProvider(), language=language)


def asker_in(language: str) -> SpokenAsker:
    return SpokenAsker(language=language)


def hold_lines_in(language: str) -> HoldLines:
    return HoldLines(language=language)


def reading_in(language: str) -> Reading:
    return interpret(Confirm(prompt="Go?"), "1", language=language)


def dialogue_in(language: str) -> Talk:
    return converse(Confirm(prompt="Go?"), ["1"], Manner(language=language))


@pytest.mark.parametrize(
    "speaks", [channel_in, config_in, asker_in, hold_lines_in, reading_in, dialogue_in], ids=lambda each: each.__name__
)
def test_what_is_no_language_is_refused_with_those_that_there_are(speaks: Callable[[str], object]) -> None:
    with pytest.raises(ValueError, match="such as 'en' or 'pt-BR', not 'english'; there are words for en, fr, de, "):
        speaks("english")
    speaks("en-GB")
    speaks("ja")


@pytest.mark.anyio
async def test_a_session_is_not_given_what_is_no_language() -> None:
    async with Desk() as desk:
        with pytest.raises(ValueError, match="not 'english'"):
            await desk.call(language="english")
        call = await desk.call()
        with pytest.raises(ValueError, match="not 'english'"):
            await desk.channel.reconfigure_session(call.session, language="english")
        assert call.session.language == "en"


def test_what_becomes_of_orphans_is_one_of_two() -> None:
    with pytest.raises(ValueError, match="orphans: of 'Ask' it is 'withdraw' or 'keep', not 'kept'"):
        HumanInputHandler(orphans={"Ask": "kept"})  # type: ignore[dict-item] # the mistake
    with pytest.raises(ValueError, match="keep_for is more than 0 seconds"):
        HumanInputHandler(keep_for=0)
