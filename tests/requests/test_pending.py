from datetime import UTC, datetime

from voice_hitl.enums import PendingInputStatus, RequestEnd
from voice_hitl.requests.pending import PendingInput, PendingInputEvent, copy_json


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
