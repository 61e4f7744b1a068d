"""Which options an utterance names."""

from voice_hitl.questions.model import Option
from voice_hitl.speech.labels import Mention, labels_of, mentions
from voice_hitl.speech.lexicon import lexicon_for
from voice_hitl.speech.words import split

BOXES = (Option(label="The red box"), Option(label="Blue box"), Option(label="3 nights"))


def named(text: str) -> list[Mention]:
    return mentions(split(text), labels_of(BOXES, "en"), lexicon_for("en"))


def test_a_label_is_found_without_its_articles() -> None:
    assert named("red box") == [Mention(0, 0, 2, whole=True)]
    assert named("the blue, the box") == [Mention(1, 1, 4, whole=True)]


def test_a_word_that_one_label_has_names_it_in_part() -> None:
    assert named("red") == [Mention(0, 0, 1, whole=False)]
    assert named("box") == []


def test_a_place_is_an_ordinal_a_bare_number_or_the_last() -> None:
    assert named("the second") == [Mention(1, 1, 2, whole=True)]
    assert named("two") == [Mention(1, 0, 1, whole=True, counted=True)]
    assert named("number two") == [Mention(1, 1, 2, whole=True)]
    assert named("the last one") == [Mention(2, 0, 3, whole=True)]
    assert named("nine") == []


def test_a_number_in_one_label_names_it() -> None:
    assert labels_of(BOXES, "en").numbers == {3.0: 2}
    assert named("three")[0].option == 2


def test_beside_a_label_only_a_pointed_at_place_counts() -> None:
    assert [one.option for one in named("red and the second")] == [0, 1]
    assert [one.option for one in named("red, call me first")] == [0]
    assert [one.option for one in named("red two")] == [0]
