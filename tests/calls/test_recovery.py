"""A call that a model said is found where it is one, in each form; anything else is speech."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TypedDict

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from voice_hitl.calls.recovery import (
    LONGEST,
    MOST_OPENINGS,
    fenced,
    find_call,
    last_start,
    may_begin,
    without_responses,
)

TEXT = {"type": "string"}
TOOLS: Mapping[str, Mapping[str, object]] = {
    "book_table": {
        "type": "object",
        "properties": {
            "name": TEXT,
            "guests": {"type": "integer"},
            "deposit": {"type": "number"},
            "terrace": {"type": "boolean"},
            "tags": {"type": "array"},
            "extras": {"type": ["object", "null"]},
            "note": {"type": ["string", "null"]},
        },
    },
    "ConfirmAction": {"type": "object", "properties": {"action": TEXT}},
    "look_up": {"type": "object", "properties": {"q": TEXT}},
    "send_note": {"type": "object", "properties": {"text": TEXT, "to": TEXT}},
    "set_alarm": {"type": "object", "properties": {"at": TEXT, "label": True}},
    "get_time": {"type": "object"},
}
PIECES = [
    *TOOLS,
    *[
        "call:",
        "functions.",
        "{",
        "}",
        "(",
        ")",
        "<",
        ">",
        '"',
        "'",
        "`",
        "```",
        "```json\n",
        "\\",
        ":",
        "=",
        ",",
        ". ",
        "\n",
    ],
    *[
        '{"name": "',
        '"arguments": {',
        "<tool_call>",
        "</tool_call>",
        "<function=",
        "</function>",
        '<invoke name="',
        "q",
        "1",
    ],
    *[
        "<parameter=q>",
        "</parameter>",
        "true",
        "hello ",
        "? ",
        "é",
        "\ud800",
        "9" * 5000,
        "[" * 2000,
        "<tool_response>",
    ],
]


class Row(TypedDict):
    form: str
    text: str
    call: dict[str, object] | None


ROWS: list[Row] = [json.loads(line) for line in (Path(__file__).parent / "spoken_calls.jsonl").read_text().splitlines()]


def test_the_corpus_is_large_enough_and_has_both_of_every_form() -> None:
    assert len(ROWS) >= 150
    for form in ("call:", "name()", "json", "xml"):
        of_form = [row["call"] is not None for row in ROWS if row["form"] == form]
        assert min(of_form.count(True), of_form.count(False)) >= 15, form


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['form']} {row['text'][:60]!r}")
def test_an_utterance_is_read_as_the_corpus_says(row: Row) -> None:
    found = find_call(row["text"], TOOLS)
    read = None if found is None else {"name": found.name, "arguments": found.arguments}
    assert read == row["call"]
    if found is not None:
        assert found.form == row["form"]


@pytest.mark.parametrize("row", [row for row in ROWS if row["call"] is not None], ids=lambda row: row["text"][:60])
def test_a_call_is_held_back_from_its_first_letter_to_its_last(row: Row) -> None:
    whole = find_call(row["text"], TOOLS)
    assert whole is not None
    if row["text"].startswith('{"menu'):
        return  # another object comes first
    for end in range(whole.start + 1, len(row["text"]) + 1):
        assert may_begin(row["text"][:end], TOOLS) is not None, row["text"][:end]


@pytest.mark.parametrize(
    "text",
    [
        *[
            "Your table is booked.",
            "The look_up is done",
            "{ curly }",
            "<b>bold</b>",
            "call:nobody{",
            "call: 12",
            "12 guests",
        ],
        *[
            "look_up is a tool",
            "look_up(and so on)",
            '{"price": 1}',
            'look_up(q="x") is how.',
            "Hello. ",
            "```text hello",
            "",
        ],
    ],
)
def test_speech_is_not_held_back(text: str) -> None:
    assert may_begin(text, TOOLS) is None


@pytest.mark.parametrize(
    "text", ["Yes. b", "call", "call:", "call:boo", "{", '{"na', "<", "<tool_c", "`", "```js", "func", "functions.bo"]
)
def test_what_could_be_the_beginning_of_a_call_is_held_back(text: str) -> None:
    assert may_begin(text, TOOLS) == (5 if text.startswith("Yes") else 0)


def test_what_the_model_invents_as_a_result_is_removed() -> None:
    text = 'Good. call:look_up{q:menu}\n<tool_response>{"menu": "fish"}</tool_response>'
    assert find_call(text, TOOLS) is None
    found = find_call(without_responses(text), TOOLS)
    assert found is not None
    assert found.name == "look_up"
    assert without_responses("Fine. <tool_response>and on") == "Fine."
    assert without_responses("Fine.") == "Fine."


def test_a_text_that_is_too_long_or_nothing_declared_is_speech() -> None:
    call = "call:get_time{}"
    assert find_call(" " * LONGEST + call, TOOLS) is None
    assert may_begin(" " * LONGEST + call, TOOLS) is None
    assert find_call(call, {}) is None
    assert may_begin(call, {}) is None


def test_many_sentences_that_only_look_like_a_call_are_speech() -> None:
    looks = "call:look_up{q:x\n"
    assert find_call(looks * (MOST_OPENINGS - 1) + "get_time()", TOOLS) is not None
    assert find_call(looks * MOST_OPENINGS + "get_time()", TOOLS) is None
    ended = "get_time() and.\n"
    assert may_begin(ended * (MOST_OPENINGS - 1) + "get_time()", TOOLS) is not None
    assert may_begin(ended * MOST_OPENINGS + "get_time()", TOOLS) is None


def test_nothing_in_an_outcome_closes_its_fence() -> None:
    lines = fenced("look_up", "a\n````\nb").splitlines()
    assert lines[1] == lines[-1] == "`````"
    assert fenced("look_up", "fine").splitlines()[1:] == ["```", "fine", "```"]


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text())
def test_no_text_raises_and_a_call_is_always_a_declared_one(text: str) -> None:
    found = find_call(text, TOOLS)
    may_begin(text, TOOLS)
    without_responses(text)
    if found is not None:
        assert found.name in TOOLS
        assert may_begin(text, TOOLS) is not None


@given(
    st.sampled_from([row for row in ROWS if row["call"] is not None]),
    st.from_regex(r"[A-Za-z]{1,9}[a-z ,]{0,9}", fullmatch=True),
)
def test_a_mention_in_the_middle_of_a_sentence_is_never_a_call(row: Row, before: str) -> None:
    whole = find_call(row["text"], TOOLS)
    assert whole is not None
    words = row["text"][whole.start :]
    assume("\n" not in words)  # a line of its own is a sentence of its own
    assert find_call(f"{before} {words}", TOOLS) is None
    assert find_call(f"{words} {before}", TOOLS) is None


def test_the_last_sentence_of_a_text_is_found() -> None:
    assert last_start("") == 0
    assert last_start("Good day") == 0
    assert last_start("Good day. It is late") == 10
    assert last_start("One.\nTwo") == 5
