"""Words to meaning: what a person said, read as the answer to the question that is asked.

Pure rules over the words of one language (`voice_hitl.speech.languages`). They are safety rules first: silence is never
an answer, and a doubtful yes is never a yes.
"""

from typing import assert_never

from voice_hitl.questions.model import Approval, Choice, Confirm, Form, Number, Question, Text
from voice_hitl.speech.asked import asked_by
from voice_hitl.speech.choice import read_choice
from voice_hitl.speech.commands import read_command
from voice_hitl.speech.confirm import read_confirm
from voice_hitl.speech.lexicon import Lexicon, lexicon_for
from voice_hitl.speech.marks import Mark, marks_of
from voice_hitl.speech.number import read_number
from voice_hitl.speech.reading import Command, Match, NoMatch, Reading
from voice_hitl.speech.text import read_form, read_text
from voice_hitl.speech.words import Words, split

__all__ = ["Command", "Match", "NoMatch", "Reading", "interpret"]


def interpret(question: Question, utterance: str, *, language: str = "en") -> Reading:
    """Read what a person said as the answer to that question.

    Args:
        question: What is being asked.
        utterance: One whole utterance, as transcribed; anything at all.
        language: A language tag; of a language without a pack only exact labels and digits are read.

    Returns:
        `Match` where it answers: a bool for a confirmation or an approval, the value of the option (a list of them with
        `multi`) for a choice, the number or the digits, the text, `{"answers": {}, "response": ...}` for a form that is
        answered whole. `Command` where it steers the dialogue. Else `NoMatch`. Never raises, whatever was said.

    Raises:
        ValueError: The language is no tag.
    """
    lexicon = lexicon_for(language)
    words = split(utterance, elides=lexicon.pack.elides)
    marks = marks_of(words, lexicon)
    command = read_command(words, marks, lexicon)
    match question:
        case Confirm() | Approval():
            return _confirmation(question, words, marks, command, lexicon)
        case Choice():
            reading = read_choice(question, words, marks, lexicon)
            named = isinstance(reading, Match) and not reading.rule.endswith("their own words")
            return reading if command is None or named else command
        case Number():
            return command or read_number(question, words, marks, lexicon)
        case Text():
            return command or read_text(question, words)
        case Form():
            return command or read_form(question, words, lexicon)
        case _:
            assert_never(question)


def _confirmation(
    question: Confirm | Approval, words: Words, marks: list[Mark], command: Command | None, lexicon: Lexicon
) -> Reading:
    reading = read_confirm(question, words, marks, lexicon)
    if command is None:
        return reading
    if command.name == "never_mind":
        return reading if reading == Match(False) else command
    # "Repeat it" of "Shall I repeat the order?" may mean the order: neither a command nor a yes.
    stems = asked_by(question, lexicon.pack.code).stems
    telling = (word for word in words.folded if word not in lexicon.plain)
    return reading if any(lexicon.stem(word) in stems for word in telling) else command
