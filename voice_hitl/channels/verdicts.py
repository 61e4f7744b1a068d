"""What became of a message of the page, and the memory that gives the same message the same verdict twice."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

import anyio

from voice_hitl.messages import Code, Outcome


@dataclass(frozen=True, slots=True)
class Done:
    """It did what it asked for."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """It did nothing; `outcome` says how its request had ended, where it came too late."""

    code: Code
    why: str
    outcome: Outcome | None = None


Verdict = Done | Refusal
DONE: Final = Done()


class Verdicts:
    """Remembers the verdicts of the last keys: a message sent again under its key is told what the first one was.

    Args:
        most: How many keys are remembered; the oldest is forgotten first.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: OrderedDict[str, _Pending] = OrderedDict()

    async def once(self, key: str | None, judge: Callable[[], Awaitable[Verdict]]) -> Verdict:
        """Return the verdict of `key`, from `judge` the first time; one that is still being made is waited for."""
        if key is None:
            return await judge()
        known = self._known.get(key)
        if known is not None:
            await known.made.wait()
            return known.verdict
        pending = self._known[key] = _Pending()
        while len(self._known) > self._most:
            self._known.popitem(last=False)
        try:
            pending.verdict = await judge()
        except BaseException:
            # Nothing was decided: the same message may be tried again.
            self._known.pop(key, None)
            raise
        finally:
            pending.made.set()
        return pending.verdict


class _Pending:
    def __init__(self) -> None:
        self.made = anyio.Event()
        self.verdict: Verdict = Refusal("unknown", "the call ended before this was decided")
