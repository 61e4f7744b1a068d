"""A question that could not be asked, or not be answered, is refused where it is made."""

from collections.abc import Callable
from typing import cast

import pytest

from voice_hitl.enums import Risk
from voice_hitl.errors import InvalidQuestion
from voice_hitl.questions.model import Approval, Choice, Confirm, Form, Number, Option, Question, Text

MISTYPED = cast("Risk", "hihg")
TEXTS = cast("tuple[Option, ...]", ("A", "B"))
NO_CHOICES = cast("tuple[Choice, ...]", (Text(prompt="Name?"),))
A, B = Option(label="A"), Option(label="B")


def test_an_option_answers_with_its_id_or_else_its_label() -> None:
    assert Option(label=" Standard ").value == "Standard"
    assert Option(label="Standard", id=" std ").value == " std "


def test_labels_may_repeat_where_ids_tell_them_apart() -> None:
    choice = Choice(prompt="Which?", options=(Option(label="A", id="1"), Option(label="A", id="1 ")))
    assert [option.value for option in choice.options] == ["1", "1 "]


UNASKABLE: list[tuple[Callable[[], Question], str]] = [
    (lambda: Confirm(prompt=" "), "the prompt of a confirmation is blank"),
    (lambda: Choice(prompt="\u200b", options=(A,)), "the prompt of a choice is blank"),
    (lambda: Choice(prompt="Which?", options=()), "at least one option"),
    (lambda: Choice(prompt="Which?", options=(A, Option(label=" "))), "the label of an option is blank"),
    (lambda: Choice(prompt="Which?", options=(Option(label="A", id=" "),)), "the id of an option is blank"),
    (lambda: Choice(prompt="Which?", options=(A, B, Option(label="A "))), "two options of 'Which\\?' are 'A'"),
    (lambda: Choice(prompt="Which?", options=(Option(label="x", id="A"), A)), "are 'A'"),
    (lambda: Number(prompt=""), "the prompt of a number is blank"),
    (lambda: Number(prompt="How many?", minimum=3, maximum=2), "no number is from 3 to 2"),
    (lambda: Number(prompt="Code?", digits=0), "1 to 64 digits"),
    (lambda: Number(prompt="Code?", digits=65), "1 to 64 digits"),
    (lambda: Text(prompt=""), "the prompt of a text is blank"),
    (lambda: Text(prompt="Name?", max_length=0), "cannot be given"),
    (lambda: Form(questions=()), "at least one question"),
    (lambda: Form(questions=(Choice(prompt="A?", options=(A,)), Choice(prompt=" A?", options=(B,)))), "are 'A\\?'"),
    (lambda: Approval(tool="", arguments={}, digest="d"), "the tool of an approval is blank"),
    (lambda: Approval(tool="refund", arguments={}, digest=""), "the digest of an approval is blank"),
    (lambda: Confirm(prompt="Book?", risk=MISTYPED), 'a risk is "normal" or "high", not \'hihg\''),
    (lambda: Approval(tool="refund", arguments={}, digest="d", risk=MISTYPED), 'a risk is "normal" or "high"'),
    (lambda: Choice(prompt="Which?", options=TEXTS), r"an option is Option\(label=...\), not 'A'"),
    (lambda: Form(questions=NO_CHOICES), "the questions of a form are choices"),
]


@pytest.mark.parametrize(("make", "why"), UNASKABLE, ids=[why for _, why in UNASKABLE])
def test_what_cannot_be_asked_or_answered_is_refused_where_it_is_made(make: Callable[[], Question], why: str) -> None:
    with pytest.raises(InvalidQuestion, match=why):
        make()


def test_a_number_may_have_one_bound_or_equal_ones() -> None:
    assert Number(prompt="n", minimum=3, maximum=3).minimum == 3
    assert Number(prompt="n", maximum=3).minimum is None
