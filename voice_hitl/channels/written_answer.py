"""A chat model's answer while it is written: what of it is words, and the call that it writes instead of issuing it."""

from voice_hitl.calls.recovery import Recovered, find_call, last_start, may_begin, without_responses
from voice_hitl.calls.spoken_forms import Tools


class WrittenAnswer:
    """One answer. What could be the beginning of a call is held back until it is known to be words.

    Args:
        tools: The tools that a call is looked for to; none: everything is words.
    """

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._written = ""
        self._shown = 0
        self._read = 0
        self.words = ""
        """What of it is words, so far."""

    def write(self, text: str) -> str:
        """More of it; return the words that may be shown now."""
        self._written += text
        if not self._tools:
            return self._show(self._written, len(self._written))
        clean = without_responses(self._written)
        # What was read already is not read again: an answer may be long, and comes in many pieces.
        self._read = min(self._read, len(clean))
        tail = clean[self._read :]
        start = may_begin(tail, self._tools)
        end = len(clean) if start is None else self._read + start
        self._read += last_start(tail) if start is None else start
        return self._show(clean, end)

    def end(self, *, whole: bool = True) -> tuple[str, Recovered | None]:
        """Nothing more comes: the words that were held back, and the call, if there is one.

        `whole`: whether it was written to its end; of one that was cut no call is taken, and no half of one is shown.
        """
        if not self._written:
            return "", None
        clean = without_responses(self._written) if self._tools else self._written
        found = find_call(clean, self._tools) if self._tools and whole else None
        if found is not None:
            rest = self._show(clean, found.start)
            self.words = self.words.rstrip()
            return rest.rstrip(), found
        return (self._show(clean, len(clean)) if whole or not self._tools else ""), None

    def _show(self, text: str, end: int) -> str:
        self._shown = min(self._shown, len(text))
        new = text[self._shown : end]
        if new:
            self._shown = end
            self.words += new
        return new
