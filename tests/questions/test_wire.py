"""Questions and answers as published JSON, there and back."""

import json
from datetime import UTC, datetime
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice_hitl.enums import Via
from voice_hitl.errors import InvalidAnswer, InvalidQuestion
from voice_hitl.questions.answer import Answer
from voice_hitl.questions.form import parse_form
from voice_hitl.questions.misfit import compile_schema
from voice_hitl.questions.model import Approval, Choice, Confirm, Form, Number, Option, Question, Text
from voice_hitl.questions.schema import answer_schema, question_schema
from voice_hitl.questions.wire import question_from_wire, request_kind, respond, to_wire

CONFIRM = Confirm(prompt="Shall I?")
CHOICE = Choice(prompt="Which?", options=(Option(label="Standard", id="std"), Option(label="Express", id="exp")))
SEVERAL = Choice(prompt="Which?", options=(Option(label="Red"), Option(label="Blue")), multi=True)
NUMBER = Number(prompt="How many?", minimum=0)
TEXT = Text(prompt="Name?")
FORM = Form(questions=(Choice(prompt="When?", options=(Option(label="A"), Option(label="B")), free_text=True),))
APPROVAL = Approval(tool="refund", arguments={"amount": 500}, digest="d", allow_edits=True)

ANSWERED: list[tuple[Question, dict[str, object], Answer]] = [
    (CONFIRM, {"action": "answer", "value": False}, Answer(False)),
    (CHOICE, {"action": "select", "value": "exp"}, Answer("exp")),
    (SEVERAL, {"action": "select", "value": ["Blue", "Red"]}, Answer(["Blue", "Red"])),
    (NUMBER, {"action": "submit", "value": 2.5}, Answer(2.5)),
    (TEXT, {"action": "submit", "value": 'say "hi"\nthere'}, Answer('say "hi"\nthere')),
    (
        FORM,
        {"action": "answer", "answers": {"When?": "A"}, "response": "soon"},
        Answer({"answers": {"When?": "A"}, "response": "soon"}),
    ),
    (FORM, {"action": "answer", "response": "soon"}, Answer({"answers": {}, "response": "soon"})),
    (APPROVAL, {"action": "approve"}, Answer(decision="approve")),
    (APPROVAL, {"action": "approve", "reason": "fine"}, Answer(decision="approve", reason="fine")),
    (
        APPROVAL,
        {"action": "approve", "edited_arguments": {"amount": 50}},
        Answer(decision="approve", edited_arguments={"amount": 50}),
    ),
    (APPROVAL, {"action": "approve", "edited_arguments": {}}, Answer(decision="approve", edited_arguments={})),
    (APPROVAL, {"action": "reject", "reason": "too much"}, Answer(decision="reject", reason="too much")),
    (APPROVAL, {"action": "decline"}, Answer(decline=True)),
    (CHOICE, {"action": "decline", "reason": "none of them"}, Answer(decline=True, reason="none of them")),
]
EVERY_KIND: list[Question] = [CONFIRM, CHOICE, SEVERAL, NUMBER, TEXT, FORM, APPROVAL]
ONE_OF_EACH_ACTION: list[dict[str, object]] = [
    {"action": "answer", "value": True},
    {"action": "answer", "response": "soon"},
    {"action": "select", "value": "exp"},
    {"action": "select", "value": ["Red"]},
    {"action": "submit", "value": 3},
    {"action": "submit", "value": "Ann"},
    {"action": "approve"},
    {"action": "reject"},
]


# --- questions -------------------------------------------------------------------------------------------------------


def test_a_form_looks_as_the_model_gave_it() -> None:
    options = [{"label": "Morning", "description": "d"}, {"label": "Evening", "description": "d"}]
    questions = [{"question": "When?", "header": "Time", "options": options, "multiSelect": True}]
    assert to_wire(parse_form({"questions": questions})) == {"kind": "form", "questions": questions}


def test_what_is_none_or_false_is_left_out_but_multi_select() -> None:
    assert to_wire(CHOICE) == {
        "kind": "choice",
        "prompt": "Which?",
        "options": [{"label": "Standard", "id": "std"}, {"label": "Express", "id": "exp"}],
        "multiSelect": False,
    }
    assert to_wire(NUMBER) == {"kind": "number", "prompt": "How many?", "minimum": 0}
    assert to_wire(CONFIRM) == {"kind": "confirm", "prompt": "Shall I?", "details": {}, "risk": "normal"}
    assert to_wire(Confirm(prompt="?", risk="high", sensitive=True, language="de"))["sensitive"] is True


def test_an_approval_shows_what_would_run() -> None:
    assert to_wire(APPROVAL) == {
        "kind": "approval",
        "tool": "refund",
        "arguments": {"amount": 500},
        "digest": "d",
        "allow_edits": True,
        "risk": "normal",
    }


words = st.text(st.characters(min_codepoint=33, max_codepoint=0x2FF, exclude_categories=["Cc", "Cf", "Zs"]), min_size=1)
common = {"sensitive": st.booleans(), "language": st.none() | st.sampled_from(["en", "de"])}
objects = st.dictionaries(words, st.integers() | words | st.none(), max_size=3)
risks = st.sampled_from(["normal", "high"])
option_lists = st.lists(
    st.builds(Option, label=words, description=st.none() | words, id=st.none() | words),
    min_size=1,
    max_size=5,
    unique_by=lambda option: option.value,
).map(tuple)
choices = st.builds(
    Choice,
    prompt=words,
    options=option_lists,
    multi=st.booleans(),
    header=st.none() | words,
    free_text=st.booleans(),
    **common,
)
questions = st.one_of(
    st.builds(Confirm, prompt=words, action=st.none() | words, details=objects, risk=risks, **common),
    choices,
    st.builds(Number, prompt=words, minimum=st.none() | st.just(0.5), maximum=st.none() | st.just(9), **common),
    st.builds(Number, prompt=words, digits=st.integers(1, 64), **common),
    st.builds(Text, prompt=words, max_length=st.integers(1, 99_999), verbatim=st.booleans(), **common),
    st.builds(
        Form, questions=st.lists(choices, min_size=1, unique_by=lambda choice: choice.prompt).map(tuple), **common
    ),
    st.builds(
        Approval,
        tool=words,
        arguments=objects,
        digest=words,
        allow_edits=st.booleans(),
        parameters=st.none() | st.just({"type": "object"}),
        risk=risks,
        title=st.none() | words,
        speak=st.none() | words,
        **common,
    ),
)


@given(questions)
def test_every_question_comes_back_equal_from_json_that_fits_the_published_schema(question: Question) -> None:
    wire = to_wire(question)
    assert compile_schema(question_schema()).is_valid(wire)
    assert None not in wire.values()
    assert question_from_wire(json.loads(json.dumps(wire))) == question


@pytest.mark.parametrize(
    ("wire", "why"),
    [
        (None, "this is no question"),
        ({"kind": "riddle", "prompt": "p"}, "this is no question"),
        ({"kind": "text", "prompt": "p", "max_length": 5, "size": 1}, "this is no question"),
        ({"kind": "text", "prompt": 5, "max_length": 5}, "this is no question"),
        ({"kind": "number", "prompt": "p", "minimum": float("nan")}, "there is nan in it"),
        ({"kind": "number", "prompt": "p", "minimum": 2, "maximum": 1}, "no number is from 2 to 1"),
        ({"kind": "choice", "prompt": "p", "options": [], "multiSelect": False}, "this is no question"),
    ],
)
def test_a_corrupt_question_is_told_from_one(wire: object, why: str) -> None:
    with pytest.raises(InvalidQuestion, match=why):
        question_from_wire(wire)


# --- answers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("question", "wire", "answer"), ANSWERED)
def test_an_answer_goes_there_and_back(question: Question, wire: dict[str, object], answer: Answer) -> None:
    assert respond(question, wire, via=Via.API) == answer
    assert to_wire(answer, question) == wire
    assert compile_schema(answer_schema()).is_valid(wire)


def test_the_keywords_say_who_gave_it_and_how() -> None:
    at = datetime(2026, 1, 2, tzinfo=UTC)
    answer = respond(TEXT, {"action": "submit", "value": " Ann "}, by="u1", at=at, confidence=0.5, evidence={"a": 1})
    assert answer == Answer("Ann", by="u1", via=Via.CARD, at=at, confidence=0.5, evidence={"a": 1})


def test_the_answer_to_a_form_may_be_one_value() -> None:
    value = {"answers": {"When?": ["B"]}}
    assert respond(FORM, {"action": "answer", "value": value}).value == {"answers": {"When?": "B"}, "response": None}
    with pytest.raises(InvalidAnswer, match="'response' does not go with the action answer"):
        respond(FORM, {"action": "answer", "value": value, "response": "x"})


@pytest.mark.parametrize("question", EVERY_KIND)
@pytest.mark.parametrize("wire", ONE_OF_EACH_ACTION)
def test_an_answer_of_one_kind_never_settles_another(question: Question, wire: dict[str, object]) -> None:
    kinds = {"answer": "question", "select": "choice", "submit": "input", "approve": "approval", "reject": "approval"}
    assert compile_schema(answer_schema()).is_valid(wire)
    if kinds[cast("str", wire["action"])] == request_kind(question):
        return
    with pytest.raises(InvalidAnswer, match="the action must be"):
        respond(question, wire)


def test_approve_all_answers_no_question() -> None:
    for wire in ({"action": "approve_all"}, {"action": "approve", "value": "all"}):
        for question in EVERY_KIND:
            with pytest.raises(InvalidAnswer):
                respond(question, wire)


@pytest.mark.parametrize(
    ("question", "wire", "why"),
    [
        (CONFIRM, None, "an answer is an object"),
        (CONFIRM, "yes", "an answer is an object"),
        (CONFIRM, {}, "the action must be answer or decline"),
        (APPROVAL, {"action": None}, "the action must be approve or reject or decline"),
        (APPROVAL, {"action": ["approve"]}, "the action must be"),
        (APPROVAL, {"action": "approve", "request_id": "x"}, "'request_id' does not go with the action approve"),
        (APPROVAL, {"action": "reject", "edited_arguments": {}}, "'edited_arguments' does not go with"),
        (APPROVAL, {"action": "approve", "edited_arguments": [1]}, "must be an object"),
        (APPROVAL, {"action": "approve", "edited_arguments": {3: 1}}, "a key that is a int"),
        (APPROVAL, {"action": "reject", "reason": 5}, "reason must be text"),
        (APPROVAL, {"action": "reject", "reason": " "}, "reason is blank"),
        (TEXT, {"action": "submit"}, "the answer has no value"),
        (TEXT, {"action": "submit", "value": None}, "must be text"),
        (TEXT, {"action": "submit", "value": "x", "reason": "y"}, "'reason' does not go with"),
        (TEXT, {"action": "decline", "value": "x"}, "'value' does not go with the action decline"),
        (CONFIRM, {"action": "answer", "answers": {}}, "'answers' does not go with"),
        (FORM, {"action": "answer"}, "not answered"),
        (FORM, {"action": "answer", "answers": None, "response": "x"}, "answers must be an object"),
        (FORM, {"action": "answer", "response": None}, "not answered"),
    ],
)
def test_what_is_no_answer_says_why(question: Question, wire: object, why: str) -> None:
    with pytest.raises(InvalidAnswer, match=why):
        respond(question, wire)


def test_a_null_reason_or_edit_is_none() -> None:
    assert respond(APPROVAL, {"action": "reject", "reason": None}).reason is None
    assert respond(APPROVAL, {"action": "approve", "edited_arguments": None}).edited_arguments is None


@pytest.mark.parametrize(("value", "action"), [(True, "answer"), (["A"], "select"), ("A", "submit"), (3, "submit")])
def test_without_its_question_an_answer_is_written_by_its_shape(value: object, action: str) -> None:
    assert to_wire(Answer(value)) == {"action": action, "value": value}
