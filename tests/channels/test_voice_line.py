"""The line of a voice session: taken by one asker at a time, listened on, and given back to the model."""

import wave
from pathlib import Path

import anyio
import numpy as np
import pytest

from tests.askers.spoken_desk import RATE, speech
from tests.channels.desk import Call, Desk
from tests.channels.kept import settle_down
from tests.channels.meeting import Meeting
from voice_hitl.audio.resample import Resampler
from voice_hitl.line import CallerBegan, CallerEnded, CallerSaid, CallerVoice, LineEvent
from voice_hitl.provider import AudioOut, ProviderCapabilities, ResponseEnded, ResponseStarted, Transcript
from voice_hitl.tasks import current_time
from voice_hitl.testing import Held, Interrupted, SentAudio
from voice_hitl.transport import LegCapabilities

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

AUDIO = Path(__file__).parents[1] / "fixtures" / "audio"
QUIET = ProviderCapabilities(rate=RATE, hold="quiet", verbatim="likely")


def recorded(name: str) -> bytes:
    """A voice, at `RATE`."""
    with wave.open(str(AUDIO / f"{name}.wav")) as file:
        return Resampler(file.getframerate(), RATE).push(file.readframes(file.getnframes()))


async def speaks(call: Call, seconds: float, item: str = "words") -> None:
    """The model speaks for so long."""
    call.model.emit(
        ResponseStarted(f"r-{item}"),
        AudioOut(bytes(int(RATE * seconds) * 2), item, response_id=f"r-{item}"),
        ResponseEnded(f"r-{item}"),
    )
    await settle_down()


async def heard(call: Call, frames: int) -> bytes:
    """What the model got of the last so many frames of the caller's."""
    return b"".join([(await call.model.expect(SentAudio)).pcm for _ in range(frames)])


async def test_it_is_taken_once_the_models_words_were_heard_or_at_once() -> None:
    async with Desk(capabilities=QUIET) as desk:
        call = await desk.call()
        call.model.ignore(Held)
        line = call.session.line
        assert (line.can_be_held, line.verbatim, line.carries_audio, line.rate) == (True, "likely", True, RATE)
        await speaks(call, 2.0)
        began = current_time()
        async with line.taken_by("p1", after="sentence"):
            assert current_time() - began == pytest.approx(2.0, abs=0.1)
        await speaks(call, 2.0, "more")
        began = current_time()
        async with line.taken_by("p2", after="now"):
            assert current_time() - began < 0.1
        await call.model.expect(Interrupted)


async def test_a_model_that_goes_on_and_on_is_interrupted_after_20_seconds() -> None:
    async with Desk(capabilities=QUIET) as desk:
        call = await desk.call()
        call.model.ignore(Held)
        await speaks(call, 60.0)
        began = current_time()
        async with call.session.line.taken_by("p1", after="sentence"):
            assert current_time() - began == pytest.approx(20, abs=0.1)
        await call.model.expect(Interrupted)


async def test_one_has_it_at_a_time_in_the_order_they_came() -> None:
    async with Desk(capabilities=QUIET) as desk:
        call = await desk.call()
        call.model.ignore(Held)
        order: list[str] = []

        async def take(pending_id: str) -> None:
            async with call.session.line.taken_by(pending_id, after="now"):
                order.append(f"{pending_id} takes")
                await anyio.sleep(1)
                order.append(f"{pending_id} leaves")

        async with anyio.create_task_group() as group:
            group.start_soon(take, "first")
            await settle_down()
            group.start_soon(take, "second")
        assert order == ["first takes", "first leaves", "second takes", "second leaves"]


async def test_a_deaf_line_gives_the_callers_voice_to_the_asker_and_silence_to_the_model() -> None:
    async with Desk(capabilities=QUIET) as desk:
        call = await desk.call()
        call.model.ignore(Held)
        events: list[LineEvent] = []
        async with call.session.line.taken_by("p1", after="now", deaf=True) as held:
            call.model.watch(SentAudio)
            await call.caller.speak(speech(0.6))
            await call.caller.stay_silent(900)
            assert not any(await heard(call, 75))
            call.model.emit(Transcript("user", "from before", True, "early"))
            await settle_down()
            with anyio.move_on_after(0.1):
                while True:
                    events.append(await held.events().get())
            call.model.ignore(SentAudio)
        assert [type(event) for event in events] == [CallerBegan, CallerEnded, CallerVoice]
        voice = events[-1]
        assert isinstance(voice, CallerVoice)
        assert any(voice.pcm)


async def test_on_a_line_that_is_not_deaf_the_models_ear_is_the_askers() -> None:
    async with Desk(capabilities=QUIET) as desk:
        call = await desk.call()
        call.model.ignore(Held)
        async with call.session.line.taken_by("p1", after="now") as held:
            call.model.watch(SentAudio)
            await call.caller.speak(speech(0.4))
            assert any(await heard(call, 20))
            call.model.ignore(SentAudio)
            await call.caller.stay_silent(500)
            call.model.emit(Transcript("user", "yes", True, "item"))
            kinds = [type(await held.events().get()) for _ in range(3)]
        assert kinds == [CallerBegan, CallerEnded, CallerSaid]


@pytest.mark.parametrize("deaf", [False, True])
@pytest.mark.parametrize("whose", ["ours", "theirs"])
async def test_whose_voice_it_is_that_is_heard_is_told_by_its_sound(*, deaf: bool, whose: str) -> None:
    async with Desk(capabilities=QUIET) as desk:
        call = await desk.call()
        call.model.ignore(Held, SentAudio)
        ours = recorded("booking")
        low = (np.frombuffer(ours if whose == "ours" else recorded("yes_please"), np.int16) // 8).tobytes()
        async with call.session.line.taken_by("p1", after="now", deaf=deaf) as held:
            held.play(ours, 1)
            held.end_part(1)
            await call.caller.stay_silent(300)
            await call.caller.speak(low[: 2 * 2 * RATE])
            await call.caller.stay_silent(900)
            if not deaf:
                call.model.emit(Transcript("user", "yes", True, "item"))
            event = await held.events().get()
            while not isinstance(event, CallerSaid | CallerVoice):
                event = await held.events().get()
            assert event.is_ours is (whose == "ours")


@pytest.mark.parametrize(("measured", "usual", "taken_off"), [(None, 100, 100), (None, 250, 250), (180, 250, 180)])
async def test_the_callers_times_are_theirs_the_round_trip_is_taken_off(
    measured: float | None, usual: float, taken_off: float
) -> None:
    async with Desk(capabilities=QUIET, leg=LegCapabilities(usual_round_trip_ms=usual)) as desk:
        call = await desk.call()
        call.model.ignore(Held)
        call.caller.leg.round_trip_ms = measured
        async with call.session.line.taken_by("p1", after="now") as held:
            await call.caller.stay_silent(200)
            spoke = current_time()
            await call.caller.speak(speech(0.4))
            began = await held.events().get()
            assert isinstance(began, CallerBegan)
            assert began.at == pytest.approx(spoke - taken_off / 1000, abs=0.04)


async def test_what_comes_back_on_one_lane_of_a_room_says_nothing_of_another() -> None:
    ours, hers = recorded("booking"), (np.frombuffer(recorded("yes_please"), np.int16) // 8).tobytes()
    async with Meeting(model=QUIET, rate=RATE) as meeting:
        ada, ben = meeting.person("ada"), meeting.person("ben")
        model = await meeting.serve()
        model.ignore(Held)
        async with meeting.session().line.taken_by("p1", after="now", audience=["ada"]) as held:
            held.play(ours, 1)
            held.end_part(1)
            await anyio.sleep(0.3)
            async with anyio.create_task_group() as group:
                group.start_soon(ben.speak, ours[: len(hers)])
                group.start_soon(ada.speak, hers)
            event = await held.events().get()
            while not isinstance(event, CallerVoice):
                event = await held.events().get()
            assert (event.by, event.is_ours) == ("ada", False)


async def test_nothing_is_said_beside_the_model_while_anybody_speaks() -> None:
    async with Desk(capabilities=QUIET) as desk:
        call = await desk.call()
        line = call.session.line
        await speaks(call, 1.0)
        await line.interject(bytes(RATE))
        await line.quiet_for(0.5)
        before = call.caller.heard.total()
        await line.interject(bytes(RATE))
        await call.caller.hears(before + 500)
        assert before == 1000


async def test_quiet_is_counted_from_the_last_thing_heard() -> None:
    async with Desk(capabilities=QUIET) as desk:
        call = await desk.call()
        began = current_time()
        async with anyio.create_task_group() as group:
            group.start_soon(call.session.line.quiet_for, 2.0)
            await anyio.sleep(1)
            await speaks(call, 1.0)
        assert current_time() - began == pytest.approx(4.0, abs=0.1)
