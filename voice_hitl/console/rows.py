"""How a request becomes a row of the board, and its end an outcome."""

from collections.abc import Awaitable, Callable, Collection

from voice_hitl.asker import Asking
from voice_hitl.console.board import Row
from voice_hitl.console.clock import utc_now
from voice_hitl.console.shown import Line, OutcomeShown, RequestShown
from voice_hitl.enums import RequestEnd
from voice_hitl.questions.answer import Answer
from voice_hitl.questions.json_value import json_fault
from voice_hitl.questions.model import Question
from voice_hitl.questions.wire import request_kind, to_wire
from voice_hitl.requests.pending import PendingInput
from voice_hitl.requests.settlement import Settlement

LONGEST_SAID = 4_000
"""Characters of an answer that its row shows."""


def row_of(
    asking: Asking,
    answer: Callable[[Answer, str | None], Awaitable[Settlement]],
    *,
    id: str,
    caller: str,
    language: str,
    roles: Collection[str],
    transcript: list[Line],
) -> Row:
    """Show a request to operators in these roles."""
    request = asking.request
    shown = RequestShown.model_validate(
        {
            "id": id,
            "kind": request_kind(asking.question),
            "tool": request.tool_name,
            "question": _as_json(asking.question),
            "channel": request.channel_id,
            "channel_type": request.channel_type,
            "room": request.room_id,
            "session": request.session_id,
            "caller": caller,
            "actor": request.actor_id,
            "language": language,
            "asked_of": sorted(roles),
            "created_at": request.created_at,
            "expires_at": request.expires_at,
            "answered_so_far": request.answers_to_show,
            "transcript": transcript,
        }
    )
    return Row(shown, frozenset(roles), asking, answer)


def outcome_of(request: PendingInput, question: Question) -> OutcomeShown:
    """How a request has ended; one that is open still was withdrawn from the operators."""
    confidential = question.sensitive
    said = request.result if request.end is RequestEnd.ANSWERED and not confidential else None
    return OutcomeShown(
        end=request.end or RequestEnd.WITHDRAWN,
        at=utc_now(),
        by=request.answered_by,
        via=request.answered_via,
        said=said[:LONGEST_SAID] if said is not None else None,
        reason=request.reject_reason if not confidential else None,
    )


def _as_json(question: Question) -> dict[str, object]:
    """The question as published; what is no JSON in a host's own arguments is shown as text."""
    wire = to_wire(question)
    return {name: str(value) if json_fault(value) else value for name, value in wire.items()}
