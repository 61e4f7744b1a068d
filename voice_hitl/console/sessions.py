"""`Sessions`: who is signed in with a browser. Pure: times and ids come in.

A token is exchanged for a session once. It is spent then, for every use: whoever finds it later has nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from voice_hitl.console.authentication import NotAuthenticated, Operator


@dataclass(slots=True)
class Sessions:
    """The sessions of a console.

    Args:
        new_id: Makes an unguessable id.
    """

    new_id: Callable[[], str]
    _signed_in: dict[str, Operator] = field(default_factory=dict[str, Operator])
    _spent: dict[str, datetime] = field(default_factory=dict[str, datetime])

    def sign_in(self, operator: Operator, now: datetime) -> str:
        """Begin a session that lasts as long as its token would; return its id.

        Raises:
            NotAuthenticated: The token was exchanged before.
        """
        self._forget(now)
        self.check_unspent(operator)
        self._spent[operator.token_id] = operator.expires_at
        session = self.new_id()
        self._signed_in[session] = operator
        return session

    def check_unspent(self, operator: Operator) -> None:
        """Refuse a token that was exchanged.

        Raises:
            NotAuthenticated: It was.
        """
        if self.is_spent(operator):
            raise NotAuthenticated("the token was used to sign in, and is worth nothing any more")

    def is_spent(self, operator: Operator) -> bool:
        """Whether their token was exchanged."""
        return operator.token_id in self._spent

    def find(self, session: str, now: datetime) -> Operator | None:
        """Who is signed in by a session; None: nobody, or no longer."""
        operator = self._signed_in.get(session)
        return operator if operator is not None and now < operator.expires_at else None

    def sign_out(self, session: str) -> None:
        """End a session; harmless for one that there is not."""
        self._signed_in.pop(session, None)

    def _forget(self, now: datetime) -> None:
        self._spent = {token: until for token, until in self._spent.items() if now < until}
        self._signed_in = {session: who for session, who in self._signed_in.items() if now < who.expires_at}
