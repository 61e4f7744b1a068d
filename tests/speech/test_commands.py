"""What steers the dialogue."""

import pytest

from voice_hitl.speech.commands import read_command
from voice_hitl.speech.lexicon import lexicon_for
from voice_hitl.speech.marks import marks_of
from voice_hitl.speech.reading import Command, CommandName
from voice_hitl.speech.words import split


def command(text: str) -> Command | None:
    words = split(text)
    return read_command(words, marks_of(words, lexicon_for("en")), lexicon_for("en"))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("repeat", "repeat"),
        ("Okay, could you please say that again?", "repeat"),
        ("hold on a second please", "wait"),
        ("what are my options", "options"),
        ("I'd like to talk to a human", "operator"),
        ("never mind", "never_mind"),
    ],
)
def test_the_whole_utterance_is_the_command_politeness_left_out(text: str, name: CommandName) -> None:
    assert command(text) == Command(name)


@pytest.mark.parametrize("text", ["", "wait for the whirligig", "repeat " * 13, "please"])
def test_anything_more_is_no_command(text: str) -> None:
    assert command(text) is None
