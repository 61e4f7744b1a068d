import pytest

from voice_hitl.errors import InvalidQuestion
from voice_hitl.questions.language import language_of
from voice_hitl.questions.model import Approval, Choice, Confirm, Form, Number, Option, Text

OPTIONS = (Option(label="Red"),)


@pytest.mark.parametrize(
    ("tag", "language"),
    [("en", "en"), ("en-GB", "en"), ("EN_gb", "en"), ("zh-Hant-TW", "zh"), ("pt-BR", "pt"), ("yue", "yue")],
)
def test_a_tag_means_its_language_whatever_the_country(tag: str, language: str) -> None:
    assert language_of(tag) == language


@pytest.mark.parametrize("tag", ["english", "", "e", "en-", "-GB", "en GB", "en\n", "en-GB\n", "fr,en", "e1", "ру"])
def test_what_is_no_tag_is_refused_and_so_is_a_question_in_it(tag: str) -> None:
    with pytest.raises(ValueError, match="a language is a tag such as 'en' or 'pt-BR', not "):
        language_of(tag)
    kinds = (
        lambda: Confirm(prompt="Go?", language=tag),
        lambda: Choice(prompt="Which?", options=OPTIONS, language=tag),
        lambda: Number(prompt="How many?", language=tag),
        lambda: Text(prompt="What?", language=tag),
        lambda: Form(questions=(Choice(prompt="Which?", options=OPTIONS),), language=tag),
        lambda: Approval(tool="pay", arguments={}, digest="d", language=tag),
    )
    for make in kinds:
        with pytest.raises(InvalidQuestion, match="a language is a tag"):
            make()
