"""Words as the answer, and an answer in words to a whole form."""

from voice_hitl.questions.model import Form, Text
from voice_hitl.speech.lexicon import Lexicon
from voice_hitl.speech.reading import Match, NoMatch
from voice_hitl.speech.words import Words


def read_text(question: Text, words: Words) -> Match | NoMatch:
    """What was said is the answer."""
    text = words.text.strip()
    if not words.folded:
        return NoMatch(rule="nothing was said")
    if len(text) > question.max_length:
        return NoMatch(rule=f"longer than {question.max_length} characters")
    return Match(text, rule="what was said")


def read_form(question: Form, words: Words, lexicon: Lexicon) -> Match | NoMatch:
    """Whether the person answers all of it at once ("just do whatever is cheapest"); else question by question."""
    for phrase in lexicon.leave_it:
        for index in range(len(words.folded)):
            if words.folded[index : index + len(phrase)] == phrase:
                return Match({"answers": {}, "response": words.text.strip()}, rule="leaves it to us")
    return NoMatch(rule=f"not for all {len(question.questions)} questions at once")
