"""What the front desk reads in a tool's result: done, a no, refused, unanswered and failed are five things."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice_hitl_local.front_desk.results import ToolResult, read_confirmation, read_result


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ('{"confirmed": true, "via": "voice", "said": "yes please"}', ToolResult("done", said="yes please")),
        ('{"confirmed": false, "via": "card"}', ToolResult("no")),
        ('{"confirmed": "true"}', ToolResult("no")),
        ('{"confirmed": false, "said": "no, make it eight"}', ToolResult("no", said="no, make it eight")),
        ("yes", ToolResult("done", said="yes")),
        ('"approved"', ToolResult("done", said='"approved"')),
        ("yes but at eight", ToolResult("no", said="yes but at eight")),
        ("[1]", ToolResult("no", said="[1]")),
    ],
)
def test_only_a_clear_yes_confirms(text: str, result: ToolResult) -> None:
    assert read_confirmation(text, failed=False) == result


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ('{"error": "Human input rejected: not today"}', ToolResult("refused", "Not today.")),
        ('{"error": "Human input timed out after 60s for tool \'ConfirmAction\'"}', ToolResult("unanswered")),
        ('{"error": "Human input unanswered after 3 tries for tool \'ConfirmAction\'"}', ToolResult("unanswered")),
        ('{"error": "The tool call failed (KeyError)."}', ToolResult("failed")),
        (
            '{"error": "This call was not run, because the caller interrupted. It may be called again."}',
            ToolResult("interrupted"),
        ),
        ("no table is free at seven", ToolResult("failed", "No table is free at seven.")),
    ],
)
def test_an_error_tells_who_said_no_from_what_broke(text: str, result: ToolResult) -> None:
    assert read_result(text, failed=True) == result
    assert read_confirmation(text, failed=True) == result


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("Booked.", ToolResult("done")),
        ('{"booked": true, "reference": "A7"}', ToolResult("done")),
        ("", ToolResult("done")),
        ('{"booked": false, "reason": "we are full"}', ToolResult("failed", "We are full.")),
        ('{"ok": false}', ToolResult("failed")),
        ('{"error": "we are closed"}', ToolResult("failed", "We are closed.")),
        ('{"error": {"code": 4}}', ToolResult("failed")),
    ],
)
def test_a_served_result_is_done_unless_it_says_otherwise(text: str, result: ToolResult) -> None:
    assert read_result(text, failed=False) == result


@given(text=st.text(max_size=50))
def test_nothing_that_failed_is_ever_done(text: str) -> None:
    assert read_result(text, failed=True).verdict != "done"
    assert read_confirmation(text, failed=True).verdict != "done"
