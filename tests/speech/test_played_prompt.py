"""What is being asked, and how far it was heard."""

from voice_hitl.speech.effects import Sentence
from voice_hitl.speech.played_prompt import PlayedPrompt


def test_prompts_without_a_decisive_sentence_are_decided_at_their_end() -> None:
    prompt = PlayedPrompt((Sentence("One."), Sentence("Two.")))
    prompt.heard(0, 1.0, 2.0)
    assert prompt.decisive_end is None
    prompt.heard(1, 2.0, 3.0)
    assert prompt.decisive_end == 3.0
    assert not prompt.may_echo(0.5)
    assert prompt.may_echo(3.1)
