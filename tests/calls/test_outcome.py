import pytest

from voice_hitl.calls.outcome import Outcome
from voice_hitl.enums import OutcomeKind


@pytest.mark.parametrize(
    ("kind", "is_error", "refused", "cancelled", "judged"),
    [
        (OutcomeKind.SERVED, False, False, False, True),
        (OutcomeKind.BLOCKED, True, False, False, False),
        (OutcomeKind.UNSERVED, True, False, False, True),
        (OutcomeKind.REFUSED, True, True, False, False),
        (OutcomeKind.FAILED, True, False, False, False),
        (OutcomeKind.CANCELLED, True, False, True, False),
    ],
)
def test_every_flag_follows_from_the_kind(
    kind: OutcomeKind, *, is_error: bool, refused: bool, cancelled: bool, judged: bool
) -> None:
    outcome = Outcome(kind)
    assert (outcome.is_error, outcome.refused, outcome.cancelled) == (is_error, refused, cancelled)
    assert outcome.judged is judged


def test_an_outcome_is_answered_and_may_be_cut_unless_it_says_otherwise() -> None:
    outcome = Outcome(OutcomeKind.SERVED, "found")
    assert (outcome.text, outcome.error_detail, outcome.never_cut, outcome.answerable) == ("found", None, False, True)
