"""A model's question form, validated whole before anyone is asked."""

import copy

import pytest

from voice_hitl.errors import InvalidQuestion
from voice_hitl.questions.form import parse_form
from voice_hitl.questions.model import Choice, Form, Option


def option(label: str) -> dict[str, object]:
    return {"label": label, "description": f"about {label}"}


def question(**changes: object) -> dict[str, object]:
    whole = {"question": "When?", "header": "Time", "options": [option("Morning"), option("Evening")]} | changes
    return {member: value for member, value in whole.items() if value is not ...}


def test_a_form_becomes_choices_that_take_other_words_too() -> None:
    form = parse_form({"questions": [question(question="  When? \n", multiSelect=True)]})
    options = (
        Option(label="Morning", description="about Morning"),
        Option(label="Evening", description="about Evening"),
    )
    assert form == Form(
        questions=(Choice(prompt="When?", header="Time", options=options, multi=True, free_text=True),),
    )


def test_one_to_four_questions_with_two_to_four_options() -> None:
    four = [question(question=f"{number}?", options=[option(label) for label in "ABCD"]) for number in range(4)]
    assert len(parse_form({"questions": four}).questions) == 4
    assert len(parse_form({"questions": tuple(four)}).questions) == 4


UNASKABLE: list[tuple[object, str]] = [
    (None, "the call must be an object"),
    ("{}", "the call must be an object"),
    ({}, "questions must be an array"),
    ({"questions": [], "title": "x"}, "the call has an unknown member 'title': it may have questions"),
    ({"questions": {}}, "questions must be an array"),
    ({"questions": []}, "questions has 0 entries: 1 to 4 are allowed"),
    ({"questions": [question(question=f"{n}?") for n in range(5)]}, "questions has 5 entries"),
    ({"questions": ["When?"]}, r"questions\[0\] must be an object"),
    ({"questions": [question(), question(id="q", question="B?")]}, r"questions\[1\] has an unknown member 'id'"),
    ({"questions": [question(question=...)]}, r"questions\[0\] has no question"),
    ({"questions": [question(question=" ")]}, r"question of questions\[0\] is blank"),
    ({"questions": [question(question="x" * 8193)]}, "8193 characters long"),
    ({"questions": [question(header="Delivery time")]}, r"header of questions\[0\] is 13 characters long: at most 12"),
    ({"questions": [question(header=3)]}, r"header of questions\[0\] must be text"),
    ({"questions": [question(options=...)]}, r"options of questions\[0\] must be an array"),
    ({"questions": [question(options=[option("A")])]}, r"options of questions\[0\] has 1 entries: 2 to 4"),
    ({"questions": [question(options=[option("A"), "B"])]}, r"options\[1\] of questions\[0\] must be an object"),
    ({"questions": [question(options=[option("A"), {"label": "B"}])]}, r"options\[1\] of questions\[0\] has no descr"),
    ({"questions": [question(options=[option("A"), option("x" * 257)])]}, "257 characters long: at most 256"),
    ({"questions": [question(options=[option("A"), option("A ")])]}, "two options of 'When\\?' are 'A'"),
    ({"questions": [question(multiSelect=None)]}, r"multiSelect of questions\[0\] must be true or false"),
    ({"questions": [question(multiSelect=1)]}, "multiSelect"),
    ({"questions": [question(multi=True)]}, "unknown member 'multi'"),
    ({"questions": [question(), question()]}, "two questions are 'When\\?'"),
]


@pytest.mark.parametrize(("arguments", "why"), UNASKABLE, ids=[why for _, why in UNASKABLE])
def test_a_bad_form_says_what_to_correct(arguments: object, why: str) -> None:
    before = copy.deepcopy(arguments)
    with pytest.raises(InvalidQuestion, match=why):
        parse_form(arguments)
    assert arguments == before
