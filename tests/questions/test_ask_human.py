"""The arguments of `ask_human`."""

import pytest

from voice_hitl.errors import InvalidQuestion
from voice_hitl.questions.ask_human import parse_ask_human
from voice_hitl.questions.model import Choice, Option, Text

STANDARD = {"id": "std", "label": " Standard "}


def test_an_input_is_a_text() -> None:
    assert parse_ask_human({"kind": "input", "prompt": " Your name? "}) == Text(prompt="Your name?")


def test_a_choice_keeps_its_ids_exactly() -> None:
    options = [STANDARD, {"id": "std ", "label": "Standard", "description": "Next day"}]
    assert parse_ask_human({"kind": "choice", "prompt": "Which?", "options": options}) == Choice(
        prompt="Which?",
        options=(
            Option(id="std", label="Standard"),
            Option(id="std ", label="Standard", description="Next day"),
        ),
    )


UNASKABLE: list[tuple[object, str]] = [
    ("which?", "the call must be an object"),
    ({"kind": "input"}, "the call has no prompt"),
    ({"kind": "input", "prompt": 3}, "prompt of the call must be text"),
    ({"prompt": "p"}, 'kind must be "choice" or "input"'),
    ({"kind": "Choice", "prompt": "p"}, 'kind must be "choice" or "input"'),
    ({"kind": "input", "prompt": "p", "timeout": 9}, "unknown member 'timeout'"),
    ({"kind": "input", "prompt": "p", "options": []}, "an input has no options"),
    ({"kind": "choice", "prompt": "p"}, "a choice needs options"),
    ({"kind": "choice", "prompt": "p", "options": None}, "a choice needs options"),
    ({"kind": "choice", "prompt": "p", "options": []}, "a choice needs options"),
    ({"kind": "choice", "prompt": "p", "options": {"A": "B"}}, "a choice needs options"),
    ({"kind": "choice", "prompt": "p", "options": ["A"]}, r"options\[0\] must be an object"),
    ({"kind": "choice", "prompt": "p", "options": [{"label": "A"}]}, r"options\[0\] has no id"),
    ({"kind": "choice", "prompt": "p", "options": [{"id": " ", "label": "A"}]}, r"id of options\[0\] is blank"),
    ({"kind": "choice", "prompt": "p", "options": [{"id": 1, "label": "A"}]}, r"id of options\[0\] must be text"),
    ({"kind": "choice", "prompt": "p", "options": [STANDARD, STANDARD]}, "two options of 'p' are 'std'"),
    ({"kind": "choice", "prompt": "p", "options": [STANDARD | {"icon": "x"}]}, "unknown member 'icon'"),
    ({"kind": "choice", "prompt": "p", "options": [STANDARD | {"description": None}]}, "must be text"),
]


@pytest.mark.parametrize(("arguments", "why"), UNASKABLE, ids=[why for _, why in UNASKABLE])
def test_a_bad_call_says_what_to_correct(arguments: object, why: str) -> None:
    with pytest.raises(InvalidQuestion, match=why):
        parse_ask_human(arguments)
