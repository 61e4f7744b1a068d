"""What the caller hears of a task that came to nothing: one fixed sentence each.

None of them claims that anything was done, or that nothing was: calls of the task may have run before it ended.
"""

from collections.abc import Mapping
from typing import Final, Literal

from voice_hitl.speech.languages import pack_for

InVain = Literal["no_output", "failed", "timed_out", "cut_short"]
"""How a task can come to nothing."""

_WORDS: Final[Mapping[str, Mapping[InVain, str]]] = {
    "en": {
        "no_output": "I have found no answer to that.",
        "failed": "Something went wrong while I was working on that.",
        "timed_out": "That is taking too long, so I have stopped working on it.",
        "cut_short": "I could not finish what I was working on.",
    },
    "fr": {
        "no_output": "Je n'ai pas trouvé de réponse à cela.",
        "failed": "Un problème est survenu pendant que je m'en occupais.",
        "timed_out": "Cela prend trop de temps, j'ai donc arrêté.",
        "cut_short": "Je n'ai pas pu terminer ce que je faisais.",
    },
    "de": {
        "no_output": "Darauf habe ich keine Antwort gefunden.",
        "failed": "Dabei ist etwas schiefgegangen.",
        "timed_out": "Das dauert zu lange, deshalb habe ich damit aufgehört.",
        "cut_short": "Ich konnte das nicht zu Ende bringen.",
    },
    "es": {
        "no_output": "No he encontrado respuesta a eso.",
        "failed": "Algo ha fallado mientras me ocupaba de ello.",
        "timed_out": "Está tardando demasiado, así que lo he dejado.",
        "cut_short": "No he podido terminar lo que estaba haciendo.",
    },
    "it": {
        "no_output": "Non ho trovato una risposta.",
        "failed": "Qualcosa è andato storto mentre me ne occupavo.",
        "timed_out": "Ci vuole troppo tempo, quindi mi sono fermato.",
        "cut_short": "Non sono riuscito a finire quello che stavo facendo.",
    },
    "pt": {
        "no_output": "Não encontrei resposta para isso.",
        "failed": "Algo correu mal enquanto tratava disso.",
        "timed_out": "Está a demorar demasiado, por isso parei.",
        "cut_short": "Não consegui terminar o que estava a fazer.",
    },
    "nl": {
        "no_output": "Daar heb ik geen antwoord op gevonden.",
        "failed": "Er ging iets mis terwijl ik daarmee bezig was.",
        "timed_out": "Dat duurt te lang, dus ik ben ermee gestopt.",
        "cut_short": "Ik kon dat niet afmaken.",
    },
}


def words_for(how: InVain, language: str) -> str:
    """The sentence in this language; in English where we have none."""
    return _WORDS.get(pack_for(language).code, _WORDS["en"])[how]
