"""The fixed sentences."""

from typing import get_args

import pytest

from voice_hitl.channels.delegation_words import InVain, words_for

LANGUAGES = ("en", "fr", "de", "es", "it", "pt", "nl")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_a_sentence_of_its_own_for_each_way_of_coming_to_nothing(language: str) -> None:
    words = [words_for(how, language) for how in get_args(InVain)]
    assert len(set(words)) == len(words) == 4
    assert all(each.endswith(".") for each in words)
    assert language == "en" or not set(words) & {words_for(how, "en") for how in get_args(InVain)}


def test_a_tag_is_read_by_its_language_and_an_unknown_one_is_english() -> None:
    assert words_for("failed", "de-AT") == words_for("failed", "de")
    assert words_for("failed", "tlh") == words_for("failed", "en")
