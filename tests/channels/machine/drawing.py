"""Drawing what happens: evenly. Hypothesis draws seeds, and leaves steps out at the end when one fails.

Its own draws are not even: what it has drawn once it likes to draw again, and many states are then never reached.
"""

from collections.abc import Callable
from random import Random
from typing import Final

from hypothesis import strategies as st

Event = Callable[[Random], None]
"""Something that may happen: it draws how."""

SEEDS: Final = st.integers(0, 2**32 - 1)

MANY: Final = (1, 1, 1, 2, 3)
"""How many things may happen in one tick."""

WAITS_S: Final = (0.0, 0.0, 0.0, 0.3, 0.3, 1.5, 1.5, 5.0, 13.0, 25.0)
"""How long it may be quiet then, in seconds."""


def chance_of(seed: int) -> Random:
    """What draws: for the same seed the same."""
    return Random(seed)
