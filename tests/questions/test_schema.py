"""The schemas that front ends read."""

import json
from importlib.resources import files

import pytest

from voice_hitl.questions.misfit import compile_schema
from voice_hitl.questions.schema import answer_schema, question_schema


def test_they_are_json_schemas_of_the_2020_12_draft_under_a_title() -> None:
    for schema, title in ((question_schema(), "Question"), (answer_schema(), "Answer")):
        compile_schema(json.loads(json.dumps(schema)))
        assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        assert schema["title"] == title


def test_what_is_published_in_the_package_is_what_they_are_now() -> None:
    for name, schema in (("question", question_schema()), ("answer", answer_schema())):
        published = (files("voice_hitl") / "static" / f"{name}.schema.json").read_text()
        assert json.loads(published) == schema, "run docs/publish_schemas.py"


@pytest.mark.parametrize(
    "wire",
    [
        {},
        {"action": "maybe"},
        {"action": "approve", "value": "x"},
        {"action": "select"},
        {"action": "select", "value": []},
        {"action": "submit", "value": None},
        {"action": "answer", "value": True, "answers": {}},
        {"action": "answer", "value": {"Answers": {}}},
        {"action": "decline", "reason": 5},
    ],
)
def test_what_respond_never_takes_does_not_fit(wire: dict[str, object]) -> None:
    assert not compile_schema(answer_schema()).is_valid(wire)


def test_a_form_may_be_answered_by_its_members_or_by_one_value() -> None:
    answer = compile_schema(answer_schema())
    assert answer.is_valid({"action": "answer", "answers": {"When?": ["A", "B"]}, "response": None})
    assert answer.is_valid({"action": "answer", "value": {"response": "soon"}})
    assert not answer.is_valid({"action": "answer", "answers": {"When?": ""}})
