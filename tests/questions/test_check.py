"""The one gate that every answer passes."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice_hitl.enums import Via
from voice_hitl.errors import InvalidAnswer
from voice_hitl.questions.answer import Answer
from voice_hitl.questions.check import check, check_answer
from voice_hitl.questions.model import Approval, Choice, Confirm, Form, Number, Option, Question, Text

CONFIRM = Confirm(prompt="Shall I?")
CHOICE = Choice(prompt="Which?", options=(Option(label="A"), Option(label="B")))
NUMBER = Number(prompt="How many?", minimum=0, maximum=10)
CODE = Number(prompt="Code?", digits=4)
TEXT = Text(prompt="Name?", max_length=5)
FORM = Form(questions=(CHOICE,))
SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {"order_id": {"type": "string"}},
    "required": ["order_id"],
    "additionalProperties": False,
}
APPROVAL = Approval(tool="cancel_order", arguments={"order_id": "A7"}, digest="d", parameters=SCHEMA, allow_edits=True)
ANSWERS: list[tuple[Question, object]] = [
    (CONFIRM, False),
    (CHOICE, "A"),
    (NUMBER, 3),
    (CODE, "0042"),
    (TEXT, "Ann"),
    (FORM, {"answers": {"Which?": "A"}, "response": None}),
    (APPROVAL, "approve"),
]
EVERY_KIND = [question for question, _ in ANSWERS]


@pytest.mark.parametrize(("question", "value"), ANSWERS)
def test_an_answer_in_its_normal_form_is_itself(question: Question, value: object) -> None:
    assert check(question, value) == value


@pytest.mark.parametrize("value", ["yes", "true", 1, 0, None, [True]])
def test_a_confirmation_is_true_or_false_and_nothing_like_it(value: object) -> None:
    with pytest.raises(InvalidAnswer, match="answered by true or false"):
        check(CONFIRM, value)


@pytest.mark.parametrize(
    ("value", "number"),
    [(3, 3), (3.0, 3), (2.5, 2.5), ("7", 7), (" 2.50 ", 2.5), ("3.0", 3), (-0.0, 0), ("0010", 10)],
)
def test_a_number_is_an_int_where_it_has_no_fraction(value: object, number: float) -> None:
    checked = check(NUMBER, value)
    assert checked == number
    assert type(checked) is type(number)


@pytest.mark.parametrize(
    "value", [True, None, "", "three", "1e3", "0x3", "٣", "+3", ".5", "1_0", [3], math.nan, math.inf, 2**1025]
)
def test_what_is_no_plain_number_is_refused(value: object) -> None:
    with pytest.raises(InvalidAnswer, match="that is no number"):
        check(Number(prompt="n"), value)


def test_a_large_float_stays_one() -> None:
    assert check(Number(prompt="n"), 1e300) == 1e300
    assert isinstance(check(Number(prompt="n"), 1e300), float)


def test_bounds_are_told() -> None:
    with pytest.raises(InvalidAnswer, match="it must be at least 0"):
        check(NUMBER, -1)
    with pytest.raises(InvalidAnswer, match="it must be at most 10"):
        check(NUMBER, "10.5")
    assert check(NUMBER, 10) == 10


@pytest.mark.parametrize("value", ["042", "00042", "004x", "００４２", "-042", "²²²²", 1234, None])
def test_a_code_is_exactly_its_digits_as_text(value: object) -> None:
    with pytest.raises(InvalidAnswer, match="exactly 4 digits"):
        check(CODE, value)


def test_a_code_keeps_its_zeros_and_may_have_bounds() -> None:
    assert check(CODE, " 0042 ") == "0042"
    year = Number(prompt="Year?", digits=4, minimum=1900)
    assert check(year, "1999") == "1999"
    with pytest.raises(InvalidAnswer, match="at least 1900"):
        check(year, "0042")


def test_a_text_is_stripped_and_bounded() -> None:
    assert check(TEXT, "  Ann  \n") == "Ann"
    with pytest.raises(InvalidAnswer, match="the answer is 6 characters long: at most 5"):
        check(TEXT, "Johann")
    with pytest.raises(InvalidAnswer, match="the answer is blank"):
        check(TEXT, "\u200b")
    with pytest.raises(InvalidAnswer, match="the answer must be text"):
        check(TEXT, 5)


def test_a_verbatim_text_keeps_the_space_around_it() -> None:
    verbatim = replace(TEXT, verbatim=True)
    assert check(verbatim, " Ann\n") == " Ann\n"
    with pytest.raises(InvalidAnswer, match="is 7 characters long: at most 5"):
        check(verbatim, "  Ann  ")
    with pytest.raises(InvalidAnswer, match="blank"):
        check(verbatim, "  ")


@pytest.mark.parametrize("value", [True, "yes", "Approve", None, {"order_id": "A7"}])
def test_an_approval_is_decided_in_its_own_words(value: object) -> None:
    assert check(APPROVAL, "reject") == "reject"
    with pytest.raises(InvalidAnswer, match="an answer is not permission"):
        check(APPROVAL, value)


# --- whole answers ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("question", EVERY_KIND)
def test_a_decline_fits_every_kind(question: Question) -> None:
    decline = Answer(decline=True, reason="not now", by="ann", via=Via.VOICE)
    assert check_answer(question, decline) is decline


@pytest.mark.parametrize("question", EVERY_KIND)
@pytest.mark.parametrize(
    "answer",
    [
        Answer("x", decline=True),
        Answer(False, decline=True),
        Answer(decline=True, decision="approve"),
        Answer(decline=True, edited_arguments={}),
    ],
)
def test_a_decline_carries_no_answer(question: Question, answer: Answer) -> None:
    with pytest.raises(InvalidAnswer, match="to decline is to give no answer"):
        check_answer(question, answer)


@pytest.mark.parametrize(("question", "value"), ANSWERS[:-1])
def test_an_answer_keeps_who_gave_it_and_how(question: Question, value: object) -> None:
    answer = Answer(value, by="ann", via=Via.VOICE, confidence=0.9, evidence={"transcript": "x"})
    assert check_answer(question, answer) == answer


def test_the_value_of_an_answer_is_normalised() -> None:
    assert check_answer(TEXT, Answer(" Ann ", by="ann")) == Answer("Ann", by="ann")


@pytest.mark.parametrize(("question", "value"), ANSWERS[:-1])
def test_an_approval_answers_no_question(question: Question, value: object) -> None:
    for answer in (Answer(decision="approve"), Answer(value, decision="approve"), Answer(value, edited_arguments={})):
        with pytest.raises(InvalidAnswer, match="an approval answers no question"):
            check_answer(question, answer)


@pytest.mark.parametrize("value", [True, "approve", "yes", {"order_id": "A7"}])
def test_an_answer_is_not_permission(value: object) -> None:
    for answer in (Answer(value), Answer(value, decision="approve"), Answer()):
        with pytest.raises(InvalidAnswer, match="an answer is not permission"):
            check_answer(APPROVAL, answer)


def test_an_approval_is_given_or_rejected() -> None:
    assert check_answer(APPROVAL, Answer(decision="approve")).edited_arguments is None
    assert check_answer(APPROVAL, Answer(decision="reject", reason="too much")).reason == "too much"


def test_edits_replace_all_arguments_and_are_copied() -> None:
    edits: dict[str, object] = {"order_id": "B9"}
    checked = check_answer(APPROVAL, Answer(decision="approve", edited_arguments=edits))
    edits.clear()
    assert checked.edited_arguments == {"order_id": "B9"}


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (Answer(decision="reject", edited_arguments={"order_id": "B9"}), "only with an approval"),
        (Answer(decision="approve", edited_arguments={}), '"order_id" is a required property'),
        (Answer(decision="approve", edited_arguments={"order_id": 3}), 'order_id: it is not of type "string"'),
        (Answer(decision="approve", edited_arguments={"order_id": "B9", "x": 1}), "'x' was unexpected"),
        (Answer(decision="approve", edited_arguments={"order_id": {1, 2}}), "there is a set in them"),
    ],
)
def test_edits_are_validated_against_the_whole_schema(answer: Answer, why: str) -> None:
    with pytest.raises(InvalidAnswer, match=why):
        check_answer(APPROVAL, answer)


def test_edits_are_taken_only_where_the_tool_allows_them() -> None:
    with pytest.raises(InvalidAnswer, match="may not be edited"):
        check_answer(
            replace(APPROVAL, allow_edits=False), Answer(decision="approve", edited_arguments={"order_id": "B9"})
        )


def test_without_a_schema_edits_need_only_be_json() -> None:
    unknown = replace(APPROVAL, parameters=None)
    assert check_answer(unknown, Answer(decision="approve", edited_arguments={"x": 1})).edited_arguments == {"x": 1}


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@given(st.sampled_from(EVERY_KIND), anything)
def test_anything_is_either_refused_or_comes_out_in_a_form_that_stays(question: Question, value: object) -> None:
    try:
        once = check(question, value)
    except InvalidAnswer:
        return
    assert check(question, once) == once
