"""A session with the embedded model: real speech in, real speech out."""

import json
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar
from wave import open as open_wave

import anyio
import pytest

from voice_hitl.audio.frame import duration_ms
from voice_hitl.errors import ConnectionEnded, ProviderError
from voice_hitl.provider import (
    AudioOut,
    Connected,
    ProviderConfig,
    ProviderConnection,
    ProviderEvent,
    ProviderFailed,
    ResponseEnded,
    ResponseStarted,
    SpeechStarted,
    SpeechStopped,
    ToolCalled,
    ToolCallStarted,
    ToolCancelled,
    Transcript,
    TranscriptFailed,
    UserItem,
)
from voice_hitl.speech_ports import Transcription
from voice_hitl.tools.definition import AITool
from voice_hitl_local import LocalListener, LocalProvider
from voice_hitl_local.front_desk.brain import GREETING, UNCLEAR
from voice_hitl_local.recognition import Recognizer
from voice_hitl_local.synthesis import RATE, Synthesizer
from voice_hitl_local.worker import Pending, Worker

pytestmark = pytest.mark.anyio

AUDIO = Path(__file__).parents[1] / "fixtures" / "audio"
TOOLS = (AITool("ConfirmAction"), AITool("book_table"))
E = TypeVar("E")
FRAME = 640


def recorded(name: str) -> bytes:
    with open_wave(str(AUDIO / f"{name}.wav")) as file:
        pcm: bytes = file.readframes(file.getnframes())
    return pcm


class Call:
    """A session and everything it told."""

    def __init__(self, connection: ProviderConnection) -> None:
        self.connection = connection
        self.told: list[ProviderEvent] = []

    async def until(self, wanted: Callable[[ProviderEvent], bool]) -> list[ProviderEvent]:
        """The events up to and with the one that is wanted."""
        start = len(self.told)
        with anyio.fail_after(30):
            while not self.told[start:] or not wanted(self.told[-1]):
                self.told.append(await self.connection.events().get())
        return self.told[start:]

    async def response(self) -> list[ProviderEvent]:
        return await self.until(lambda event: isinstance(event, ResponseEnded))

    async def called(self) -> ToolCalled:
        (call,) = only(await self.response(), ToolCalled)
        return call

    def speak(self, pcm: bytes) -> None:
        """Say something, and be silent for a second: audio's time is its own, so it need not take as long."""
        for start in range(0, len(pcm), FRAME):
            self.connection.send_audio(pcm[start : start + FRAME])
        for _ in range(50):
            self.connection.send_audio(bytes(FRAME))

    async def give(self, call: ToolCalled, result: object, *, failed: bool = False) -> None:
        await self.connection.send_tool_result(call.call_id, call.name, json.dumps(result), failed=failed)
        await self.connection.respond()


@asynccontextmanager
async def calling(*, greets: bool = False, tools: Iterable[AITool] = TOOLS) -> AsyncGenerator[Call]:
    connection: ProviderConnection = await LocalProvider(greets=greets).connect(ProviderConfig(tools=tuple(tools)))
    call = Call(connection)
    try:
        assert await call.until(lambda event: isinstance(event, Connected)) == [Connected()]
        yield call
    finally:
        await connection.aclose()


def only(events: Iterable[ProviderEvent], kind: type[E]) -> list[E]:
    return [event for event in events if isinstance(event, kind)]


def final(events: Iterable[ProviderEvent]) -> list[str]:
    return [event.text for event in only(events, Transcript) if event.final]


def audio(events: Iterable[ProviderEvent]) -> bytes:
    return b"".join(event.pcm for event in only(events, AudioOut))


async def test_a_caller_books_a_table_by_voice_from_the_greeting_to_the_booking() -> None:
    async with calling(greets=True) as call:
        assert final(await call.response()) == [GREETING]

        call.speak(recorded("booking"))
        heard = await call.until(lambda event: isinstance(event, Transcript))
        (said,) = only(heard, Transcript)
        item_id = said.item_id
        assert heard == [SpeechStarted(item_id), SpeechStopped(item_id), UserItem(item_id), said]
        assert (said.role, said.final) == ("user", True)
        assert said.text == "I'd like to book a table for four tomorrow at seven. My name is Lee."
        assert said.confidence is not None
        assert said.confidence > 0.8

        asked = await call.response()
        (confirm,) = only(asked, ToolCalled)
        assert only(asked, ToolCallStarted) == [ToolCallStarted(confirm.call_id, "ConfirmAction")]
        assert confirm.name == "ConfirmAction"
        assert isinstance(confirm.arguments, str)
        details = {"name": "Lee", "party_size": 4, "day": "tomorrow", "time": "7 pm"}
        action = "Book a table for 4 tomorrow at 7 pm under the name Lee"
        assert json.loads(confirm.arguments) == {"action": action, "details": details}

        await call.give(confirm, {"confirmed": True, "via": "card"})
        book = await call.called()
        assert (book.name, json.loads(str(book.arguments))) == ("book_table", details)

        await call.give(book, {"booked": True})
        end = await call.response()
        assert final(end) == ["Your table is booked. A table for 4 tomorrow at 7 pm under the name Lee."]
        spoken = await LocalListener().transcribe(audio(end))
        assert spoken is not None
        assert "table is booked" in spoken.text


async def test_a_no_with_a_change_is_put_to_confirmation_again() -> None:
    async with calling() as call:
        call.speak(recorded("booking_espeak"))
        confirm = await call.called()
        await call.give(confirm, {"confirmed": False})
        assert final(await call.response()) == ["All right, nothing has been booked. What should I change?"]
        call.speak(recorded("make_it_eight"))
        again = await call.called()
        assert "tomorrow at 8 pm" in str(again.arguments)


async def test_every_word_of_a_response_comes_before_its_audio_and_the_whole_text_at_its_end() -> None:
    async with calling(greets=True) as call:
        events = await call.response()
        (started,) = only(events, ResponseStarted)
        assert not started.ours
        deltas = [event for event in only(events, Transcript) if not event.final]
        assert "".join(event.text for event in deltas) == GREETING
        (item_id,) = {event.item_id for event in deltas} | {event.item_id for event in only(events, AudioOut)}
        assert {event.response_id for event in only(events, AudioOut)} == {started.response_id}
        assert isinstance(events[1], Transcript)
        assert events[-2:] == [Transcript("assistant", GREETING, True, item_id), ResponseEnded(started.response_id)]
        assert duration_ms(audio(events), RATE) > 2_000


async def test_without_greeting_it_waits_to_be_asked() -> None:
    async with calling() as call:
        await call.connection.respond()
        events = await call.response()
        assert only(events, ResponseStarted)[0].ours
        assert final(events) == [GREETING]


async def test_a_session_speaks_exactly_the_words_it_is_given_and_the_brain_does_not_know_of_it() -> None:
    async with calling() as call:
        await call.connection.say("Transfer 500 dollars to Ann Lee. Shall I go ahead?")
        events = await call.response()
        assert final(events) == ["Transfer 500 dollars to Ann Lee. Shall I go ahead?"]
        assert only(events, ResponseStarted)[0].ours
        await call.connection.respond()
        assert final(await call.response()) == [GREETING]


async def test_a_result_by_itself_makes_it_say_nothing() -> None:
    async with calling() as call:
        await call.connection.inject("Book a table for 2 tonight at 7 under Ann", role="user", silent=False)
        confirm = await call.called()
        await call.connection.send_tool_result(confirm.call_id, confirm.name, '{"confirmed": true}', failed=False)
        await call.connection.say("One thing more.")
        assert final(await call.response()) == ["One thing more."]
        await call.connection.respond()
        assert (await call.called()).name == "book_table"


async def test_a_caller_who_tells_the_time_while_it_is_picked_has_that_call_cancelled() -> None:
    async with calling(tools=(*TOOLS, AITool("pick_time"))) as call:
        await call.connection.inject("A table for four tomorrow. My name is Lee.", role="user", silent=False)
        picking = await call.called()
        assert (picking.name, json.loads(str(picking.arguments))) == ("pick_time", {"day": "tomorrow", "party_size": 4})
        await call.connection.inject("At seven.", role="user", silent=False)
        told = await call.response()
        assert only(told, ToolCancelled) == [ToolCancelled((picking.call_id,))]
        assert [event.name for event in only(told, ToolCalled)] == ["ConfirmAction"]


async def test_a_result_that_is_not_owed_is_an_error_and_the_call_goes_on() -> None:
    async with calling() as call:
        await call.connection.send_tool_result("call_1", "book_table", "ok", failed=False)
        (failed,) = await call.until(lambda event: isinstance(event, ProviderFailed))
        assert isinstance(failed, ProviderFailed)
        assert (failed.fatal, failed.code) == (False, "unknown_call")


async def test_asked_to_go_on_with_nothing_to_say_it_responds_with_nothing() -> None:
    async with calling() as call:
        await call.connection.inject("Book a table for 2 tonight at 7 under Ann", role="user", silent=False)
        await call.called()
        await call.connection.respond()
        assert [type(event) for event in await call.response()] == [ResponseStarted, ResponseEnded]


async def test_two_requests_to_go_on_before_it_could_are_one() -> None:
    async with calling() as call:
        await call.connection.respond()
        await call.connection.respond()
        await call.connection.say("That is all.")
        assert final(await call.response()) == [GREETING]
        assert final(await call.response()) == ["That is all."]


# --- held -------------------------------------------------------------------------------------------------------------


async def test_held_it_hears_and_transcribes_and_does_not_answer() -> None:
    async with calling() as call:
        await call.connection.hold(on=True)
        call.speak(recorded("yes_please"))
        heard = await call.until(lambda event: isinstance(event, Transcript))
        assert final(heard) == ["Yes, please."]
        await call.connection.say("Thank you.")
        assert final(await call.response()) == ["Thank you."]


async def test_what_was_said_while_it_was_held_and_not_forgotten_is_answered_when_it_is_asked_to_go_on() -> None:
    async with calling() as call:
        await call.connection.hold(on=True)
        call.speak(recorded("yes_please"))
        heard = await call.until(lambda event: isinstance(event, Transcript))
        (yes,) = only(heard, Transcript)
        await call.connection.forget(yes.item_id)
        call.speak(recorded("booking"))
        await call.until(lambda event: isinstance(event, Transcript))
        await call.connection.hold(on=False)
        await call.connection.respond()
        assert (await call.called()).name == "ConfirmAction"


async def test_held_before_it_could_answer_it_does_not_and_given_back_it_does() -> None:
    async with calling(greets=True) as call:
        await call.connection.hold(on=True)
        await call.connection.say("A question first.")
        assert final(await call.response()) == ["A question first."]
        await call.connection.hold(on=False)
        call.speak(recorded("booking"))
        assert (await call.called()).name == "ConfirmAction"


# --- interrupted ------------------------------------------------------------------------------------------------------


async def test_a_caller_who_speaks_is_told_of_at_once_and_an_interrupted_response_says_nothing_more() -> None:
    async with calling() as call:
        await call.connection.say(
            "This is the first sentence. And this is a second one, which is longer than the first."
        )
        (started, *_) = await call.until(lambda event: isinstance(event, AudioOut))
        assert isinstance(started, ResponseStarted)
        call.connection.send_audio(recorded("booking")[: 32 * 600])
        await call.until(lambda event: isinstance(event, SpeechStarted))
        await call.connection.interrupt(started.response_id)
        assert (await call.response())[-1] == ResponseEnded(started.response_id, "cancelled")
        await call.connection.say("Yes?")
        after = await call.response()
        assert final(after) == ["Yes?"]
        assert {event.response_id for event in only(after, AudioOut)} != {started.response_id}
        assert ResponseEnded(started.response_id) not in call.told


async def test_interrupting_when_nothing_is_said_or_something_else_is_no_error() -> None:
    async with calling() as call:
        await call.connection.interrupt()
        await call.connection.say("Hello there.")
        await call.until(lambda event: isinstance(event, ResponseStarted))
        await call.connection.interrupt("resp_of_another_time")
        assert final(await call.response()) == ["Hello there."]


async def test_a_call_of_a_response_that_was_interrupted_before_it_is_not_issued_and_comes_with_the_next() -> None:
    async with calling() as call:
        await call.connection.inject("Book a table for 2 tonight at 7 under Ann", role="user", silent=False)
        await call.until(lambda event: isinstance(event, ResponseStarted))
        await call.connection.interrupt()
        assert only(await call.response(), ToolCalled) == []
        await call.connection.respond()
        assert (await call.called()).name == "ConfirmAction"


@pytest.mark.parametrize(
    ("how", "consents"), [("heard", True), ("cut", False), ("forgotten", False), ("older", False), ("whole", True)]
)
async def test_a_yes_counts_only_when_the_question_was_heard_to_its_end(how: str, consents: bool) -> None:
    async with calling(tools=[AITool("book_table")]) as call:
        await call.connection.inject("Book a table for 2 tonight at 7 under Ann", role="user", silent=False)
        question = await call.response()
        assert final(question) == ["Shall I book a table for 2 today at 7 pm under the name Ann?"]
        item_id = only(question, AudioOut)[0].item_id
        spoken_ms = duration_ms(audio(question), RATE)
        match how:
            case "heard":
                await call.connection.interrupt(item_id=item_id, played_ms=spoken_ms - 400)
            case "cut":
                await call.connection.interrupt(item_id=item_id, played_ms=spoken_ms - 900)
            case "forgotten":
                await call.connection.forget(item_id)
            case "older":
                await call.connection.interrupt(item_id="item_before", played_ms=100)
            case _:
                await call.connection.forget("item_before")
        call.speak(recorded("yes_please"))
        answer = await call.response()
        assert [event.name for event in only(answer, ToolCalled)] == (["book_table"] if consents else [])


# --- what goes wrong --------------------------------------------------------------------------------------------------


def failing(*_arguments: object, **_options: object) -> Pending[Transcription | None]:
    def work() -> None:
        raise OSError("out of memory")

    return Worker("test").submit(work)


async def test_a_turn_that_cannot_be_recognised_is_told_and_the_call_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    async with calling() as call:
        with monkeypatch.context() as broken:
            broken.setattr(Recognizer, "recognize", failing)
            call.speak(recorded("yes_please"))
            events = await call.until(lambda event: isinstance(event, TranscriptFailed))
        (failed,) = only(events, ProviderFailed)
        assert (failed.fatal, failed.code, failed.message) == (False, "recognition_failed", "out of memory")
        call.speak(recorded("booking"))
        assert (await call.called()).name == "ConfirmAction"


async def test_a_sentence_that_cannot_be_spoken_fails_its_response_and_the_call_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with calling() as call:
        with monkeypatch.context() as broken:
            broken.setattr(Synthesizer, "speak", failing)
            await call.connection.say("Hello.")
            events = await call.response()
        (failed,) = only(events, ProviderFailed)
        assert (failed.fatal, failed.code) == (False, "synthesis_failed")
        assert only(events, ResponseEnded)[0].status == "failed"
        await call.connection.say("Hello.")
        assert final(await call.response()) == ["Hello."]


async def test_a_guess_is_told_with_its_confidence_and_asked_about_instead_of_acted_upon(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def guessing(*_arguments: object, **_options: object) -> Pending[Transcription | None]:
        return Worker("test").submit(lambda: Transcription("A table for nine.", 0.2))

    async with calling() as call:
        monkeypatch.setattr(Recognizer, "recognize", guessing)
        call.speak(recorded("yes_please"))
        events = await call.response()
        assert ("user", "A table for nine.", 0.2) in [(e.role, e.text, e.confidence) for e in only(events, Transcript)]
        assert final(events)[-1].startswith("Sorry, I did not understand.")
        assert UNCLEAR not in " ".join(final(events))


async def test_a_noise_is_not_answered_but_where_it_cut_the_agent_off_it_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def nothing(*_arguments: object, **_options: object) -> Pending[Transcription | None]:
        return Worker("test").submit(lambda: None)

    async with calling() as call:
        monkeypatch.setattr(Recognizer, "recognize", nothing)
        call.speak(recorded("yes_please"))
        await call.until(lambda event: isinstance(event, TranscriptFailed))
        await call.connection.inject("Book a table for 2 tonight", role="user", silent=False)
        question = await call.response()
        assert final(question) == ["At what time?"]
        await call.connection.interrupt(item_id=only(question, AudioOut)[0].item_id, played_ms=100)
        call.speak(recorded("yes_please"))
        assert final(await call.response()) == ["Sorry, I did not understand. At what time?"]


# --- the rest of the port ---------------------------------------------------------------------------------------------


async def test_tools_change_in_place() -> None:
    async with calling(tools=()) as call:
        await call.connection.inject("Book a table for 2 tonight at 7 under Ann", role="user", silent=False)
        assert "cannot book it from here" in final(await call.response())[0]
        await call.connection.reconfigure(ProviderConfig(tools=TOOLS))
        await call.connection.inject("Book a table for 2 tonight at 7 under Ann", role="user")
        await call.connection.inject("Be kind.")
        await call.connection.respond()
        assert (await call.called()).name == "ConfirmAction"


async def test_it_delegates_nothing() -> None:
    async with calling() as call:
        with pytest.raises(ProviderError, match="delegates nothing"):
            await call.connection.delegation_output("d1", "text", final=True)


async def test_closed_it_leaves_no_task_and_takes_no_command_and_its_events_end() -> None:
    tasks = len(anyio.get_running_tasks())
    async with calling(greets=True) as call:
        await call.connection.say("This is a long sentence that nobody is going to hear to its end, as it happens.")
        await call.response()
        await call.until(lambda event: isinstance(event, ResponseStarted))
        call.connection.send_audio(recorded("yes_please") + bytes(32 * 300))
        await call.until(lambda event: isinstance(event, SpeechStarted))
        await call.connection.aclose()
        await call.connection.aclose()
        assert len(anyio.get_running_tasks()) == tasks
        with pytest.raises(ConnectionEnded):
            await call.until(lambda _event: False)
        assert call.told[-1] == ResponseEnded(only(call.told, ResponseStarted)[-1].response_id, "cancelled")
        with pytest.raises(ConnectionEnded):
            call.connection.send_audio(bytes(FRAME))
        with pytest.raises(ConnectionEnded):
            await call.connection.respond()
