"""The cases of others: forms, `ask_human` calls, approvals and their answers, with the verdicts that ours must give."""

import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import cast

from voice_hitl.errors import InvalidAnswer, InvalidArguments, InvalidQuestion
from voice_hitl.questions import Approval, Question, check, parse_ask_human, parse_form, request_kind, respond
from voice_hitl.questions.digest import digest
from voice_hitl.tools.schema import CompiledSchema

Case = Mapping[str, object]
Verdict = tuple[str, str]
"""`accept` or `reject`, and the stage: `ok`, `request`, `answer`."""


def rows(path: Path) -> list[Case]:
    return [cast("Case", json.loads(line)) for line in path.read_text("utf-8").splitlines()]


def verdict(ask: Callable[[], Question], *answers: Callable[[Question], object]) -> Verdict:
    try:
        question = ask()
    except (InvalidQuestion, InvalidArguments):
        return ("reject", "request")
    try:
        for answer in answers:
            answer(question)
    except InvalidAnswer:
        return ("reject", "answer")
    return ("accept", "ok")


def checked(value: object) -> Callable[[Question], object]:
    return lambda question: check(question, value)


def responded(wire: object) -> Callable[[Question], object]:
    return lambda question: respond(question, wire)


def expected(case: Case) -> Verdict:
    told = cast("Mapping[str, str]", case["expected"])
    stage = {"correlation": "answer", "response": "answer"}.get(told["stage"], told["stage"])
    return (told["verdict"], stage)


# --- question forms --------------------------------------------------------------------------------------------------


def test_every_form_and_every_answer_to_one_gets_the_verdict_of_its_case(cases: Path) -> None:
    wrong: list[str] = []
    for case in rows(cases / "questions" / "cases.jsonl"):
        answers = [checked(case["answer"])] if "answer" in case else []
        got = verdict(partial(parse_form, case["request"]), *answers)
        if got != expected(case):
            wrong.append(f"{case['id']} ({case['note']}): {got}")
    assert wrong == []


def test_the_wire_form_of_an_answer_gets_the_same_verdict_as_its_value(cases: Path) -> None:
    wrong: list[str] = []
    for case in rows(cases / "questions" / "cases.jsonl"):
        if not isinstance(case.get("answer"), dict):
            continue
        members = cast("dict[str, object]", case["answer"])
        for wire in ({"action": "answer", "value": members}, {"action": "answer", **members}):
            got = verdict(partial(parse_form, case["request"]), responded(wire))
            if got != expected(case):
                wrong.append(f"{case['id']} ({case['note']}): {got} by {list(wire)}")
    assert wrong == []


# --- ask_human and approvals -----------------------------------------------------------------------------------------

DEVIATIONS = {
    "request-20": "blank ids are refused",
    "request-26": "unknown members are refused",
    "request-29": "unknown members are refused",
    "request-31": "arguments that do not validate are refused before anyone is asked",
    "approval-20": "arguments that do not validate are refused before anyone is asked",
    "input-03": "blank text is refused",
}
"""Where ours differs on purpose from the original, which accepts these."""


def ask(case: Case, *, allow_edits: bool) -> Question:
    call = cast("Mapping[str, object]", case["call"])
    name, arguments = str(call["name"]), cast("Mapping[str, object]", call["arguments"])
    if name == "ask_human":
        return parse_ask_human(arguments)
    parameters = cast("Mapping[str, object]", call["schema"])
    CompiledSchema(parameters).validate(arguments)
    return Approval(
        tool=name,
        arguments=arguments,
        digest=digest(name, arguments),
        allow_edits=allow_edits,
        parameters=parameters,
    )


def verdict_of(case: Case, *, allow_edits: bool = True) -> Verdict:
    answers = [responded(case["response"])] if "response" in case else []
    return verdict(partial(ask, case, allow_edits=allow_edits), *answers)


def test_every_ask_human_call_approval_and_response_gets_the_verdict_of_its_case(cases: Path) -> None:
    wrong: list[str] = []
    for case in rows(cases / "questions" / "human_responses.jsonl"):
        got, original = verdict_of(case), expected(case)
        if str(case["id"]) in DEVIATIONS:
            assert original == ("accept", "ok")
            right = got[0] == "reject"
        else:
            right = got == original
        if not right:
            wrong.append(f"{case['id']} ({case['note']}): {got}")
    assert wrong == []


def test_the_kind_and_the_options_of_a_call_are_those_of_its_case(cases: Path) -> None:
    kinds = {"tool_approval": "approval", "choice": "choice", "input": "input"}
    for case in rows(cases / "questions" / "human_responses.jsonl"):
        told = cast("Mapping[str, object]", case["expected"])
        if told["verdict"] == "reject" or str(case["id"]) in DEVIATIONS:
            continue
        question = ask(case, allow_edits=False)
        assert request_kind(question) == kinds[str(told["kind"])]
        options = [option.id for option in getattr(question, "options", ())]
        assert options == told.get("options", options)


def test_edits_are_refused_where_the_tool_does_not_say_that_it_allows_them(cases: Path) -> None:
    edited = [
        case
        for case in rows(cases / "questions" / "human_responses.jsonl")
        if "edited_arguments" in cast("Case", case.get("response", {}))
    ]
    assert len(edited) == 6
    for case in edited:
        assert verdict_of(case, allow_edits=False)[0] == "reject"


def test_a_choice_or_an_input_can_be_declined(cases: Path) -> None:
    for case in rows(cases / "questions" / "human_responses.jsonl"):
        if str(case["id"]) in {"choice-01", "input-01", "approval-01"}:
            assert respond(ask(case, allow_edits=False), {"action": "decline", "reason": "no"}).decline


def test_a_row_is_not_read_twice(cases: Path) -> None:
    for name, count in (("cases.jsonl", 250), ("human_responses.jsonl", 49)):
        assert len({case["id"] for case in rows(cases / "questions" / name)}) == count
