"""The sentences that are being said, as parts of a line: what is heard of them, and in which words."""

from typing import assert_never

from voice_hitl.line import PartBegan, PartCut, PartHeard, PartWorded
from voice_hitl.speech.effects import Effect, GaveUp, Sentence, Stop
from voice_hitl.speech.spoken import SpokenQuestion
from voice_hitl.speech.verbatim import says

MISSPOKEN = 2
"""How often the model's voice may say something else than it is given before another asker is left to ask."""

PartEvent = PartBegan | PartHeard | PartWorded | PartCut


class Parts:
    """Tells a dialogue what was heard of its sentences.

    Args:
        question: The dialogue.
        language: The language spoken.
        checked: Whether the voice may say something else than it is given: a sentence then counts as heard only once
            it is known that it was said in its own words.
    """

    def __init__(self, question: SpokenQuestion, language: str, *, checked: bool) -> None:
        self._question = question
        self._language = language
        self._checked = checked
        self._sentences: tuple[Sentence, ...] = ()
        self._right: set[int] = set()
        self._heard: dict[int, PartHeard] = {}
        """Parts that were heard before their words are known."""
        self._misspoken = 0
        self.first = 0

    def say(self, sentences: tuple[Sentence, ...], first: int) -> None:
        """These are being said from now on, from the part `first` on."""
        self._sentences, self.first = sentences, first
        self._heard.clear()

    def on(self, event: PartEvent) -> list[Effect]:
        """Something of them was heard, or said, or cut."""
        index, sure = event.part - self.first, not self._checked or event.part in self._right
        if index < 0:
            return []
        match event:
            case PartBegan():
                self._question.playing(index, event.at)
            case PartHeard() if not sure:
                self._heard[event.part] = event
            case PartHeard():
                self._question.played(index, event.began, event.at)
            case PartCut():
                self._question.cut(index, event.began, event.at, event.left if sure else None)
            case PartWorded():
                return self._worded(event, index)
            case _:
                assert_never(event)
        return []

    def _worded(self, event: PartWorded, index: int) -> list[Effect]:
        if not self._checked or index >= len(self._sentences):
            return []
        if says(self._sentences[index].text, event.text, language=self._language):
            self._right.add(event.part)
            heard = self._heard.pop(event.part, None)
            return self.on(heard) if heard is not None else []
        self._misspoken += 1
        return [Stop(), GaveUp(0)] if self._misspoken > MISSPOKEN else self._question.misspoken()
