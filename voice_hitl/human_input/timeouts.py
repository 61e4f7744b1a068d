"""How long a person has, or a wait lasts: what is a number of seconds, and how it is said."""

from typing import Final

LONGEST_S: Final = 10 * 365 * 86_400.0
"""Ten years. What is longer is meant to be None: no end of its own."""


def check_timeout(seconds: float | None) -> None:
    """Refuse what is no time to wait; None is as long as the request lives.

    Raises:
        ValueError: It is zero or less, not a number, or longer than ten years.
    """
    if seconds is not None and not 0 < seconds <= LONGEST_S:
        raise ValueError(f"a timeout is more than 0 seconds and at most ten years, or None; not {seconds:g}")


def in_seconds(seconds: float) -> str:
    """Say it as the model reads it: `300s`, `0.5s`."""
    return f"{seconds:.10g}s"
