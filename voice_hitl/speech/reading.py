"""How an utterance was read: `Match`, `NoMatch` or `Command`."""

from dataclasses import dataclass, field
from typing import Literal

CommandName = Literal["repeat", "wait", "options", "operator", "never_mind"]
"""What a person may say instead of an answer, whatever is being asked."""


@dataclass(frozen=True, slots=True)
class Match:
    """It answers the question.

    Args:
        value: The answer in the shape of the question's kind: a bool (confirm, approval), the value of an option
            (choice) or several in the question's order (`multi`), an int, a float or a string of digits (number), a
            string (text), or `{"answers": {}, "response": text}` (form) where the person's words answer all of it.
        remainder: What was said beyond the answer, in the person's words: a question, a detail, the change they want.
        rule: Why it was read so, for the evidence; no part of the meaning.
    """

    value: object
    remainder: str | None = None
    rule: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class NoMatch:
    """It does not answer the question.

    Args:
        between: The labels it could mean, where it is one of several.
        rule: Why; `"aside: ..."` where it is worth handing to the model while the question stays open.
    """

    between: tuple[str, ...] = ()
    rule: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Command:
    """It steers the dialogue and answers nothing."""

    name: CommandName
    rule: str = field(default="", compare=False)


Reading = Match | NoMatch | Command
