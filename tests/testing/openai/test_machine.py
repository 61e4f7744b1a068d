"""The service without a socket: a test that needs an hour of it takes no time."""

import json
from collections.abc import Sequence

from voice_hitl.testing.openai.machine import Machine
from voice_hitl.testing.openai.script import Call, Habits, Pause, Say, Script, Step, Turn
from voice_hitl.testing.openai.wire import Close


def machine(*steps: Step, habits: Habits | None = None) -> Machine:
    def answer(_turn: Turn) -> Sequence[Step]:
        return steps

    return Machine(
        session_id="sess_1",
        model="gpt-realtime-2.1",
        script=Script(turn=answer),
        habits=habits or Habits(speed=10),
        now=100.0,
        epoch=1_800_000_000.0,
    )


def ask(it: Machine, now: float, **event: object) -> None:
    it.receive(json.dumps(event), now)


def kinds(it: Machine) -> list[object]:
    return [said.code if isinstance(said, Close) else said["type"] for said in it.take()]


def test_audio_comes_at_the_pace_of_the_habits() -> None:
    it = machine(Say("aaaa bbbb"))
    ask(it, 100.0, type="response.create")
    assert kinds(it).count("response.output_audio.delta") == 1
    # A word of five characters is 300 ms, sent ten times faster.
    assert it.deadline() == 100.03
    it.tick(100.02)
    assert kinds(it) == []
    it.tick(100.03)
    assert kinds(it) == ["response.output_audio.delta"]
    it.tick(101.0)
    assert kinds(it)[-1] == "response.done"
    assert it.deadline() == 3_700.0


def test_a_response_takes_its_time_to_begin() -> None:
    it = machine(Say("hello"), habits=Habits(speed=None, latency_s=0.8))
    it.take()
    it.caller.start()
    it.caller.stop("hi")
    it.tick(100.0)
    assert kinds(it)[-2:] == ["response.created", "rate_limits.updated"]
    assert it.deadline() == 100.8
    it.tick(100.8)
    assert kinds(it)[-1] == "response.done"


def test_a_pause_ends_when_it_is_released() -> None:
    pause = Pause()
    it = machine(pause, Call("ask_human", "{}"))
    ask(it, 100.0, type="response.create")
    it.take()
    it.tick(2_000.0)
    assert kinds(it) == []
    pause.released = True
    it.tick(2_000.0)
    assert kinds(it)[-1] == "response.done"


def test_an_hour_is_the_limit_and_nothing_follows_it() -> None:
    it = machine()
    it.tick(3_699.9)
    kinds(it)
    it.tick(3_700.0)
    assert kinds(it) == ["error", 1001]
    assert it.deadline() is None
    ask(it, 3_701.0, type="response.create")
    it.tick(3_702.0)
    assert kinds(it) == []
