"""What the caller hears beside a question: that somebody else is being asked, and that somebody else has answered.

None of it claims that anything was done: that is the model's to say, from the result.
"""

import logging
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from voice_hitl.speech.languages import PACKS, pack_for

log = logging.getLogger(__name__)

HOLD_LINES: Final[Mapping[str, tuple[str, ...]]] = {
    "en": ("One moment, I am checking with a colleague.", "I am still waiting for an answer. Thank you for holding."),
    "fr": ("Un instant, je demande à un collègue.", "J'attends encore une réponse. Merci de patienter."),
    "de": (
        "Einen Moment, ich frage bei einem Kollegen nach.",
        "Ich warte noch auf eine Antwort. Danke für Ihre Geduld.",
    ),
    "es": ("Un momento, lo consulto con un compañero.", "Sigo esperando una respuesta. Gracias por esperar."),
    "it": ("Un momento, chiedo a un collega.", "Aspetto ancora una risposta. Grazie per l'attesa."),
    "pt": ("Um momento, vou perguntar a um colega.", "Ainda estou à espera de uma resposta. Obrigado por aguardar."),
    "nl": ("Een moment, ik vraag het een collega.", "Ik wacht nog op een antwoord. Bedankt voor het wachten."),
}
"""Said while somebody else is being asked: the first first, then the others in turn."""

CONFIRMED_ELSEWHERE: Final[Mapping[str, str]] = {
    "en": "All right, that was just confirmed.",
    "fr": "Très bien, cela vient d'être confirmé.",
    "de": "Gut, das wurde gerade bestätigt.",
    "es": "De acuerdo, se acaba de confirmar.",
    "it": "Va bene, è stato appena confermato.",
    "pt": "Muito bem, isso acabou de ser confirmado.",
    "nl": "Goed, dat is zojuist bevestigd.",
}
ANSWERED_ELSEWHERE: Final[Mapping[str, str]] = {
    "en": "All right, that was just answered.",
    "fr": "Très bien, on vient d'y répondre.",
    "de": "Gut, das wurde gerade beantwortet.",
    "es": "De acuerdo, se acaba de responder.",
    "it": "Va bene, è appena arrivata una risposta.",
    "pt": "Muito bem, isso acabou de ser respondido.",
    "nl": "Goed, daar is zojuist op geantwoord.",
}


def code_of(language: str) -> str:
    """The language of a tag whose words we have; else English."""
    code = pack_for(language).code
    return code if code in HOLD_LINES else "en"


@lru_cache(maxsize=64)
def warn_without_words(language: str) -> None:
    """Say once of a language that we have no words for how little of it is understood."""
    if pack_for(language).code not in PACKS:
        log.warning(
            "there are no words for the language %r, only for %s: it is asked in English, but for `prompts` of your"
            " own, and answered by key, by the exact words of an option, or by digits",
            language,
            ", ".join(PACKS),
        )
