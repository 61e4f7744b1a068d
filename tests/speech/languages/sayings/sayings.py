"""`Sayings`: what a caller may say in one language, and what it means."""

from dataclasses import dataclass

from voice_hitl.speech.reading import CommandName


@dataclass(frozen=True, kw_only=True)
class Sayings:
    """The same things, said in one language. Every reading is of `question` or `options` unless it says otherwise."""

    language: str
    question: str
    """A Confirm that names two people and seven o'clock."""
    assent: tuple[str, ...]
    refusal: tuple[str, ...]
    neither: tuple[str, ...]
    no_and_a_change: tuple[tuple[str, str], ...]
    """Each with its remainder."""
    yes_and_a_question: tuple[tuple[str, str], ...]
    """Each with its remainder."""
    open_question: str
    """A Confirm that names no day."""
    yes_and_a_detail: str
    """A yes to it, with a day."""
    commands: tuple[tuple[str, CommandName], ...]
    options: tuple[str, str, str]
    """A red box, a blue box, a green crate."""
    choices: tuple[tuple[str, int], ...]
    """Each with the place of its option."""
    first_and_third: str
    every: str
    none: str
    first_or_second: str
    digits: tuple[tuple[str, str], ...]
    numbers: tuple[tuple[str, float], ...]
    whatever: str
    """An answer to a form as a whole."""
