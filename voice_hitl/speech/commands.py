"""What a person says to steer the dialogue."""

from voice_hitl.speech.lexicon import Lexicon, Tag
from voice_hitl.speech.marks import Mark
from voice_hitl.speech.reading import Command
from voice_hitl.speech.words import Words

_LONGEST = 12
_AROUND = frozenset({Tag.FILLER, Tag.ACKNOWLEDGE})


def read_command(words: Words, marks: list[Mark], lexicon: Lexicon) -> Command | None:
    """The command that the whole utterance is, politeness around it left out."""
    if not words.folded or len(words.folded) > _LONGEST:
        return None
    name = lexicon.commands.get(words.folded)
    if name is None:
        around = {index for mark in marks if mark.tag in _AROUND for index in range(mark.start, mark.end)}
        core = tuple(word for index, word in enumerate(words.folded) if index not in around)
        name = lexicon.commands.get(core) or lexicon.commands.get(_without_lead(core, lexicon))
    return None if name is None else Command(name, rule=f"command: {words.text.strip()!r}")


def _without_lead(core: tuple[str, ...], lexicon: Lexicon) -> tuple[str, ...]:
    """The words without "can you" or "I'd like to" before them."""
    lead = max((len(lead) for lead in lexicon.leads if core[: len(lead)] == lead), default=0)
    return core[lead:]
