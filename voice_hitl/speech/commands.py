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
    around = {index for mark in marks if mark.tag in _AROUND for index in range(mark.start, mark.end)}
    core = tuple(word for index, word in enumerate(words.folded) if index not in around)
    for said in (words.folded, core, _without_lead(words.folded, lexicon), _without_lead(core, lexicon)):
        name = lexicon.commands.get(said)
        if name is not None:
            return Command(name, rule=f"command: {words.text.strip()!r}")
    return None


def _without_lead(said: tuple[str, ...], lexicon: Lexicon) -> tuple[str, ...]:
    """The words without "can you please" or "I'd like to" before them."""
    while lead := max((len(lead) for lead in lexicon.leads if said[: len(lead)] == lead), default=0):
        said = said[lead:]
    return said
