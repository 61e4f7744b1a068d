"""What is still to come of the caller."""

from voice_hitl.speech.effects import Utterance
from voice_hitl.speech.listening import TRANSCRIPT_S, Listening, YesHeard
from voice_hitl.speech.reading import Match

YES = YesHeard(Utterance("yes", 1.0, 1.4), Match(True), 2.1)


def test_nothing_is_due_until_something_is_waited_for() -> None:
    caller = Listening()
    assert caller.deadline() is None
    assert caller.due(1_000) is None


def test_silence_is_due_once_nobody_speaks_and_all_that_was_said_is_known() -> None:
    caller = Listening(silent_until=6)
    assert (caller.deadline(), caller.due(5), caller.due(6)) == (6, None, "silence")
    caller.begins()
    assert caller.deadline() is None
    caller.ceases(7)
    assert (caller.deadline(), caller.due(7 + TRANSCRIPT_S)) == (7 + TRANSCRIPT_S, "transcript")


def test_a_yes_is_due_after_its_window_and_before_silence() -> None:
    caller = Listening(silent_until=2.0, yes=YES)
    assert (caller.due(2.0), caller.due(2.1)) == ("silence", YES)
    caller.await_transcript(1.5)
    assert caller.due(2.1) is None
    assert caller.settled_by(2.1) is None


def test_speech_that_begins_within_the_window_may_belong_to_the_yes() -> None:
    caller = Listening(yes=YES)
    assert caller.settled_by(2.0) is None
    assert caller.settled_by(2.1) is YES
    assert caller.take_yes() is YES
    assert caller.take_yes() is None


def test_of_what_is_said_to_the_model_nothing_is_to_come() -> None:
    caller = Listening(silent_until=3, yes=YES)
    caller.begins()
    caller.ceases(1)
    caller.step_aside()
    assert caller.deadline() is None
    caller.come_back()
    assert caller.due(2.1) is YES
