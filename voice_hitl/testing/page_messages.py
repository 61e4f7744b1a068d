"""What a page of a caller, or of a participant, is sent: counted, and expected message by message."""

import json
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Final, cast

from voice_hitl.testing.record import WITHIN_S, Record, differences, show

COMMENTARY: Final = ("call.state", "transcript", "heard")
"""Messages that only tell how the call goes, which a page counts and does not expect, unless it watches them."""


class PageMessages:
    """The messages to one page. What is no JSON object comes out as one of the type `malformed`."""

    def __init__(self, whose: str, ignore: Collection[str] = COMMENTARY) -> None:
        self.counts: Counter[str] = Counter()
        """How many messages of each type came to the page, ignored ones too."""
        self._ignored = set(ignore)
        self._messages: Record[Mapping[str, object]] = Record(whose)

    async def message(self, *, type: str, within_s: float = WITHIN_S, **fields: object) -> Mapping[str, object]:
        """Return the next message to the page, which must be of this type with these fields.

        Args:
            type: What its `type` must be.
            within_s: How long to wait for it, in seconds of the loop's clock.
            fields: What its fields must be; those not named may be anything. A compiled pattern is searched for.

        Raises:
            AssertionError: Another message came, or none did.
        """
        wanted = {"type": type, **fields}
        return await self._messages.expect(
            show("message", wanted), lambda message: differences(wanted, message), within_s=within_s
        )

    async def expect_nothing(self, *, for_s: float) -> None:
        """Wait so many seconds of the loop's clock, in which no message must come; `AssertionError` otherwise."""
        await self._messages.expect_nothing(for_s=for_s)

    def ignore(self, *types: str) -> None:
        """Only count messages of these types from now on."""
        self._ignored.update(types)

    def watch(self, *types: str) -> None:
        """Expect messages of these types again from now on."""
        self._ignored.difference_update(types)

    def done(self) -> None:
        """Every message must have been expected; `AssertionError` otherwise."""
        self._messages.done()

    def take_message(self, text: str) -> None:
        """A message came to the page."""
        try:
            message: object = json.loads(text)
        except ValueError:
            message = None
        if not isinstance(message, dict):
            message = {"type": "malformed", "text": text}
        fields = cast("dict[str, object]", message)
        kind = str(fields.get("type"))
        self.counts[kind] += 1
        if kind not in self._ignored:
            self._messages.add(fields)
