"""The answer to a choice."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice_hitl.errors import InvalidAnswer
from voice_hitl.questions.chosen import check_choice
from voice_hitl.questions.model import Choice, Option

BY_ID = (Option(label="Standard", id="std"), Option(label="Express", id="exp"))
BY_LABEL = (Option(label="Morning"), Option(label="Evening"))


def choice(*options: Option, multi: bool = False, free_text: bool = False) -> Choice:
    return Choice(prompt="Which?", options=options, multi=multi, free_text=free_text)


def test_a_choice_by_id_is_answered_by_the_id_exactly() -> None:
    assert check_choice(choice(*BY_ID), "exp") == "exp"
    for value in ("Express", "EXP", " exp", "exp "):
        with pytest.raises(InvalidAnswer, match="none of the options: 'std', 'exp'"):
            check_choice(choice(*BY_ID), value)


def test_ids_that_differ_by_a_space_are_two_ids() -> None:
    question = choice(Option(label="A", id="1"), Option(label="B", id="1 "))
    assert check_choice(question, "1") == "1"
    assert check_choice(question, "1 ") == "1 "


def test_a_choice_by_label_is_answered_by_the_label_without_the_space_around_it() -> None:
    assert check_choice(choice(*BY_LABEL), " Morning\n") == "Morning"
    with pytest.raises(InvalidAnswer, match="'morning' is none of the options"):
        check_choice(choice(*BY_LABEL), "morning")


def test_a_label_next_to_an_id_is_still_a_label() -> None:
    question = choice(Option(label="Standard", id="std"), Option(label="Other"))
    assert check_choice(question, " Other ") == "Other"


@pytest.mark.parametrize("value", [["exp"], ("exp",), None, 3, {"id": "exp"}])
def test_one_option_is_chosen_by_a_text(value: object) -> None:
    with pytest.raises(InvalidAnswer, match="choose one option, as a text"):
        check_choice(choice(*BY_ID), value)


def test_several_may_be_chosen_with_multi_each_once() -> None:
    question = choice(*BY_ID, multi=True)
    assert check_choice(question, ["exp", "std", "exp"]) == ["exp", "std"]
    assert check_choice(question, "exp") == ["exp"]
    assert check_choice(question, ("exp",)) == ["exp"]


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ([], "has 0 texts"),
        (["std"] * 5, "has 5 texts: 1 to 4"),
        (["std", 3], "must be text"),
        (["std", " "], "is blank"),
        (["std", "x"], "'x' is none of the options"),
        (3, "must be text"),
    ],
)
def test_what_is_no_list_of_options_is_refused(value: object, why: str) -> None:
    with pytest.raises(InvalidAnswer, match=why):
        check_choice(choice(*BY_ID, multi=True), value)


def test_all_of_many_options_may_be_chosen() -> None:
    options = tuple(Option(label=str(number)) for number in range(10))
    every = [option.label for option in options]
    assert check_choice(choice(*options, multi=True), every) == every


def test_other_words_are_an_answer_where_the_choice_takes_them() -> None:
    question = choice(*BY_LABEL, free_text=True)
    assert check_choice(question, " half past four ") == "half past four"
    assert check_choice(question, ["half past four", "or five"]) == ["half past four", "or five"]
    assert check_choice(question, ["Evening"]) == "Evening"
    with pytest.raises(InvalidAnswer, match="'Morning' is an option and 'x' is not"):
        check_choice(question, ["x", "Morning"])
    with pytest.raises(InvalidAnswer, match="2 options were chosen: this question takes one"):
        check_choice(question, ["Morning", "Evening"])


def test_a_long_wrong_answer_is_not_repeated_at_length() -> None:
    with pytest.raises(InvalidAnswer) as refused:
        check_choice(choice(*BY_ID), "x" * 8000)
    assert len(str(refused.value)) < 200


@given(st.data(), st.booleans())
def test_what_was_checked_passes_again_unchanged(data: st.DataObject, multi: bool) -> None:
    question = choice(*BY_LABEL, multi=multi, free_text=True)
    texts = st.sampled_from(["Morning", " Evening ", "tomorrow", "  at five"])
    value = data.draw(texts | st.lists(texts, min_size=1, max_size=4))
    try:
        once = check_choice(question, value)
    except InvalidAnswer:
        return
    assert check_choice(question, once) == once
