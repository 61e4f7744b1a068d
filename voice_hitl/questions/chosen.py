"""The answer to a choice: options, exactly as they are named, or the person's own words where the choice takes them."""

from collections.abc import Sequence
from typing import Final, cast

from voice_hitl.errors import InvalidAnswer
from voice_hitl.questions.model import Choice
from voice_hitl.questions.plain_text import plain_text, strip

MAX_WORDS: Final = 8192
"""Code points of one text of an answer."""

MAX_TEXTS: Final = 4
"""How many texts answer one question, where it has no more options than that."""

_QUOTED: Final = 80


def check_choice(choice: Choice, value: object) -> str | list[str]:
    """Return the value of the chosen option, or a list of distinct ones with `multi`.

    Raises:
        InvalidAnswer: It is no option (and `choice` takes no other words), or too many.
    """
    if not isinstance(value, str) and not choice.multi and not choice.free_text:
        raise InvalidAnswer("choose one option, as a text")
    return pick(choice, as_texts(value, "the choice", most=max(MAX_TEXTS, len(choice.options))))


def as_texts(value: object, what: str, *, most: int) -> list[str]:
    """Return a text, or 1 to `most` texts, as a list of them, none blank and none longer than `MAX_WORDS`."""
    texts: Sequence[object] = [value]
    if isinstance(value, list | tuple):
        texts = cast("list[object] | tuple[object, ...]", value)
        if not 1 <= len(texts) <= most:
            raise InvalidAnswer(f"{what} has {len(texts)} texts: 1 to {most} are an answer")
    for text in texts:
        try:
            plain_text(text, maximum=MAX_WORDS)
        except ValueError as fault:
            raise InvalidAnswer(f"{what} {fault}") from None
    return cast("list[str]", list(texts))


def pick(choice: Choice, texts: Sequence[str]) -> str | list[str]:
    """Read each text as an option or as the person's own words; not both in one answer.

    An option's id counts exactly as it is written, a label without the space around it. Any other spelling of a label
    is the person's own words.
    """
    by_value = {option.value: option for option in choice.options}
    chosen: list[str] = []
    words: list[str] = []
    for text in texts:
        stripped = strip(text)
        if text in by_value:
            chosen.append(text)
        elif stripped in by_value and by_value[stripped].id is None:
            chosen.append(stripped)
        else:
            words.append(stripped)
    if words and not choice.free_text:
        options = ", ".join(_quoted(value) for value in by_value)
        raise InvalidAnswer(f"{_quoted(words[0])} is none of the options: {options}")
    if words and chosen:
        raise InvalidAnswer(
            f"{_quoted(chosen[0])} is an option and {_quoted(words[0])} is not: choose, or answer in other words"
        )
    if choice.multi:
        return list(dict.fromkeys(chosen or words))
    if len(chosen) > 1:
        raise InvalidAnswer(f"{len(chosen)} options were chosen: this question takes one")
    return chosen[0] if chosen else words[0] if len(words) == 1 else words


def _quoted(text: str) -> str:
    return repr(text if len(text) <= _QUOTED else text[:_QUOTED] + "...")
