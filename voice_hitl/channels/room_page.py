"""`RoomPage`: the pages of those in a room, as their session sees them: each shows what is asked of its participant."""

import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial

from voice_hitl.asker import Asking
from voice_hitl.channels.page import SessionPage
from voice_hitl.messages import CallState
from voice_hitl.provider import Role
from voice_hitl.transport import HangUpReason

log = logging.getLogger(__name__)


class RoomPage:
    """One page for each participant of a room (`CallPage`): a card goes to those who are asked, and to nobody else.

    Whoever is asked and comes later sees the card then.

    Args:
        send: Sends a text to the page of a participant (text, participant); never waits, never raises.
        participants: Who is in the room.
        reachable: Whether messages go to participants at all.
        on_digit: Is told each key of an on-screen keypad, and whose it is (digit, participant).
    """

    def __init__(
        self,
        send: Callable[[str, str], None],
        *,
        participants: Sequence[str],
        reachable: bool,
        on_digit: Callable[[str, str], None],
    ) -> None:
        self._send = send
        self._reachable = reachable
        self._on_digit = on_digit
        self._call: tuple[CallState, HangUpReason | None] = ("connecting", None)
        self._open: list[Asking] = []
        self._pages = {each: self._page(each) for each in participants}

    @property
    def participants(self) -> tuple[str, ...]:
        """Who is in the room, as far as the session has heard."""
        return tuple(self._pages)

    @property
    def tools(self) -> None:
        """Nobody's page offers tools to a model that all in the room hear."""
        return

    @property
    def reachable(self) -> bool:
        """Whether messages go to participants at all."""
        return self._reachable

    # --- who is there ------------------------------------------------------------------------------------------------

    def joined(self, participant: str) -> None:
        """Somebody is there: their page gets the state of the call and the cards that are theirs. Again: once more."""
        page = self._pages.get(participant)
        if page is not None:
            page.connected()
            return
        page = self._pages[participant] = self._page(participant)
        page.call_state(*self._call)
        for asking in self._open:
            if _is_for(participant, asking):
                page.open(asking)

    def left(self, participant: str) -> None:
        """Somebody is not there any more."""
        self._pages.pop(participant, None)

    def connected(self) -> None:
        """Tell every page what it may have missed."""
        for page in self._pages.values():
            page.connected()

    # --- to the pages ------------------------------------------------------------------------------------------------

    def call_state(self, state: CallState, reason: HangUpReason | None = None) -> None:
        """Say to all where the call stands."""
        self._call = state, reason
        for page in self._pages.values():
            page.call_state(state, reason)

    def transcript(self, role: Role, text: str, *, final: bool, item: str) -> None:
        """Show all what was said."""
        for page in self._pages.values():
            page.transcript(role, text, final=final, item=item)

    def tell(self, type: str, body: Mapping[str, object]) -> None:
        """Send an application's own message to all; `TooLarge` where it is longer than 64 KiB."""
        for page in self._pages.values():
            page.tell(type, body)

    def preparing(self, call_id: str, tool_name: str) -> None:
        """Nothing is shown yet: whom it is for is known with the question."""

    def prepared(self, call_id: str) -> None:
        """Nothing was shown."""

    def open(self, asking: Asking) -> bool:
        """Show the request as a card to those who may answer it. False: it does not fit a message."""
        shown = [page.open(asking) for each, page in self._pages.items() if _is_for(each, asking)]
        if not all(shown):
            return False
        self._open.append(asking)
        return True

    def changed(self, asking: Asking) -> None:
        """Say that the request's clock started, or who asks it now."""
        for page in self._pages.values():
            page.changed(asking)

    def settle(self, asking: Asking) -> None:
        """Close the cards and show how the request ended."""
        if asking in self._open:
            self._open.remove(asking)
        for page in self._pages.values():
            page.settle(asking)

    # --- from the pages ----------------------------------------------------------------------------------------------

    async def handle(self, text: str, *, by: str) -> None:
        """Do what a message of the page of participant `by` asks for, and answer it."""
        page = self._pages.get(by)
        if page is None:
            log.info("a message of %s, who is not in the room, was let go", by)
        else:
            await page.handle(text, by=by)

    def _page(self, participant: str) -> SessionPage:
        return SessionPage(
            lambda text: self._send(text, participant),
            now=lambda: datetime.now(UTC),
            reachable=lambda: self._reachable,
            on_digit=partial(_and_whose, self._on_digit, participant),
        )


def _is_for(participant: str, asking: Asking) -> bool:
    audience = asking.request.audience
    return not audience or participant in audience


def _and_whose(on_digit: Callable[[str, str], None], participant: str, digit: str) -> None:
    on_digit(digit, participant)
