"""What a check saw, for a person and for a program."""

import io
import json

from rich.console import Console

from voice_hitl.cli.checking import STEPS, Report, Step
from voice_hitl.cli.line_quality import LineQuality
from voice_hitl.cli.report import show_json, show_table


def console() -> tuple[Console, io.StringIO]:
    text = io.StringIO()
    return Console(file=text, width=100), text


def passed() -> Report:
    return Report("http://demo/offer", [Step(name, 1.25) for name in STEPS])


def failed() -> Report:
    return Report("http://demo/offer", [Step(STEPS[0], 1234.5)], failed=STEPS[1], why="it [did] not")


def test_a_table_has_every_step() -> None:
    out, text = console()
    show_table(passed(), out)
    for name in STEPS:
        assert name in text.getvalue()
    assert "ailed" not in text.getvalue()


def test_a_table_says_where_it_failed_and_what_was_not_reached() -> None:
    out, text = console()
    show_table(failed(), out)
    assert "1,234.5" in text.getvalue()
    assert "Failed at: first agent audio. It [did] not" in text.getvalue()
    assert text.getvalue().count("not reached") == 3


def test_json_is_one_object_whatever_the_terminal() -> None:
    out, text = console()
    show_json(passed(), out)
    assert json.loads(text.getvalue()) == {
        "ok": True,
        "url": "http://demo/offer",
        "steps": [{"name": name, "ms": 1.25} for name in STEPS],
    }
    out, text = console()
    show_json(failed(), out)
    shown = json.loads(text.getvalue())
    assert (shown["ok"], shown["failed"], shown["why"]) == (False, STEPS[1], "it [did] not")


def test_a_line_is_a_table_of_its_own_that_says_what_is_not_good_enough() -> None:
    report = passed()
    report.line = LineQuality(0.05, 900, 40, 60, 120.0, 95.0, keyed="4271#", arrived="427#")
    out, text = console()
    show_table(report, out)
    for words in (
        "loses 5%",
        "900",
        "94.0%",
        "120 ms",
        "4271#",
        "427#",
        "Not good enough: 94.0% of the frames",
        "for up to 95 ms",
    ):
        assert words in text.getvalue()
    out, text = console()
    show_json(report, out)
    shown = json.loads(text.getvalue())
    assert (shown["ok"], shown["line"]["recovered"], shown["line"]["heard"]) == (False, 40, 0.94)
    assert len(shown["line"]["misses"]) == 2
