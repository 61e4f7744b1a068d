"""The port between a session and the page, or the pages, of those in it."""

from collections.abc import Mapping
from typing import Protocol

from voice_hitl.asker import Page
from voice_hitl.channels.page_tools import PageTools
from voice_hitl.messages import CallState
from voice_hitl.provider import Role
from voice_hitl.transport import HangUpReason


class CallPage(Page, Protocol):
    """What a session tells the page in the call, or each page of a room, and takes from it. Nothing here raises."""

    @property
    def tools(self) -> PageTools | None:
        """The tools that the page offers, where its session takes any."""
        ...

    def connected(self) -> None:
        """A page connects again: it gets what it missed."""
        ...

    def call_state(self, state: CallState, reason: HangUpReason | None = None) -> None:
        """Say where the call stands."""
        ...

    def transcript(self, role: Role, text: str, *, final: bool, item: str) -> None:
        """Show what was said."""
        ...

    def tell(self, type: str, body: Mapping[str, object]) -> None:
        """Send an application's own message; `TooLarge` where it is longer than 64 KiB."""
        ...

    def preparing(self, call_id: str, tool_name: str) -> None:
        """A call to a person's tool begins, its arguments still stream."""
        ...

    def prepared(self, call_id: str) -> None:
        """That call is over, whether or not anything was asked."""
        ...

    async def handle(self, text: str, *, by: str) -> None:
        """Do what a message of the page of participant `by` asks for, and answer it."""
        ...
