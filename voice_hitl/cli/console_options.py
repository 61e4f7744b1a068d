"""What `voice-hitl console` was given."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleOptions:
    """What to serve, where, and who may sign in.

    Args:
        store: Where the requests are: a SQLite file, or `redis://...`.
        host: The address to listen on.
        port: The port to listen on; 0: any free one.
        secret: What tokens are signed with.
        oidc: The provider, whom its tokens are for, and where they have the roles.
        anonymous: The roles of whoever comes from this very machine without a token.
    """

    store: str
    host: str
    port: int
    secret: str | None
    oidc: tuple[str, str, str] | None
    anonymous: Sequence[str]
