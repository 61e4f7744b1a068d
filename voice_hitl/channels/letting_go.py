"""Letting go of what is not ours to wait for: a leg, a connection, a page."""

import logging
from collections.abc import Awaitable, Callable

import anyio

log = logging.getLogger(__name__)

LET_GO_S = 1.0
"""How long it may take, in seconds."""


async def let_go(what: str, closing: Callable[[], Awaitable[object]]) -> None:
    """Close something, `LET_GO_S` at most, whatever it does and whoever cancels us: an ending goes on to its end."""
    with anyio.move_on_after(LET_GO_S, shield=True) as scope:
        try:
            await closing()
        except Exception as error:
            log.warning("%s failed", what, exc_info=error)
    if scope.cancelled_caught:
        log.warning("%s took longer than %g s and was left", what, LET_GO_S)
