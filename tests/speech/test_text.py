"""Words as the answer, and an answer in words to a whole form."""

from voice_hitl.questions.check import check
from voice_hitl.questions.model import Choice, Form, Option, Text
from voice_hitl.speech.interpret import Command, Match, NoMatch, interpret

FORM = Form(questions=(Choice(prompt="Which?", options=(Option(label="Red"), Option(label="Blue")), free_text=True),))


def test_what_was_said_is_the_answer() -> None:
    assert interpret(Text(prompt="Your message?"), " Call me back. ") == Match("Call me back.")


def test_silence_is_never_an_answer() -> None:
    assert interpret(Text(prompt="Your message?"), " ... ") == NoMatch()


def test_a_text_that_is_too_long_is_not_taken() -> None:
    assert interpret(Text(prompt="Your message?", max_length=10), "Call me back.") == NoMatch()


def test_a_command_is_no_text() -> None:
    assert interpret(Text(prompt="Your message?"), "hold on") == Command("wait")


def test_a_form_is_answered_whole_by_leaving_it_to_us() -> None:
    reading = interpret(FORM, "Just do whatever is cheapest.")
    assert reading == Match({"answers": {}, "response": "Just do whatever is cheapest."})
    assert isinstance(reading, Match)
    assert check(FORM, reading.value) == reading.value


def test_a_form_is_else_answered_question_by_question() -> None:
    assert interpret(FORM, "red") == NoMatch()
    assert interpret(FORM, "say that again") == Command("repeat")
