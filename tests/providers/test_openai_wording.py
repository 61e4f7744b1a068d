import pytest

from voice_hitl_openai.wording import said_as_given

GIVEN = "Transfer 500 dollars to Ann Lee. Shall I go ahead?"


@pytest.mark.parametrize(
    "said",
    [
        GIVEN,
        "transfer 500 dollars to ann lee — shall I go ahead",
        "Sure. Transfer 500 dollars to Ann Lee. Shall I go ahead?",
    ],
)
def test_the_same_words_are_the_same_whatever_stands_between_them(said: str) -> None:
    assert said_as_given(GIVEN, said)


@pytest.mark.parametrize(
    "said",
    [
        "",
        "Transfer 50 dollars to Ann Lee. Shall I go ahead?",
        "Transfer dollars to Ann Lee. Shall I go ahead?",
        "Transfer 500 dollars to Lee Ann. Shall I go ahead?",
        "Transfer 500 dollars to Ann Lee. Shall I go ahead? Done.",
        "Transfer not 500 dollars to Ann Lee. Shall I go ahead?",
        "Of course, I will do that. Transfer 500 dollars to Ann Lee. Shall I go ahead?",
        "Transfer five hundred dollars to Ann Lee. Shall I go ahead?",
    ],
)
def test_a_word_more_less_or_elsewhere_is_not_what_was_given(said: str) -> None:
    assert not said_as_given(GIVEN, said)


def test_any_script_has_words() -> None:
    assert said_as_given("Продолжить?", "продолжить")
    assert not said_as_given("続けますか", "やめますか")
