"""The measurement of spoken confirmations, and what it must show."""

import json
from pathlib import Path

import pytest
from confirmation import BARS, Bar, Row, errors, is_held, read_rows, table

from voice_hitl.speech.reading import Command, Match, NoMatch

ROWS = [
    Row("yes", "Shall I?", "yes", Match(True)),
    Row("yes", "Shall I?", "sure thing", NoMatch(rule="why not")),
    Row("no", "Shall I?", "nope", Match(False)),
    Row("no", "Shall I?", "forget it", Command("never_mind")),
    Row("correction", "Shall I?", "yes, later", Match(True, "later", rule="oh dear")),
    Row("correction", "Shall I?", "no, later", Match(False, "later")),
]


def test_a_reading_is_counted_with_or_without_the_rest() -> None:
    assert [row.read for row in ROWS] == ["yes", "no match", "no", "no match", "yes + rest", "no + rest"]


def test_a_bar_is_for_the_share_of_its_labels() -> None:
    wrong = Bar("wrong yes", ("no", "correction"), ("yes", "yes + rest"), 0.3, at_most=True)
    right = Bar("yes", ("yes",), ("yes",), 0.6)
    assert wrong.share(ROWS) == 0.25
    assert wrong.met(ROWS)
    assert right.share(ROWS) == 0.5
    assert not right.met(ROWS)


def test_the_tables_show_sums_and_the_errors_single_replies() -> None:
    assert table(ROWS).splitlines()[1].split() == ["yes", "1", "0", "0", "0", "1", "2"]
    assert "correction read as yes + rest: 1" in errors(ROWS)
    assert "oh dear" in errors(ROWS)
    assert "nope" not in errors(ROWS)


def test_rows_are_divided_by_their_text_alone(tmp_path: Path) -> None:
    rows = [{"label": "yes", "prompt": f"Shall I {n}?", "reply": "yes"} for n in range(40)]
    path = tmp_path / "replies.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    tuning, held = read_rows(path)
    assert len(tuning) + len(held) == 40
    assert tuning
    assert all(is_held(row.prompt, row.reply) for row in held)
    assert not any(is_held(row.prompt, row.reply) for row in tuning)


@pytest.fixture(scope="module")
def met(cases: Path) -> dict[str, bool]:
    """By its name whether a bar is met; the rows stay in here, so that no failure shows one."""
    held = read_rows(cases / "confirmation" / "replies.jsonl")[1]
    return {bar.name: bar.met(held) for bar in BARS}


@pytest.mark.parametrize("bar", BARS, ids=lambda bar: bar.name)
def test_every_bar_is_met_on_the_held_half(bar: Bar, met: dict[str, bool]) -> None:
    assert met[bar.name]
