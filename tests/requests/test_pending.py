from datetime import UTC, datetime

import pytest

from voice_hitl.enums import PendingInputStatus, RequestEnd
from voice_hitl.questions.model import Number
from voice_hitl.requests.pending import MASKED, PendingInput, PendingInputEvent, copy_json


def test_an_event_keeps_how_the_request_stood() -> None:
    pending = PendingInput(
        pending_id="p1", tool_name="ConfirmAction", arguments={"a": {"b": [1]}}, created_at=datetime.now(UTC)
    )
    event = PendingInputEvent.of(pending)
    pending.status, pending.end = PendingInputStatus.RESOLVED, RequestEnd.ANSWERED
    assert (event.pending_id, event.status, event.end) == ("p1", PendingInputStatus.PENDING, None)
    assert event.arguments == {"a": {"b": [1]}}
    assert hash(event) != hash(PendingInputEvent.of(pending))


def test_what_one_side_edits_the_other_never_sees() -> None:
    inner: list[object] = [1, {"c": 2}]
    original: dict[str, object] = {"b": inner, "t": (1, 2)}
    copied = copy_json(original)
    inner.append("later")
    assert copied == {"b": [1, {"c": 2}], "t": [1, 2]}


@pytest.mark.parametrize(
    ("end", "result", "reason", "copied_result", "copied_reason"),
    [
        (RequestEnd.ANSWERED, "1234", None, MASKED, None),
        (RequestEnd.REFUSED, None, "not my PIN", None, MASKED),
        (RequestEnd.REFUSED, None, "", None, ""),
        (RequestEnd.BLOCKED, None, "not at night", None, "not at night"),
        (RequestEnd.WITHDRAWN, None, None, None, None),
    ],
)
def test_what_a_person_said_to_a_sensitive_question_is_masked_in_every_copy(
    end: RequestEnd, result: str | None, reason: str | None, copied_result: str | None, copied_reason: str | None
) -> None:
    pending = PendingInput(
        pending_id="p1",
        tool_name="AskPin",
        arguments={},
        question=Number(prompt="Your PIN?", digits=4, sensitive=True),
        created_at=datetime.now(UTC),
        end=end,
        result=result,
        reject_reason=reason,
    )
    event = PendingInputEvent.of(pending)
    assert (event.result, event.reject_reason) == (copied_result, copied_reason)
    assert (pending.result, pending.reject_reason) == (result, reason)
