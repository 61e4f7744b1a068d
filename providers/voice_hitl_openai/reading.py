"""Reading one message with the readers of a protocol. Pure."""

from collections.abc import Callable, Collection, Mapping
from typing import Final, TypeVar

from voice_hitl_openai.fields import MOST_ID_CHARS, Json, Malformed, message_of
from voice_hitl_openai.messages import Meaningless, Unknown, Unreadable

MOST_ARGUMENT_CHARS: Final = 1_048_576
"""Longer arguments of a call are cut, and so come out unreadable at intake: the call is refused, not lost."""

MEANINGLESS: Final = Meaningless()

M = TypeVar("M")


def read_message(
    raw: bytes | str, readers: Mapping[str, Callable[[Json], M]], silent: Collection[str]
) -> M | Meaningless | Unknown | Unreadable:
    """Read one message. Never raises.

    Args:
        raw: What came.
        readers: What reads each type that means something.
        silent: The types that are known to mean nothing to us.
    """
    try:
        kind, message = message_of(raw)
    except Malformed as malformed:
        return Unreadable(str(malformed))
    read = readers.get(kind)
    if read is None:
        return MEANINGLESS if kind in silent else Unknown(kind[:MOST_ID_CHARS])
    try:
        return read(message)
    except Malformed as malformed:
        return Unreadable(f"{kind}: {malformed}")
