"""`TelephoneAsker`: calls somebody on the telephone, and asks them aloud in a call of their own."""

from collections.abc import Awaitable
from typing import Literal, Protocol

import anyio

from voice_hitl.asker import Asker, AskerSession, Asking, GaveUp
from voice_hitl.errors import CallNotAnswered, ProviderError
from voice_hitl.requests.pending import PendingInput
from voice_hitl.tasks import Latch


class TheirCall(AskerSession, Protocol):
    """The call that was placed, as the asker ends it."""

    @property
    def closed(self) -> Latch:
        """Set once it has ended."""
        ...

    def part(self) -> None:
        """Hang up once what is being said was heard; returns at once."""
        ...


class Telephone(Protocol):
    """What places calls: a `RealtimeVoiceChannel` on a transport that can."""

    def dial(self, to: str, *, participant_id: str = ...) -> Awaitable[TheirCall]:
        """Call somebody, and return once they took the call."""
        ...


class TelephoneAsker:
    """Calls somebody, asks them, and hangs up; gives up where they do not take the call, or hang up first.

    Whoever answers otherwise meanwhile ends it: the telephone stops ringing, or they are told and the call ends.

    Args:
        telephone: Places the call: a channel of its own, in whose session they are asked.
        to: Whom to call, such as `sip:ops@10.0.0.7`.
        asker: How they are asked: a `SpokenAsker`.
        who: Who they are, in the request's audience and as who answered.

    Raises:
        ValueError: There is nobody to call.
    """

    def __init__(self, telephone: Telephone, to: str, asker: Asker, *, who: str = "operator") -> None:
        if not to.strip():
            raise ValueError("to is whom to call, such as 'sip:ops@10.0.0.7'")
        self._telephone = telephone
        self._to = to
        self._asker = asker
        self._who = who

    @property
    def name(self) -> str:
        """`telephone`."""
        return "telephone"

    @property
    def whom(self) -> Literal["others"]:
        """Somebody else than the caller."""
        return "others"

    def reaches(self, request: PendingInput | None, session: AskerSession | None) -> bool:
        """Whoever is in the audience can be called, from any session and from none."""
        return request is None or not request.audience or self._who in request.audience

    async def ask(self, asking: Asking, session: AskerSession | None) -> GaveUp | None:
        """Call them and ask; cancelled, it gives the call up or ends it."""
        try:
            call = await self._telephone.dial(self._to, participant_id=self._who)
        except (CallNotAnswered, ProviderError) as error:
            return GaveUp(0, f"{self._who} could not be asked: {error}")
        try:
            return await self._ask(asking, call)
        finally:
            call.part()

    async def _ask(self, asking: Asking, call: TheirCall) -> GaveUp | None:
        """Ask until they answer, or are gone."""
        gave_up: GaveUp | None = GaveUp(1, f"{self._who} hung up")
        async with anyio.create_task_group() as group:

            async def until_they_are_gone() -> None:
                await call.closed.wait()
                group.cancel_scope.cancel()

            group.start_soon(until_they_are_gone)
            gave_up = await self._asker.ask(asking, call)
            group.cancel_scope.cancel()
        return gave_up
