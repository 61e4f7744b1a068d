"""An INVITE of ours, from the first try to its end (RFC 3261, 13.2, 9.1 and 17.1.1): pure, ticked by the shell.

It is sent again until somebody says something, cancelled only when somebody did, and what answers it is acknowledged
as often as it comes. A call that is answered in spite of its CANCEL is ended with a BYE.
"""

from dataclasses import dataclass

from aiosipua import Address, CSeq, Dialog, DialogState, SipRequest, SipResponse, Via
from aiosipua.headers import stringify_cseq, stringify_uri, stringify_via
from aiosipua.utils import generate_branch

T1_S = 0.5
"""An estimate of the round trip (RFC 3261, 17): the first pause before a message is sent again."""

T2_S = 4.0
"""The longest pause."""

LIMIT_S = 64 * T1_S
"""A message that was not answered for so long will not be."""

CANCELLED, TIMED_OUT = 487, 408


@dataclass(frozen=True, slots=True)
class Answered:
    """They took the call: this is the response, and the dialog that it began."""

    response: SipResponse
    dialog: Dialog


@dataclass(frozen=True, slots=True)
class Refused:
    """They did not: the status says why."""

    code: int
    reason: str = ""


class Invitation:
    """One INVITE and what becomes of it.

    Args:
        invite: The request, complete; it is to be sent now.
        local: Our address, as it is in the requests that follow.
        now: Seconds of any monotonic clock.
    """

    def __init__(self, invite: SipRequest, local: tuple[str, int], now: float) -> None:
        self._invite = invite
        self._local = local
        self._again: SipRequest | None = invite
        self._pause = T1_S
        self._due = now + T1_S
        self._until = now + LIMIT_S
        self._cancel_wanted = False
        self._cancelled = False
        self._finished = False
        self._dialogs: dict[str, Dialog] = {}
        self.ringing = False
        """Whether somebody said that it rings (180), or that the call gets on (183; its early media are not heard)."""
        self.outcome: Answered | Refused | None = None

    @property
    def over(self) -> bool:
        """Whether nothing more is to be expected: it may be forgotten."""
        return self._finished

    def deadline(self) -> float | None:
        """When `tick` is to be called; None: not before something comes."""
        if self._finished:
            return None
        if self._again is not None:
            return min(self._due, self._until)
        return self._until if self._lingers else None

    @property
    def _lingers(self) -> bool:
        return self.outcome is not None or self._cancelled

    def tick(self, now: float) -> list[SipRequest]:
        """Time has passed; what is to be sent."""
        if self._finished:
            return []
        if now >= self._until and (self._again is not None or self._lingers):
            self._finished = True
            if self.outcome is None:
                self.outcome = Refused(CANCELLED if self._cancel_wanted else TIMED_OUT, "nobody answered our INVITE")
            return []
        if self._again is None or now < self._due:
            return []
        self._pause *= 2 if self._again is self._invite else min(2, T2_S / self._pause)
        self._due = now + self._pause
        return [self._again]

    def receive(self, response: SipResponse, now: float) -> list[SipRequest]:
        """A response came; what is to be sent."""
        cseq = response.cseq
        if cseq is None or self._finished:
            return []
        if cseq.method.upper() == "CANCEL":
            return self._cancel_answered(now)
        if response.status_code < 200:
            return self._provisional(response, now)
        if response.status_code < 300:
            return self._taken(response, now)
        self._end(Refused(response.status_code, response.reason_phrase), now)
        return [self._acknowledged_in_its_transaction(response)]

    def cancel(self, now: float) -> list[SipRequest]:
        """Nobody waits for the answer any more."""
        if self._cancel_wanted:
            return []
        self._cancel_wanted = True
        if isinstance(self.outcome, Answered):
            return [self._bye(self.outcome.dialog)]
        return self._send_cancel(now) if self.outcome is None and self._again is None else []

    # --- what comes --------------------------------------------------------------------------------------------------

    def _provisional(self, response: SipResponse, now: float) -> list[SipRequest]:
        if self.outcome is not None or self._cancelled:
            return []
        self._again = None
        self.ringing |= response.status_code > 100
        # RFC 3261, 9.1: a CANCEL before anything was said could overtake its INVITE.
        return self._send_cancel(now) if self._cancel_wanted else []

    def _send_cancel(self, now: float) -> list[SipRequest]:
        cancel = self._in_transaction("CANCEL", self._invite.get_header("to") or "")
        self._cancelled = True
        self._again, self._pause = cancel, T1_S
        self._due, self._until = now + T1_S, now + LIMIT_S
        return [cancel]

    def _cancel_answered(self, now: float) -> list[SipRequest]:
        if self._cancelled and self.outcome is None:
            self._again, self._until = None, now + LIMIT_S
        return []

    def _taken(self, response: SipResponse, now: float) -> list[SipRequest]:
        tag = _tag(response.to_addr)
        known = self._dialogs.get(tag)
        if known is not None:
            return [self._acknowledged(known)]
        dialog = self._dialogs[tag] = dialog_of(self._invite, response)
        if self._cancel_wanted or self.outcome is not None:
            # It crossed our CANCEL, or a proxy asked several and another one was first.
            self._end(Refused(CANCELLED), now)
            return [self._acknowledged(dialog), self._bye(dialog)]
        self._end(Answered(response, dialog), now)
        return [self._acknowledged(dialog)]

    def _end(self, outcome: Answered | Refused, now: float) -> None:
        if self.outcome is None:
            self.outcome = outcome
            self._until = now + LIMIT_S
        self._again = None

    # --- what goes ---------------------------------------------------------------------------------------------------

    def _acknowledged_in_its_transaction(self, response: SipResponse) -> SipRequest:
        return self._in_transaction("ACK", response.get_header("to") or "")

    def _in_transaction(self, method: str, to: str) -> SipRequest:
        """RFC 3261, 9.1 and 17.1.1.3: the branch and the number are the INVITE's."""
        request = SipRequest(method=method, uri=self._invite.uri)
        request.set_header("Via", self._invite.get_header("via") or "")
        request.set_header("From", self._invite.get_header("from") or "")
        request.set_header("To", to)
        request.set_header("Call-ID", self._invite.call_id or "")
        request.set_header("CSeq", stringify_cseq(CSeq(seq=self._number, method=method)))
        request.set_header("Max-Forwards", "70")
        return request

    def _acknowledged(self, dialog: Dialog) -> SipRequest:
        """RFC 3261, 13.2.2.4: a transaction of its own, under the INVITE's number."""
        host, port = self._local
        ack = SipRequest(method="ACK", uri=dialog.remote_target or dialog.remote_uri)
        via = Via(host=host, port=port, params={"branch": generate_branch(), "rport": None})
        ack.set_header("Via", stringify_via(via))
        ack.set_header("From", self._invite.get_header("from") or "")
        ack.set_header("To", f"<{dialog.remote_uri}>;tag={dialog.remote_tag}")
        ack.set_header("Call-ID", dialog.call_id)
        ack.set_header("CSeq", stringify_cseq(CSeq(seq=self._number, method="ACK")))
        ack.set_header("Max-Forwards", "70")
        for route in dialog.route_set:
            ack.add_header("Route", route)
        return ack

    def _bye(self, dialog: Dialog) -> SipRequest:
        host, port = self._local
        bye = dialog.create_request("BYE", via_host=host, via_port=port)
        dialog.terminate()
        return bye

    @property
    def _number(self) -> int:
        cseq = self._invite.cseq
        return cseq.seq if cseq is not None else 1


def dialog_of(invite: SipRequest, response: SipResponse) -> Dialog:
    """The dialog that a 2xx to our INVITE begins (RFC 3261, 12.1.2)."""
    ours, theirs, cseq, contacts = invite.from_addr, response.to_addr, invite.cseq, response.contact
    return Dialog(
        call_id=invite.call_id or "",
        local_tag=_tag(ours),
        remote_tag=_tag(theirs),
        local_uri=stringify_uri(ours.uri) if ours is not None else "",
        remote_uri=invite.uri,
        remote_target=stringify_uri(contacts[0].uri) if contacts else invite.uri,
        route_set=list(reversed(response.headers.get("record-route"))),
        local_cseq=cseq.seq if cseq is not None else 1,
        remote_cseq=0,
        state=DialogState.CONFIRMED,
    )


def _tag(address: Address | None) -> str:
    return (address.tag if address is not None else None) or ""
