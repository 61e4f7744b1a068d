"""A record is read back as it was written, also what an older version wrote."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice_hitl.human_input.record import Record, body_of, record_of
from voice_hitl.questions.model import Choice, Form, Option
from voice_hitl.requests.pending import MASKED, PendingInput

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
SIZE = Choice(prompt="Which size?", options=(Option(label="Small"), Option(label="Large")), free_text=True)


def record(answered: Mapping[str, object], *, sensitive: bool = False) -> Record:
    form = Form(questions=(SIZE,), sensitive=sensitive)
    pending = PendingInput(
        pending_id="p1", tool_name="ask", arguments={}, question=form, created_at=AT, answered_so_far=answered
    )
    return Record(pending, kept=True, keep_until=AT)


@given(st.dictionaries(st.text(max_size=20), st.text(max_size=20) | st.lists(st.text(max_size=20), max_size=3)))
def test_what_was_answered_so_far_is_read_back(answered: dict[str, object]) -> None:
    kept = record(answered)
    assert record_of("p1", body_of(kept)) == kept


def test_of_a_sensitive_form_only_which_questions_were_answered_is_written() -> None:
    body = body_of(record({"size": "as big as it gets"}, sensitive=True))
    assert "as big" not in body
    assert record_of("p1", body).pending.answered_so_far == {"size": MASKED}


def test_what_an_older_version_wrote_was_answered_nothing() -> None:
    body: dict[str, object] = json.loads(body_of(record({})))
    assert "answered_so_far" not in body
    assert record_of("p1", json.dumps(body)).pending.answered_so_far == {}


def test_answers_that_are_no_object_are_damage() -> None:
    body: dict[str, object] = json.loads(body_of(record({})))
    with pytest.raises(ValueError, match="damaged: answered_so_far"):
        record_of("p1", json.dumps(body | {"answered_so_far": ["Large"]}))
