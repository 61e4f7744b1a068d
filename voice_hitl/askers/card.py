"""`CardAsker`: the question as a card in the browser of the caller, or of those in a conference who may answer."""

from typing import Literal

import anyio

from voice_hitl.asker import AskerSession, Asking, GaveUp, may_be_asked
from voice_hitl.requests.pending import PendingInput


class CardAsker:
    """Shows the request as a card in the page of the call, for as long as it is open.

    The answer comes back by the page's own messages; here the card only opens and closes.
    """

    @property
    def name(self) -> str:
        """`card`."""
        return "card"

    @property
    def whom(self) -> Literal["caller"]:
        """Whoever is in front of the page is the caller."""
        return "caller"

    def reaches(self, request: PendingInput | None, session: AskerSession | None) -> bool:
        """Whether the call has a page (its leg carries messages), and whoever is in front of it may answer."""
        if session is None or not session.page.reachable:
            return False
        audience = request.audience if request is not None else ()
        return not audience or bool(may_be_asked(audience, session))

    async def ask(self, asking: Asking, session: AskerSession | None) -> GaveUp | None:
        """Show the card until the request settles. Gives up at once where there is no page, or no room on it."""
        if session is None or not session.page.reachable:
            return GaveUp(0, "the call has no page")
        if not session.page.open(asking):
            return GaveUp(0, "the question is too long for a card")
        try:
            known = asking.request.expires_at
            asking.put()
            if asking.request.expires_at != known:
                session.page.changed(asking)
            await anyio.sleep_forever()
            return None
        finally:
            session.page.settle(asking)
