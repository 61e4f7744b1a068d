"""The languages that answers are read in, a module each."""

from voice_hitl.speech.languages.en import ENGLISH
from voice_hitl.speech.languages.pack import LanguagePack

PACKS = {pack.code: pack for pack in (ENGLISH,)}


def pack_for(language: str) -> LanguagePack:
    """The pack of a language tag ("fr", "pt-BR"); of a language we do not have, a pack without words.

    Without words a question still has its keys, its exact labels and its digits.
    """
    code = language.replace("_", "-").split("-")[0].lower()
    return PACKS.get(code) or LanguagePack(code=code, speaks_numbers=False)
