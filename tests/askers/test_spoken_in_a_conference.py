"""A question asked aloud in a room with several people: named, heard lane by lane, answered by who was asked."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

import anyio
import pytest

from tests.askers.spoken_desk import Tone
from tests.channels.kept import settle_down
from tests.channels.meeting import Meeting, voice
from voice_hitl.askers.spoken import SpokenAsker
from voice_hitl.conference import ConferenceCapabilities
from voice_hitl.enums import RequestEnd, Via
from voice_hitl.human_input.new_request import new_pending
from voice_hitl.provider import ProviderCapabilities, SpeechStarted, SpeechStopped, Transcript, TranscriptFailed
from voice_hitl.questions.model import Number, Text
from voice_hitl.speech_ports import Transcription
from voice_hitl.testing import Held, ScriptedConnection, ScriptedParticipant, SentToolResult

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

QUIET = ProviderCapabilities(rate=24_000, hold="quiet")
ADAS, BENS = voice(600, pitch=120), voice(600, pitch=190)


class Lanes:
    """A listener that knows each voice by itself, and makes nothing of a mix."""

    rate = 24_000
    stays_here = True

    def __init__(self, said: Mapping[bytes, str]) -> None:
        self.said = said
        self.heard: list[str] = []

    async def transcribe(self, pcm: bytes, *, language: str = "en") -> Transcription | None:
        sound = pcm.strip(b"\0")
        middle = sound[len(sound) // 2 : len(sound) // 2 + 2_000]
        for spoken, text in self.said.items():
            if middle in spoken:
                self.heard.append(text)
                return Transcription(text, 0.9)
        self.heard.append("?")
        return None


def spoken(said: Mapping[bytes, str] | None = None, **names: str) -> tuple[SpokenAsker, Lanes]:
    lanes = Lanes(said if said is not None else {ADAS: "Yes please.", BENS: "Yes, do it."})
    return SpokenAsker(speaker=Tone(), listener=lanes, name_of=lambda each: names.get(each, each)), lanes


def meeting_of(
    asker: SpokenAsker, *, audience: Sequence[str] = (), capabilities: ConferenceCapabilities | None = None
) -> Meeting:
    return Meeting(audience=audience, askers=[asker], model=QUIET, capabilities=capabilities)


async def asked(meeting: Meeting) -> tuple[ScriptedParticipant, ScriptedParticipant, ScriptedConnection, str]:
    """Ada and Ben are there, and the question has been heard."""
    ada, ben = meeting.person("ada"), meeting.person("ben")
    model = await meeting.serve()
    call_id = model.call_tool("ConfirmAction", {"action": "Send the minutes."})
    await model.expect(Held, on=True)
    await settle_down(4)
    return ada, ben, model, call_id


async def say(person: ScriptedParticipant, pcm: bytes) -> None:
    """Say it, and turn the microphone off."""
    await person.speak(pcm)
    await settle_down(2)


async def test_who_is_asked_is_named_and_answers_on_their_own_lane() -> None:
    asker, _ = spoken(ada="Ada Lovelace")
    async with meeting_of(asker, audience=["ada"]) as meeting:
        ada, _ben, model, call_id = await asked(meeting)
        await say(ada, ADAS)
        sent = await model.expect(SentToolResult, call_id=call_id, failed=False)
        assert json.loads(sent.text) == {"confirmed": True, "via": "voice", "said": "Yes please."}
        await model.expect(Held, on=False)
    assert isinstance(asker.speaker, Tone)
    assert asker.speaker.said[:2] == ["Ada Lovelace: Send the minutes.", "Shall I go ahead?"]
    assert [(end.answered_by, end.answered_via) for end in meeting.settled] == [("ada", Via.VOICE)]


async def test_a_name_that_was_cut_off_is_said_again_with_its_question() -> None:
    asker, _ = spoken(ada="Ada Lovelace")
    asker = replace(asker, speaker=Tone(seconds=3))
    async with meeting_of(asker, audience=["ada"]) as meeting:
        ada, _ben = meeting.person("ada"), meeting.person("ben")
        model = await meeting.serve()
        model.call_tool("ConfirmAction", {"action": "Send the minutes."})
        await model.expect(Held, on=True)
        await anyio.sleep(1)
        await say(ada, voice(300, pitch=240))
        assert isinstance(asker.speaker, Tone)
        assert asker.speaker.said.count("Ada Lovelace: Send the minutes.") == 2
        await ada.press("1")
        await model.expect(SentToolResult, failed=False)
        await model.expect(Held, on=False)


async def test_a_yes_of_somebody_else_to_a_question_for_one_is_ignored() -> None:
    asker, lanes = spoken()
    async with meeting_of(asker, audience=["ada"]) as meeting:
        ada, ben, model, _ = await asked(meeting)
        await say(ben, BENS)
        await ben.press("1")
        assert meeting.request().end is None
        assert lanes.heard == []
        await say(ada, ADAS)
        await model.expect(SentToolResult, failed=False)
        await model.expect(Held, on=False)
    assert [end.answered_by for end in meeting.settled] == ["ada"]
    assert [(digit.digit, digit.participant_id) for digit in meeting.digits] == [("1", "ben")]


async def test_two_who_speak_at_once_are_heard_each_by_themselves() -> None:
    asker, lanes = spoken({ADAS: "No, not yet.", BENS: "Yes, do it."})
    async with meeting_of(asker, audience=["ada"]) as meeting:
        ada, ben, model, _ = await asked(meeting)
        async with anyio.create_task_group() as group:
            group.start_soon(ada.speak, ADAS)
            group.start_soon(ben.speak, BENS)
        sent = await model.expect(SentToolResult, failed=False)
        assert json.loads(sent.text)["confirmed"] is False
        await model.expect(Held, on=False)
    assert lanes.heard == ["No, not yet."]


async def test_what_the_model_transcribes_of_the_mix_answers_nothing() -> None:
    asker, _ = spoken()
    async with meeting_of(asker) as meeting:
        ada, _ben, model, _ = await asked(meeting)
        model.emit(SpeechStarted("i1"), SpeechStopped("i1"), Transcript("user", "Yes, go ahead.", True, "i1"))
        await settle_down(3)
        assert meeting.request().end is None
        await ada.press("2")
        await model.expect(SentToolResult, text='{"confirmed": false, "via": "key"}')
        await model.expect(Held, on=False)
    assert [(end.answered_by, end.answered_via) for end in meeting.settled] == [("ada", Via.KEY)]


async def test_what_nobody_can_make_out_of_the_mix_is_no_try() -> None:
    asker, _ = spoken()
    async with meeting_of(asker) as meeting:
        ada, _ben, model, _ = await asked(meeting)
        assert isinstance(asker.speaker, Tone)
        said = len(asker.speaker.said)
        model.emit(SpeechStarted("i1"), SpeechStopped("i1"), TranscriptFailed("i1"))
        await settle_down(1)
        assert len(asker.speaker.said) == said
        await ada.press("1")
        await model.expect(SentToolResult, failed=False)
        await model.expect(Held, on=False)


async def test_asked_of_all_anyone_may_answer_and_nobody_is_named() -> None:
    asker, _ = spoken()
    async with meeting_of(asker) as meeting:
        _ada, ben, model, _ = await asked(meeting)
        await say(ben, BENS)
        await model.expect(SentToolResult, failed=False)
        await model.expect(Held, on=False)
    assert isinstance(asker.speaker, Tone)
    assert asker.speaker.said[0] == "Send the minutes."
    assert [end.answered_by for end in meeting.settled] == ["ben"]


async def test_of_several_who_are_asked_a_doubt_of_one_takes_the_yes_of_another_back() -> None:
    asker, _ = spoken({ADAS: "Yes please.", BENS: "Wait, not to everybody."})
    async with meeting_of(asker, audience=["ada", "ben"]) as meeting:
        ada, ben, model, _ = await asked(meeting)
        await ada.speak(ADAS)
        await anyio.sleep(0.4)
        await say(ben, BENS)
        assert all(end.result is None or "true" not in end.result for end in meeting.settled)
        if meeting.session().open_requests:
            meeting.requests.reject(meeting.request().pending_id, "enough")
        await model.expect(SentToolResult)
        await model.expect(Held, on=False)
    assert isinstance(asker.speaker, Tone)
    assert asker.speaker.said[0] == "ada, ben: Send the minutes."


async def test_a_yes_waits_for_whoever_of_those_who_are_asked_still_speaks() -> None:
    longer = voice(3_000, pitch=190)
    asker, _ = spoken({ADAS: "Yes please.", longer: "No, not to everybody."})
    async with meeting_of(asker, audience=["ada", "ben"]) as meeting:
        ada, ben, model, call_id = await asked(meeting)
        async with anyio.create_task_group() as group:
            group.start_soon(ben.speak, longer)
            await anyio.sleep(0.3)
            group.start_soon(ada.speak, ADAS)
            await anyio.sleep(2.5)
            assert meeting.request().end is None
        await settle_down(2)
        assert meeting.request().end is None
        await ada.press("2")
        await model.expect(SentToolResult, call_id=call_id, text='{"confirmed": false, "via": "key"}')
        await model.expect(Held, on=False)


async def test_the_answer_is_that_of_whoever_spoke_last() -> None:
    asker, _ = spoken({ADAS: "Hold on.", BENS: "Yes, do it."})
    async with meeting_of(asker, audience=["ada", "ben"]) as meeting:
        ada, ben, model, _ = await asked(meeting)
        await say(ada, ADAS)
        await say(ben, BENS)
        await model.expect(SentToolResult, failed=False)
        await model.expect(Held, on=False)
    assert [end.answered_by for end in meeting.settled] == ["ben"]


@pytest.mark.parametrize("has_lanes", [True, False])
async def test_without_lanes_or_a_listener_keys_are_asked_for_and_words_are_nothing(has_lanes: bool) -> None:
    asker, lanes = spoken()
    if has_lanes:
        asker = SpokenAsker(speaker=Tone())
    async with meeting_of(asker, capabilities=ConferenceCapabilities(lanes=has_lanes)) as meeting:
        ada, _ben, model, call_id = await asked(meeting)
        await say(ada, ADAS)
        assert meeting.request().end is None
        await ada.press("1")
        await model.expect(SentToolResult, call_id=call_id, text='{"confirmed": true, "via": "key"}')
        await model.expect(Held, on=False)
    assert lanes.heard == []
    assert isinstance(asker.speaker, Tone)
    assert any("1" in sentence for sentence in asker.speaker.said[:3])


async def test_who_is_asked_alone_and_leaves_is_asked_no_more() -> None:
    asker, _ = spoken()
    async with meeting_of(asker, audience=["ada"]) as meeting:
        ada, _ben, model, _ = await asked(meeting)
        ada.leave()
        await model.expect(SentToolResult, failed=True)
        await model.expect(Held, on=False)
    assert [end.end for end in meeting.settled] == [RequestEnd.WITHDRAWN]


async def test_what_is_sensitive_is_keyed_because_all_in_the_room_hear_what_is_said() -> None:
    asker, _ = spoken()
    async with meeting_of(asker) as meeting:
        await meeting.serve(people=["ada"])
        for sensitive in (False, True):
            words = new_pending("ask", {}, question=Text(prompt="Your password?", sensitive=sensitive))
            assert asker.reaches(words, meeting.session()) is not sensitive
            digits = new_pending("ask", {}, question=Number(prompt="Your PIN?", digits=4, sensitive=sensitive))
            assert asker.reaches(digits, meeting.session())


async def test_it_reaches_nobody_where_nobody_who_is_asked_is_there() -> None:
    asker, _ = spoken()
    async with meeting_of(asker, audience=["cyd"]) as meeting:
        model = await meeting.serve(people=["ada"])
        await meeting.confirm(model)
        await settle_down(5)
        assert isinstance(asker.speaker, Tone)
        assert asker.speaker.said == []
        meeting.requests.reject(meeting.request().pending_id, "nobody")
        await model.expect(SentToolResult, failed=True)
