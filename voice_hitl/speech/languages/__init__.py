"""The languages that answers are read in, a module each."""

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
    """
    code = language.replace("_", "-").split("-")[0].lower()
    return PACKS.get(code) or LanguagePack(code=code, speaks_numbers=False)
