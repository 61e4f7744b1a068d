"""Every kind of question, any utterance: something comes out, and silence is never an answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice_hitl.questions.model import Approval, Choice, Confirm, Form, Number, Option, Question, Text
from voice_hitl.speech.interpret import Command, Match, NoMatch, interpret
from voice_hitl.speech.languages import PACKS

BOXES = Choice(prompt="Which?", options=(Option(label="Red box"), Option(label="Blue box")), multi=True)
QUESTIONS: list[Question] = [
    Confirm(prompt="Shall I go ahead?", details={"amount": 500}),
    Approval(tool="refund", arguments={"to": "Ann", "lines": [1, {"a": None}]}, digest="d"),
    BOXES,
    Choice(prompt="Which?", options=BOXES.options, free_text=True),
    Number(prompt="How many?", minimum=1),
    Number(prompt="Your code?", digits=4),
    Text(prompt="Your message?"),
    Form(questions=(BOXES,)),
]
LANGUAGES = [*PACKS, "xx"]


@given(st.sampled_from(QUESTIONS), st.sampled_from(LANGUAGES), st.text())
def test_no_utterance_raises(question: Question, language: str, utterance: str) -> None:
    assert isinstance(interpret(question, utterance, language=language), Match | NoMatch | Command)


@given(st.sampled_from(QUESTIONS), st.sampled_from(LANGUAGES), st.text("yesno 17:.,?'éß½ \n"))
def test_no_near_utterance_raises(question: Question, language: str, utterance: str) -> None:
    assert isinstance(interpret(question, utterance, language=language), Match | NoMatch | Command)


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("silence", ["", " ", "...", "?!", "\n", "—"])
def test_silence_is_never_an_answer(question: Question, silence: str) -> None:
    assert interpret(question, silence) == NoMatch()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_monologue_of_five_hundred_words_is_no_answer(language: str) -> None:
    story = " ".join(["so then I told him about the red whirligig and he said yes and nodded at Henry"] * 30)
    for question in QUESTIONS:
        if not isinstance(question, Text | Form) and not (isinstance(question, Choice) and question.free_text):
            assert isinstance(interpret(question, story, language=language), NoMatch)


def test_how_it_was_read_is_no_part_of_what_was_read() -> None:
    assert Match(True, rule="a") == Match(True, rule="b")
    assert NoMatch(rule="a") == NoMatch(rule="b")
    assert Command("wait", rule="a") == Command("wait", rule="b")


def test_a_command_has_politeness_around_it() -> None:
    question = Confirm(prompt="Book it?")
    assert interpret(question, "Okay, could you please say that again?") == Command("repeat")
    assert interpret(question, "I'd like to talk to a human") == Command("operator")
    assert interpret(question, "wait " * 13) == NoMatch()


def test_a_command_in_the_question_s_own_words_is_no_command() -> None:
    assert interpret(Confirm(prompt="Shall I repeat the order?"), "repeat it") == NoMatch()
    assert interpret(Confirm(prompt="Shall I never mind it?"), "never mind") == Command("never_mind")


def test_a_no_that_sounds_like_a_command_is_a_no() -> None:
    assert interpret(Confirm(prompt="Book it?"), "forget it") == Match(False)
    assert interpret(BOXES, "forget it") == Command("never_mind")
