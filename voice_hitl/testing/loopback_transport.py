"""A transport whose callers live in the test: calls without a network, on the loop's own clock.

::

    with LoopbackTransport() as transport:
        ...a channel listens on it...
        caller = await transport.call(participant_id="ada", room_id="desk")
        card = await caller.message(type="request.opened")
        answer = {"action": "answer", "value": True}
        caller.send({"v": 1, "type": "request.answer", "pending_id": card["pending_id"], "answer": answer})
        await caller.message(type="request.settled")
        await caller.hears(item="item-2")
        caller.hang_up()

Strict: a message that was not the next one expected, one that never came, one that nobody expected, and a call that is
still up at the end fail the test, saying what was expected and what came.
"""

from collections.abc import Collection, Mapping
from types import TracebackType

from voice_hitl.errors import InvalidOffer
from voice_hitl.testing.loopback_caller import LoopbackCaller, LoopbackIncoming
from voice_hitl.testing.loopback_leg import LoopbackLeg
from voice_hitl.testing.page_messages import COMMENTARY
from voice_hitl.transport import CallRejected, Incoming, LegCapabilities, LegInfo, OnIncoming


class LoopbackTransport:
    """A way for calls to come in, from callers in the same process.

    As a context manager it calls `done` at the end, unless the test has failed already.

    Args:
        capabilities: What its legs can do: by default what a browser's can.
        name: What to call it.
    """

    def __init__(self, *, capabilities: LegCapabilities | None = None, name: str = "loopback") -> None:
        self._name = name
        self._capabilities = capabilities or LegCapabilities(
            messages=True, digits=True, echo_cancelled=True, transfers=True, rejoin_s=15.0
        )
        self._on_incoming: OnIncoming | None = None
        self._closed = False
        self._calls = 0
        self._callers: list[LoopbackCaller] = []
        self._legs: list[LoopbackLeg] = []

    # --- the test's side ---------------------------------------------------------------------------------------------

    async def call(self, *, participant_id: str = "", room_id: str = "") -> LoopbackCaller:
        """Place a call; return its far end once it was answered; `CallRejected` when it was not."""
        caller = self.caller(participant_id=participant_id, room_id=room_id)
        await caller.dial()
        return caller

    def caller(
        self,
        *,
        participant_id: str = "",
        room_id: str = "",
        from_: str = "",
        headers: Mapping[str, str] | None = None,
        keep_audio: bool = False,
        ignore: Collection[str] = COMMENTARY,
    ) -> LoopbackCaller:
        """Somebody who may call.

        Args:
            participant_id: Who it is, as an authorised transport knows.
            room_id: The room that is called.
            from_: The caller's number or address.
            headers: Headers of the call set-up.
            keep_audio: Whether all that the caller hears is kept.
            ignore: Types of messages that are only counted.
        """
        info = LegInfo(
            call_id="", from_=from_, participant_id=participant_id, room_id=room_id, headers=dict(headers or {})
        )
        caller = LoopbackCaller(info, self, keep_audio=keep_audio, ignore=ignore)
        self._callers.append(caller)
        return caller

    def done(self) -> None:
        """Every message must have been expected and every call be over; `AssertionError` otherwise."""
        for caller in self._callers:
            caller.done()
        for leg in self._legs:
            if not leg.over:
                raise AssertionError(f"the lost leg of call {leg.info.call_id} was never let go")

    def __enter__(self) -> "LoopbackTransport":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.done()

    # --- the callers' side -------------------------------------------------------------------------------------------

    async def ring(self, incoming: LoopbackIncoming) -> None:
        """Offer a call to whoever listens; `CallRejected` when nobody takes it."""
        if self._closed or self._on_incoming is None:
            raise CallRejected(503, "nobody listens on this transport")
        await self._on_incoming(incoming)
        if all(leg.info is not incoming.info for leg in self._legs):
            raise CallRejected(503, "nobody took the call")

    def next_call_id(self) -> str:
        """An id no call had yet."""
        self._calls += 1
        return f"{self._name}-{self._calls}"

    # --- the library's side: the port --------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """What to call it."""
        return self._name

    def listen(self, on_incoming: OnIncoming | None) -> None:
        """Offer every call to `on_incoming`."""
        self._on_incoming = on_incoming

    async def accept(self, connection: Incoming, *, rate: int) -> LoopbackLeg:
        """Answer a call of this transport, once; `InvalidOffer` otherwise."""
        if not isinstance(connection, LoopbackIncoming):
            raise InvalidOffer(f"{connection!r} is no call of a LoopbackTransport")
        if any(leg.info is connection.info for leg in self._legs):
            raise InvalidOffer(f"call {connection.info.call_id} has been answered already")
        leg = LoopbackLeg(connection.info, self._capabilities, rate=rate, far=connection.caller)
        self._legs.append(leg)
        connection.caller.answered(leg)
        return leg

    async def aclose(self) -> None:
        """Hang up every leg and take no more calls."""
        self._closed = True
        for leg in self._legs:
            await leg.aclose()
