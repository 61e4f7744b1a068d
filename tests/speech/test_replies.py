"""Replies made up to be hard: of a no or a correction none is ever read as a yes, and a yes is seldom asked again.

A file for each language holds questions, and below each the replies to it with what they mean: `yes`, `no`, or
`correction` (something else is wanted).
"""

from pathlib import Path

import pytest

from voice_hitl.questions.model import Confirm
from voice_hitl.speech.interpret import Match, interpret

FOLDER = Path(__file__).parent / "replies"
TAKEN = {"en": 0.92, "de": 0.95, "es": 0.95, "fr": 0.95, "it": 0.95, "nl": 0.95, "pt": 0.95}
"""By language the share of its yeses that are at least read as one."""

each_language = pytest.mark.parametrize("language", TAKEN)


def replies(language: str) -> list[tuple[str, str, str]]:
    """The label, the question and the reply of each line."""
    found: list[tuple[str, str, str]] = []
    question = ""
    for line in (FOLDER / f"{language}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith(" "):
            label, reply = line.strip().split(": ", 1)
            found.append((label, question, reply))
        else:
            question = line or question
    return found


def is_yes(question: str, reply: str, language: str) -> bool:
    reading = interpret(Confirm(prompt=question), reply, language=language)
    return isinstance(reading, Match) and reading.value is True


def test_every_file_is_of_a_language_and_every_reply_has_a_meaning() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(TAKEN)
    assert {label for language in TAKEN for label, _, _ in replies(language)} == {"yes", "no", "correction"}


@each_language
def test_a_doubtful_yes_is_never_a_yes(language: str) -> None:
    others = [(question, reply) for label, question, reply in replies(language) if label != "yes"]
    assert [(question, reply) for question, reply in others if is_yes(question, reply, language)] == []


@each_language
def test_most_yeses_are_taken(language: str) -> None:
    yeses = [(question, reply) for label, question, reply in replies(language) if label == "yes"]
    taken = sum(is_yes(question, reply, language) for question, reply in yeses)
    assert taken / len(yeses) >= TAKEN[language]
