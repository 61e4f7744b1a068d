"""Digits to meaning. One reader a question; `now` is in seconds of any clock that only goes on."""

from typing import Final, cast

from voice_hitl.questions.model import MAX_DIGITS, Approval, Choice, Confirm, Number, Question, Text
from voice_hitl.speech.reading import Command, Match, NoMatch, Reading

PAUSE_S: Final = 2.5
"""How long after the last digit an answer of several digits is complete."""

_DIGITS: Final = frozenset("0123456789")
_BY_ONE_KEY: Final = 9
"""So many options are chosen by one key each."""


class Keypad:
    """Reads the keys pressed while a question is asked.

    A confirmation or an approval: `yes` and `no`. A choice: the number of the option; several options end with `#`, or
    after a pause, and where there are more than nine each is two keys ("03"). A number: its digits, then `#` or a
    pause; a code with a fixed number of digits needs neither. `*` repeats the question, or clears what was keyed. `0`
    asks for an operator, but within a number.

    Args:
        question: What is asked.
        yes: The key for a yes.
        no: The key for a no.
        pause_s: Seconds after the last digit when the answer is complete.
    """

    def __init__(self, question: Question, *, yes: str = "1", no: str = "2", pause_s: float = PAUSE_S) -> None:
        self._question = question
        self._yes = yes
        self._no = no
        self._pause_s = pause_s
        self._keyed = ""
        self._last = 0.0

    def press(self, key: str, now: float) -> Reading | None:
        """A key was pressed: what it completes, or None while more may come."""
        if isinstance(self._question, Confirm | Approval) and key in {self._yes, self._no}:
            return Match(key == self._yes, rule=f"key {key}")
        if key == "*":
            return self._clear()
        if key == "#":
            return self._complete() if self._keyed else NoMatch(rule="nothing was keyed")
        if key not in _DIGITS:
            return NoMatch(rule=f"no key of ours: {key[:8]!r}")
        return self._digit(key, now)

    def tick(self, now: float) -> Reading | None:
        """Time has passed: the answer that is complete by it, or None."""
        due = self.deadline()
        return None if due is None or now < due else self._complete()

    def deadline(self) -> float | None:
        """When to come back with `tick`; None while nothing is keyed."""
        return self._last + self._pause_s if self._keyed else None

    def _clear(self) -> Reading | None:
        if not self._keyed:
            return Command("repeat", rule="key *")
        self._keyed = ""
        return None

    def _digit(self, key: str, now: float) -> Reading | None:
        question = self._question
        if isinstance(question, Number):
            return self._number_digit(question, key, now)
        if key == "0" and not self._keyed and not self._two_keys_each:
            return Command("operator", rule="key 0")
        if not isinstance(question, Choice):
            return NoMatch(rule=f"key {key} answers nothing here")
        self._keep(key, now)
        if question.multi or not self._is_decided(len(question.options)):
            return None
        return self._complete()

    @property
    def _two_keys_each(self) -> bool:
        question = self._question
        return isinstance(question, Choice) and question.multi and len(question.options) > _BY_ONE_KEY

    def _is_decided(self, options: int) -> bool:
        """Whether no further digit could make it another option: "4" of twelve is the fourth, "1" may become "12"."""
        return int(self._keyed) * 10 > options

    def _keep(self, key: str, now: float) -> None:
        self._keyed += key
        self._last = now

    def _number_digit(self, question: Number, key: str, now: float) -> Reading | None:
        if len(self._keyed) == MAX_DIGITS:
            self._keyed = ""
            return NoMatch(rule="too many digits")
        self._keep(key, now)
        return self._complete() if question.digits == len(self._keyed) else None

    def _complete(self) -> Reading:
        keyed, self._keyed = self._keyed, ""
        if isinstance(self._question, Choice):
            return _options(self._question, keyed, 2 if self._two_keys_each else 1)
        # Only numbers and choices keep digits.
        return _number(cast("Number", self._question), keyed)


def can_be_keyed(question: Question) -> bool:
    """Whether keys alone can answer it: all but words of one's own."""
    return not isinstance(question, Text)


def _number(question: Number, keyed: str) -> Reading:
    value = int(keyed)
    if question.digits is not None and len(keyed) != question.digits:
        return NoMatch(rule=f"{len(keyed)} digits instead of {question.digits}")
    if question.minimum is not None and value < question.minimum:
        return NoMatch(rule=f"less than {question.minimum:g}")
    if question.maximum is not None and value > question.maximum:
        return NoMatch(rule=f"more than {question.maximum:g}")
    return Match(value if question.digits is None else keyed, rule="keyed")


def _options(question: Choice, keyed: str, width: int) -> Reading:
    if keyed == "0":
        return Command("operator", rule="key 0")
    if not question.multi:
        numbers = {int(keyed)}
    else:
        numbers = {int(keyed[start : start + width]) for start in range(0, len(keyed), width)}
    if not all(1 <= number <= len(question.options) for number in numbers):
        return NoMatch(rule=f"no option has the number {keyed}")
    values = [question.options[number - 1].value for number in sorted(numbers)]
    return Match(values if question.multi else values[0], rule="keyed")
