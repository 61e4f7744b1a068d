"""One of some options, or several."""

import pytest

from voice_hitl.questions.check import check
from voice_hitl.questions.model import Choice, Option
from voice_hitl.speech.interpret import Command, Match, NoMatch, Reading, interpret

LABELS = ("Red box", "Blue box", "Large green crate")
BOXES = tuple(Option(label=label) for label in LABELS)
ONE = Choice(prompt="Which?", options=BOXES)
SEVERAL = Choice(prompt="Which?", options=BOXES, multi=True)
FORM = Choice(prompt="Which?", options=BOXES, free_text=True)


def read(utterance: str, question: Choice = ONE) -> Reading:
    return interpret(question, utterance)


@pytest.mark.parametrize(
    ("utterance", "label"),
    [
        ("red box", "Red box"),
        ("RED BOX!", "Red box"),
        ("the red boxes", "Red box"),
        ("I'd like the blue box please", "Blue box"),
        ("the red one", "Red box"),
        ("green", "Large green crate"),
        ("the large, green crate", "Large green crate"),
        ("the second", "Blue box"),
        ("two", "Blue box"),
        ("number three", "Large green crate"),
        ("option 3", "Large green crate"),
        ("the last one", "Large green crate"),
        ("red, no, blue", "Blue box"),
        ("not red, blue", "Blue box"),
    ],
)
def test_an_option_is_named_by_its_label_a_word_of_it_or_its_place(utterance: str, label: str) -> None:
    reading = read(utterance)
    assert reading == Match(label)
    assert isinstance(reading, Match)
    assert check(ONE, reading.value) == label


def test_a_part_of_a_label_is_heard_with_doubt() -> None:
    assert interpret(ONE, "green").rule.startswith("doubt")
    assert not interpret(ONE, "red box").rule.startswith("doubt")


def test_the_answer_is_the_option_s_id_where_it_has_one() -> None:
    question = Choice(prompt="?", options=(Option(label="Red", id="r"), Option(label=" Blue ")))
    assert read("red", question) == Match("r")
    assert read("blue", question) == Match("Blue")


@pytest.mark.parametrize(
    ("utterance", "between"),
    [
        ("red or blue", ("Red box", "Blue box")),
        ("red and blue", ("Red box", "Blue box")),
        ("all of them", LABELS),
        ("not the red one", ("Blue box", "Large green crate")),
        ("anything but red", ("Blue box", "Large green crate")),
        ("everything except the second", ("Red box", "Large green crate")),
    ],
)
def test_more_than_one_answers_no_single_choice(utterance: str, between: tuple[str, ...]) -> None:
    assert read(utterance) == NoMatch(between)


@pytest.mark.parametrize(
    ("utterance", "labels"),
    [
        ("blue and red", ["Red box", "Blue box"]),
        ("the first and the third", ["Red box", "Large green crate"]),
        ("red and the third", ["Red box", "Large green crate"]),
        ("all of them", list(LABELS)),
        ("all", list(LABELS)),
        ("everything except the second", ["Red box", "Large green crate"]),
        ("all but not red and blue", ["Large green crate"]),
        ("red", ["Red box"]),
        ("not red. blue", ["Blue box"]),
    ],
)
def test_several_come_back_in_the_question_s_order(utterance: str, labels: list[str]) -> None:
    assert read(utterance, SEVERAL) == Match(labels)


def test_both_are_both_of_two() -> None:
    two = Choice(prompt="?", options=BOXES[:2], multi=True)
    assert read("both", two) == Match(["Red box", "Blue box"])
    assert read("both of them please", two) == Match(["Red box", "Blue box"])
    assert read("both", SEVERAL) == NoMatch()
    assert read("both", Choice(prompt="?", options=BOXES[:2])) == NoMatch(("Red box", "Blue box"))


def test_what_is_not_wanted_leaves_nothing_to_take() -> None:
    assert read("none except the red and the blue and the green", SEVERAL) == NoMatch()


def test_none_of_them_declines_or_is_an_answer_in_own_words() -> None:
    assert read("none of these") == Command("never_mind")
    assert read("none of these", FORM) == Match("none of these")


def test_labels_that_sound_the_same_are_told_apart_by_number() -> None:
    question = Choice(prompt="?", options=(Option(label="Red"), Option(label="red!"), Option(label="Blue")))
    assert read("red", question) == NoMatch(("Red", "red!"))
    assert read("the second", question) == Match("red!")


def test_a_number_in_a_label_comes_before_its_place() -> None:
    question = Choice(prompt="?", options=tuple(Option(label=f"{n} nights") for n in (2, 3, 4)))
    assert read("two", question) == Match("2 nights")
    assert read("number two", question) == Match("3 nights")
    assert read("three nights", question) == Match("3 nights")
    assert read("nine", question) == NoMatch()
    assert read("7:30", question) == NoMatch()


@pytest.mark.parametrize(
    "utterance",
    [
        "I have two kids",
        "none of these people like Henry",
        "the boxes",
        "no idea what to say",
        "what's in the crate?",
        "",
    ],
)
def test_something_else_names_no_option(utterance: str) -> None:
    assert read(utterance) == NoMatch()


def test_a_word_of_a_label_in_a_story_names_nothing() -> None:
    story = "my cousin Henry painted his kitchen completely red yesterday"
    assert read(story) == NoMatch(("Red box",))


def test_a_remark_beside_a_label_is_kept() -> None:
    assert read("Blue box, and please call first") == Match("Blue box", "and please call first")
    assert read("Blue box. What does it cost?") == Match("Blue box", "What does it cost?")


def test_own_words_answer_where_the_choice_takes_them() -> None:
    assert read("something with wheels", FORM) == Match("something with wheels")
    assert read("what do you mean?", FORM) == NoMatch()
    assert read("thank you", FORM) == NoMatch()
    assert read("something with wheels") == NoMatch()


def test_a_command_is_no_option_but_an_option_may_sound_like_one() -> None:
    assert read("repeat that please") == Command("repeat")
    desk = Choice(prompt="?", options=(Option(label="Operator"), Option(label="Front desk")))
    assert read("operator", desk) == Match("Operator")


def test_a_label_of_articles_only_is_still_a_label() -> None:
    question = Choice(prompt="?", options=(Option(label="The A"), Option(label="It")))
    assert read("the a please", question) == Match("The A")


def test_a_label_without_words_is_chosen_by_its_number() -> None:
    question = Choice(prompt="?", options=(Option(label="!!!"), Option(label="???")))
    assert read("the second", question) == Match("???")


def test_a_language_without_a_pack_has_exact_labels_and_digits() -> None:
    assert interpret(ONE, "Red box", language="xx") == Match("Red box")
    assert interpret(ONE, "2", language="xx") == Match("Blue box")
