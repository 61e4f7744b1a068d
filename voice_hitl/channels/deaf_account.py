"""What a model is told, once it has the floor again, that was held by not hearing the caller."""

from collections import OrderedDict
from typing import Final

from voice_hitl.enums import RequestEnd
from voice_hitl.provider import Transcript
from voice_hitl.questions.model import Approval, Form
from voice_hitl.requests.pending import MASKED, PendingInput

MOST_CHARS: Final = 300
"""How much of one thing that was said, asked or answered is told."""

MOST_SAID: Final = 8
"""How many of the caller's utterances are told, the last ones."""


class DeafAccount:
    """What was asked, answered and said while the model heard nothing, and what it said itself to nobody.

    Args:
        request: What the caller is asked, live; None where it is not known.
    """

    def __init__(self, request: PendingInput | None) -> None:
        self._request = request
        self._said: list[str] = []
        self._last = ""
        self._asides: list[str] = []
        self._unheard: OrderedDict[str, str] = OrderedDict()

    def caller_said(self, text: str) -> None:
        """The caller was heard to say this. Of a sensitive question nothing is kept."""
        self._last = "" if text == MASKED or self._is_sensitive else text.strip()
        if self._last:
            self._said = [*self._said, self._last][-MOST_SAID:]

    def aside(self) -> None:
        """What was said last was no answer, and is for the model."""
        if self._last:
            self._asides.append(self._last)

    def model_plays(self, item_id: str) -> None:
        """Some of this item of the model's was played to nobody."""
        self._unheard.setdefault(item_id, "")

    def model_wrote(self, line: Transcript) -> bool:
        """The words of something that the model says: whether nobody heard them."""
        if line.item_id not in self._unheard:
            return False
        self._unheard[line.item_id] = line.text if line.final else self._unheard[line.item_id] + line.text
        return True

    @property
    def asides(self) -> tuple[str, ...]:
        """What is for the model, as the caller said it."""
        return tuple(self._asides)

    def text(self) -> str:
        """The one instruction."""
        lines = ["While the caller was asked something, you did not hear them, and they did not hear you."]
        if self._request is not None:
            lines.append(f"They were asked: {_asked(self._request)}.")
        lines.append(self._answer())
        if self._said:
            lines.append(f"What they said meanwhile: {', '.join(_quoted(text) for text in self._said)}.")
        if self._asides:
            lines.append(f"Not answered yet, and for you to answer: {', '.join(map(_quoted, self._asides))}.")
        unheard = [text.strip() for text in self._unheard.values() if text.strip()]
        if unheard:
            lines.append(f"What you said meanwhile was not heard: {_quoted(' '.join(unheard))}.")
        return " ".join(lines)

    @property
    def _is_sensitive(self) -> bool:
        return self._request is not None and self._request.sensitive

    def _answer(self) -> str:
        request = self._request
        if request is None or request.end is None:
            return "It is not answered yet: nothing has been done."
        match request.end:
            case RequestEnd.ANSWERED if request.sensitive or request.result is None:
                return "It was answered; the answer is not repeated here."
            case RequestEnd.ANSWERED:
                return f"It was answered: {_quoted(request.result or '')}."
            case RequestEnd.REFUSED | RequestEnd.BLOCKED:
                return "It was declined."
            case _:
                return "It was not answered, and nothing has been done."


def _asked(request: PendingInput) -> str:
    question = request.question
    if question is None or isinstance(question, Approval):
        return f"whether {request.tool_name} may run"
    if isinstance(question, Form):
        return ", ".join(_quoted(each.prompt) for each in question.questions)
    return _quoted(question.prompt)


def _quoted(text: str) -> str:
    whole = " ".join(text.split())
    cut = whole if len(whole) <= MOST_CHARS else whole[: MOST_CHARS - 3] + "..."
    return '"' + cut.replace('"', "'") + '"'
