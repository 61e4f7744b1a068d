"""The answer to a form: the rules of one fixed order."""

from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice_hitl.errors import InvalidAnswer
from voice_hitl.questions.form_answer import check_form
from voice_hitl.questions.model import Choice, Form, Option

TIME = Choice(prompt="When?", options=(Option(label="Morning"), Option(label="Evening")), free_text=True)
PARCELS = Choice(
    prompt="Which?",
    options=(Option(label="Red"), Option(label="Blue"), Option(label="Green")),
    multi=True,
    free_text=True,
)
FORM = Form(questions=(TIME, PARCELS))


def test_an_answer_comes_back_in_the_order_of_the_questions_one_shape_a_question() -> None:
    checked = check_form(FORM, {"answers": {" Which?": "Red ", "When?\n": ["Evening"]}})
    assert checked == {"answers": {"When?": "Evening", "Which?": ["Red"]}, "response": None}
    assert list(cast("dict[str, object]", checked["answers"])) == ["When?", "Which?"]


def test_a_response_stands_for_the_questions_that_were_not_answered() -> None:
    assert check_form(FORM, {"response": " you choose "}) == {"answers": {}, "response": "you choose"}
    partly = check_form(FORM, {"answers": {"When?": "Morning"}, "response": "skip the rest"})
    assert partly == {"answers": {"When?": "Morning"}, "response": "skip the rest"}


def test_a_label_with_a_remark_is_the_label_and_the_remark() -> None:
    answer = {"answers": {"When?": "Morning", "Which?": ["Red"]}, "response": "but ring first"}
    assert check_form(FORM, answer)["response"] == "but ring first"


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (None, "is an object"),
        ("Morning", "is an object"),
        ([], "is an object"),
        ({}, "not answered: 'When\\?'"),
        ({"response": None}, "not answered: 'When\\?'"),
        ({"answers": {}}, "not answered: 'When\\?'"),
        ({"answers": {"When?": "Morning"}}, "not answered: 'Which\\?'"),
        ({"answer": {}}, "'answer' is no member"),
        ({3: {}}, "'3' is no member"),
        ({"answers": None, "response": "x"}, "answers must be an object"),
        ({"answers": []}, "answers must be an object"),
        ({"response": " "}, "response is blank"),
        ({"response": 5}, "response must be text"),
        ({"response": "x" * 65_537}, "response is 65537 characters long"),
        ({"answers": {" ": "x"}}, "a key that is no question"),
        ({"answers": {3: "x"}}, "a key that is no question"),
        ({"answers": {"When?": "x", " When?": "x"}}, "'When\\?' is answered twice"),
        ({"answers": {"Where?": "x"}, "response": "x"}, "'Where\\?' is none of the questions"),
        ({"answers": {"When?": []}, "response": "x"}, "the answer to 'When\\?' has 0 texts"),
        ({"answers": {"When?": ["a"] * 5}, "response": "x"}, "has 5 texts"),
        ({"answers": {"When?": None}, "response": "x"}, "must be text"),
        ({"answers": {"When?": "x" * 8193}, "response": "x"}, "8193 characters"),
        ({"answers": {"Which?": ["Red", "x"]}, "response": "x"}, "'Red' is an option and 'x' is not"),
        ({"answers": {"When?": ["Morning", "Evening"]}, "response": "x"}, "2 options were chosen"),
    ],
)
def test_the_first_rule_that_is_broken_is_told(value: object, why: str) -> None:
    with pytest.raises(InvalidAnswer, match=why):
        check_form(FORM, value)


def test_a_longer_list_of_options_may_be_chosen_whole() -> None:
    options = tuple(Option(label=str(number)) for number in range(6))
    form = Form(questions=(Choice(prompt="Which?", options=options, multi=True, free_text=True),))
    every = [option.label for option in options]
    assert check_form(form, {"answers": {"Which?": every}})["answers"] == {"Which?": every}


texts = st.sampled_from(["Morning", "Evening", "Red", " Blue", "Green", "at five", "both of them"])
values = texts | st.lists(texts, max_size=5)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "answers": st.dictionaries(st.sampled_from(["When?", "Which?", " When? ", "Where?"]), values),
            "response": st.none() | texts | st.just(" "),
        },
    )
)
def test_what_was_checked_passes_again_unchanged_and_answers_or_responds(value: dict[str, object]) -> None:
    try:
        once = check_form(FORM, value)
    except InvalidAnswer:
        return
    assert check_form(FORM, once) == once
    assert once["answers"] or once["response"]
