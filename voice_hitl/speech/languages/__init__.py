"""The languages that answers are read in, a module each."""

from voice_hitl.questions.language import language_of
from voice_hitl.speech.languages.de import GERMAN
from voice_hitl.speech.languages.en import ENGLISH
from voice_hitl.speech.languages.es import SPANISH
from voice_hitl.speech.languages.fr import FRENCH
from voice_hitl.speech.languages.it import ITALIAN
from voice_hitl.speech.languages.nl import DUTCH
from voice_hitl.speech.languages.pack import LanguagePack
from voice_hitl.speech.languages.pt import PORTUGUESE

PACKS = {pack.code: pack for pack in (ENGLISH, FRENCH, GERMAN, SPANISH, ITALIAN, PORTUGUESE, DUTCH)}
"""The packs by ISO 639-1 code."""


def pack_for(language: str) -> LanguagePack:
    """The pack of a language tag ("fr", "pt-BR"); of a language that has none, a pack without words.

    Without words a question still has its keys, its exact labels and its digits.

    Raises:
        ValueError: It is no tag.
    """
    try:
        code = language_of(language)
    except ValueError as error:
        raise ValueError(f"{error}; there are words for {', '.join(PACKS)}") from None
    return PACKS.get(code) or LanguagePack(code=code, speaks_numbers=False)
