"""What can be asked, as data: `Confirm`, `Choice`, `Number`, `Text`, `Form`, `Approval`.

A question that could never be asked or never be answered is an `InvalidQuestion` where it is made.

Every kind has `sensitive`: what is answered is for the application alone, masked in events, stores and logs, and taken
aloud only where nobody else hears it; and `language`: the tag of the language that it is asked in (`en`, `pt-BR`), by
default the asker's, or the session's. What an answer's value looks like is said by `questions.check.check`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from voice_hitl.enums import RISKS, Risk
from voice_hitl.errors import InvalidQuestion
from voice_hitl.questions.language import language_of
from voice_hitl.questions.plain_text import is_blank, strip

MAX_DIGITS: Final = 64


def _no_details() -> Mapping[str, object]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One thing that can be chosen. `id` is what a choice by id answers with; without it the label is."""

    label: str
    description: str | None = None
    id: str | None = None

    @property
    def value(self) -> str:
        """What a choice of it answers with: its id, exactly; without one its label, without the space around it."""
        return self.id if self.id is not None else strip(self.label)


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirm:
    """Yes or no: the answer is a bool.

    `action` and `details` (values by name) are what would be done: a spoken question reads the decisive ones back. With
    `risk="high"` it is asked twice by voice, and marked on a card.
    """

    prompt: str
    action: str | None = None
    details: Mapping[str, object] = field(default_factory=_no_details)
    risk: Risk = "normal"
    sensitive: bool = False
    language: str | None = None

    def __post_init__(self) -> None:
        _is_tag(self.language)
        _needs_words(self.prompt, "the prompt of a confirmation")
        _is_known(self.risk)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One of some options, or several with `multi`. `header` is a short title for a card (a form's question has one).

    `free_text`: whether something that is no option is an answer too (true for the questions of a form).
    """

    prompt: str
    options: tuple[Option, ...]
    multi: bool = False
    header: str | None = None
    free_text: bool = False
    sensitive: bool = False
    language: str | None = None

    def __post_init__(self) -> None:
        _is_tag(self.language)
        _needs_words(self.prompt, "the prompt of a choice")
        if not self.options:
            raise InvalidQuestion("a choice needs at least one option")
        for option in self.options:
            if not isinstance(option, Option):  # pyright: ignore[reportUnnecessaryIsInstance] - a text is easily written
                raise InvalidQuestion(f"an option is Option(label=...), not {option!r}")
            _needs_words(option.label, "the label of an option")
            _needs_words(option.value, "the id of an option")
        if twice := _first_twice(option.value for option in self.options):
            raise InvalidQuestion(
                f"two options of {self.prompt[:80]!r} are {twice[:80]!r}: an answer could not tell them apart"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A number from `minimum` to `maximum`, both allowed; None: no bound. The answer is an int or a float.

    With `digits` (1 to 64) it is a code of exactly so many digits, kept as text: leading zeros count.
    """

    prompt: str
    minimum: float | None = None
    maximum: float | None = None
    digits: int | None = None
    sensitive: bool = False
    language: str | None = None

    def __post_init__(self) -> None:
        _is_tag(self.language)
        _needs_words(self.prompt, "the prompt of a number")
        if self.minimum is not None and self.maximum is not None and not self.minimum <= self.maximum:
            raise InvalidQuestion(f"no number is from {self.minimum} to {self.maximum}")
        if self.digits is not None and not 1 <= self.digits <= MAX_DIGITS:
            raise InvalidQuestion(f"a code has 1 to {MAX_DIGITS} digits")


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """Words, as said or written, at most `max_length` code points. `verbatim` keeps the white space around them."""

    prompt: str
    max_length: int = 8192
    verbatim: bool = False
    sensitive: bool = False
    language: str | None = None

    def __post_init__(self) -> None:
        _is_tag(self.language)
        _needs_words(self.prompt, "the prompt of a text")
        if self.max_length < 1:
            raise InvalidQuestion("a text that may have no characters cannot be given")


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """Several questions asked as one request, answered together. An answer names each by its prompt."""

    questions: tuple[Choice, ...]
    sensitive: bool = False
    language: str | None = None

    def __post_init__(self) -> None:
        _is_tag(self.language)
        if not self.questions:
            raise InvalidQuestion("a form needs at least one question")
        for question in self.questions:
            if not isinstance(question, Choice):  # pyright: ignore[reportUnnecessaryIsInstance] - so is another kind
                raise InvalidQuestion(f"the questions of a form are choices: {question!r} is none")
        if twice := _first_twice(strip(question.prompt) for question in self.questions):
            raise InvalidQuestion(f"two questions are {twice[:80]!r}: an answer could not tell them apart")


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """May this tool run with these arguments? `digest` binds the answer to exactly them.

    `parameters` is the JSON Schema of the tool's arguments: its titles name them to a person, and edits are validated
    against the whole of it. Without it the edits of an answer are still to be validated by whoever runs the tool.
    """

    tool: str
    arguments: Mapping[str, object]
    digest: str
    allow_edits: bool = False
    parameters: Mapping[str, object] | None = None
    risk: Risk = "normal"
    title: str | None = None
    speak: str | None = None
    sensitive: bool = False
    language: str | None = None

    def __post_init__(self) -> None:
        _is_tag(self.language)
        _needs_words(self.tool, "the tool of an approval")
        _needs_words(self.digest, "the digest of an approval")
        _is_known(self.risk)


Question = Confirm | Choice | Number | Text | Form | Approval


def _needs_words(text: str, what: str) -> None:
    if is_blank(text):
        raise InvalidQuestion(f"{what} is blank: it needs something to read")


def _is_tag(language: str | None) -> None:
    if language is None:
        return
    # A mistyped one would leave only the keys to answer with.
    try:
        language_of(language)
    except ValueError as error:
        raise InvalidQuestion(str(error)) from None


def _is_known(risk: str) -> None:
    # A mistyped one would pass for normal, and be asked once.
    if risk not in RISKS:
        raise InvalidQuestion(f'a risk is "normal" or "high", not {risk!r}')


def _first_twice(values: Iterable[str]) -> str | None:
    seen: set[str] = set()
    for value in values:
        if value in seen:
            return value
        seen.add(value)
    return None
