"""The port to knowing who an operator is: a token goes in, an `Operator` comes out."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from voice_hitl.errors import VoiceHitlError


class NotAuthenticated(VoiceHitlError):  # noqa: N818 - named by its cause
    """The token is none of ours, or no longer. Its text never quotes it."""


@dataclass(frozen=True, slots=True)
class Operator:
    """Somebody who may use the console.

    Args:
        user: Their name, as it is shown to others and recorded with what they answer.
        roles: What they are: these are the names in a request's audience.
        token_id: What tells the token from every other one.
        expires_at: Until when it counts (UTC).
    """

    user: str
    roles: frozenset[str]
    token_id: str = field(repr=False)
    expires_at: datetime

    @property
    def names(self) -> frozenset[str]:
        """What a request's audience may call them."""
        return self.roles | {self.user}


class Authenticator(Protocol):
    """Says whose a token is. It never makes one up: what it does not know, it refuses."""

    async def authenticate(self, token: str) -> Operator:
        """Return whose token it is.

        Raises:
            NotAuthenticated: It is not valid: wrong, expired, somebody else's.
        """
        ...


class AnyOf:
    """Several authenticators: the first that knows a token says whose it is."""

    def __init__(self, authenticators: Sequence[Authenticator]) -> None:
        self._authenticators = tuple(authenticators)

    async def authenticate(self, token: str) -> Operator:
        """Ask each in turn; see `Authenticator`."""
        refused: NotAuthenticated | None = None
        for authenticator in self._authenticators:
            try:
                return await authenticator.authenticate(token)
            except NotAuthenticated as why:
                refused = refused or why
        raise refused or NotAuthenticated("nobody can sign in here: there is no authenticator")
