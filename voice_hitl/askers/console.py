"""`ConsoleAsker`: the question in front of operators, at their console."""

from typing import Literal

from voice_hitl.asker import CALLER, AskerSession, Asking, GaveUp
from voice_hitl.askers.desk import OWN_DESK, Desk
from voice_hitl.requests.pending import PendingInput


class ConsoleAsker:
    """Puts the request on the operators' desk, for as long as it is open.

    Where nobody in the role is watching it gives up at once: an escalation goes on to whoever comes next, and the
    caller is told instead of being left to wait.

    Args:
        role: Who is asked: the operators who have this role. `"caller"` is no role.
        desk: Where the console finds the request; by default the desk of this process.

    Raises:
        ValueError: The role is blank, or `"caller"`.
    """

    def __init__(self, role: str, desk: Desk | None = None) -> None:
        if not role.strip() or role == CALLER:
            raise ValueError(f"a console asks people in a role, such as 'supervisors': {role!r} is none")
        self.role = role
        self._desk = desk if desk is not None else OWN_DESK

    @property
    def name(self) -> str:
        """`console`."""
        return "console"

    @property
    def whom(self) -> Literal["others"]:
        """Operators are somebody else than the caller."""
        return "others"

    def reaches(self, request: PendingInput | None, session: AskerSession | None) -> bool:
        """Whether the role may answer. Who is watching is seen when it asks: they come and go."""
        return request is None or not request.audience or self.role in request.audience

    async def ask(self, asking: Asking, session: AskerSession | None) -> GaveUp | None:
        """Have the request lie on the desk until it settles. Gives up once nobody in the role is there to see it."""
        # Another process shows only what names the role: what is put on this desk it cannot see.
        elsewhere = self.role in asking.request.audience
        if not await self._desk.is_watched(self.role, elsewhere=elsewhere):
            return GaveUp(0, f"nobody of the {self.role} is watching")
        with self._desk.holding(asking, self.role, session):
            await self._desk.deserted(self.role, elsewhere=elsewhere)
        return GaveUp(1, f"nobody of the {self.role} is watching any more")
