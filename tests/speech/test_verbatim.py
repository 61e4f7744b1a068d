"""Whether a voice said what it was given."""

import pytest

from voice_hitl.questions.model import Confirm
from voice_hitl.speech.languages import PACKS
from voice_hitl.speech.prompts import Prompts
from voice_hitl.speech.verbatim import says

TRANSFER = "Transfer 500 dollars to Ann Lee."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TRANSFER, "transfer five hundred dollars to Ann Lee"),
        ("Book a table for four at seven.", "Book the table for 4 at 7."),
        ("Book a table for four at 7:30 pm.", "Book a table for four at seven thirty PM."),
        ("1: Small.", "One: small."),
        ("", ""),
    ],
)
def test_the_same_words_are_the_same_in_digits_or_spelt_out(text: str, said: str) -> None:
    assert says(text, said)


@pytest.mark.parametrize(
    "said",
    [
        "Transfer 50 dollars to Ann Lee.",
        "Transfer 500 euros to Ann Lee.",
        "Transfer 500 dollars to Ann Leeds.",
        "Transfer 500 dollars to Lee Ann.",
        "Don't transfer 500 dollars to Ann Lee.",
        "Transfer 500 dollars to Ann Lee. Okay?",
        "Transfer 500 dollars to Ann Lee, please.",
        "Transfer 500 dollars.",
        "Sure, I will do that.",
        "",
    ],
)
def test_other_numbers_names_and_additions_are_not(said: str) -> None:
    assert not says(TRANSFER, said)


@pytest.mark.parametrize("language", PACKS)
def test_every_sentence_says_itself_in_every_language(language: str) -> None:
    question = Confirm(prompt="Transfer 500 dollars to Ann Lee?", risk="high")
    prompts = Prompts(language, hint="always")
    sentences = [*(prompts.asked(question) or ()), *prompts.second_yes(question), *prompts.options(question)]
    for sentence in sentences:
        assert says(sentence.text, sentence.text.upper(), language=language)
