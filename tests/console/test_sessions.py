"""Who is signed in with a browser, and what a token is worth once it was exchanged."""

from datetime import UTC, datetime, timedelta
from itertools import count

import pytest

from voice_hitl.console.authentication import NotAuthenticated, Operator
from voice_hitl.console.sessions import Sessions

NOW = datetime(2026, 1, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)


def operator(token_id: str, *, lasts: timedelta = HOUR) -> Operator:
    return Operator("ann", frozenset({"supervisors"}), token_id, NOW + lasts)


def sessions() -> Sessions:
    numbers = count()
    return Sessions(lambda: f"session {next(numbers)}")


def test_a_session_lasts_as_long_as_its_token_would() -> None:
    made, ann = sessions(), operator("t1")
    session = made.sign_in(ann, NOW)
    assert made.find(session, NOW + HOUR - timedelta(seconds=1)) is ann
    assert made.find(session, NOW + HOUR) is None
    made.sign_out(session)
    made.sign_out(session)
    assert made.find(session, NOW) is None


def test_a_token_is_exchanged_once() -> None:
    made, ann = sessions(), operator("t1")
    made.sign_out(made.sign_in(ann, NOW))
    with pytest.raises(NotAuthenticated, match="worth nothing any more"):
        made.sign_in(ann, NOW)
    made.sign_in(operator("t2"), NOW)


def test_a_token_that_was_exchanged_is_remembered_until_it_would_have_expired() -> None:
    made, short, long = sessions(), operator("t1"), operator("t2", lasts=3 * HOUR)
    for each in (short, long):
        made.sign_in(each, NOW)
    made.sign_in(operator("t3", lasts=3 * HOUR), NOW + 2 * HOUR)
    assert (made.is_spent(short), made.is_spent(long)) == (False, True)
