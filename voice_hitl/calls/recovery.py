"""A call that a model said instead of issuing it, found in its words.

Models write calls in many forms; a call counts only as a sentence of its own, to a declared name, with nothing after it
but closing punctuation. Everything else is speech. Linear in the length of the text: a sentence that may be a call is
read forward once, and there are few that may.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from voice_hitl.calls.spoken_forms import FormName, Tools, may_become_call, read_call
from voice_hitl.frozen import frozen

LONGEST: Final = 20_000
"""Characters of a text that are looked at; a longer one is speech."""

MOST_OPENINGS: Final = 16
"""How many sentences of one text are read as a call; with more that only look like one, it is speech."""

_START: Final = re.compile(r"(?:\A|\n|[.!?…]['\")\]]*\s)\s*")
_CLOSING_CHARACTERS: Final = " \t\r\n.!;,)]`'\"…"
"""Not a question mark: a call that is asked about is not made."""
_RESPONSE_TAG: Final = "<tool_response>"
_RESPONSE: Final = re.compile(r"\s*<tool_response>.*?(?:</tool_response>|\Z)", re.DOTALL)
_BACKTICKS: Final = re.compile(r"`+")


@frozen()
class Recovered:
    """A call found in a text.

    Args:
        name: The declared tool.
        arguments: As they were said, coerced by the declared types; what does not fit is left for the schema to refuse.
        start: Where the call's text begins: what is spoken is the text before it.
        form: Which way it was written.
    """

    name: str
    arguments: Mapping[str, object]
    start: int
    form: FormName


def find_call(text: str, tools: Tools) -> Recovered | None:
    """Find the one call in `text`; None where there is none, or more than one, or words after it."""
    for start in _openings(text, tools):
        found = read_call(text, start, tools)
        if found is not None:
            words_after = text[found.end :].lstrip(_CLOSING_CHARACTERS)
            return None if words_after else Recovered(found.name, found.arguments, start, found.form)
    return None


def may_begin(text: str, tools: Tools) -> int | None:
    """Where the tail of a partial text could be a call, or the beginning of one; None: nowhere, it is speech."""
    for start in _openings(text, tools):
        found = read_call(text, start, tools)
        # Behind the call the model may begin to make its result up, which is no word of its own.
        if found is None or _RESPONSE_TAG.startswith(text[found.end :].lstrip(_CLOSING_CHARACTERS)):
            return start
    return None


def _openings(text: str, tools: Tools) -> Iterator[int]:
    """The places where a call may begin; no more of them than could be meant as one."""
    if not tools or len(text) > LONGEST:
        return
    found = 0
    for match in _START.finditer(text):
        if may_become_call(text, match.end(), tools):
            yield match.end()
            found += 1
            if found == MOST_OPENINGS:
                return


def last_start(text: str) -> int:
    """Where its last sentence begins: no call begins before it that has not begun to show (`may_begin`) already."""
    return max((match.end() for match in _START.finditer(text)), default=0)


def without_responses(text: str) -> str:
    """The text without what the model invents as a tool's result: that is never a result."""
    return _RESPONSE.sub("", text) if _RESPONSE_TAG in text else text


def fenced(name: str, outcome: str) -> str:
    """A call's outcome as text that a model can read, in a fence that nothing inside can close."""
    longest = max(map(len, _BACKTICKS.findall(outcome)), default=0) if "`" in outcome else 0
    fence = "`" * max(3, longest + 1)
    return f"The tool {name} has returned:\n{fence}\n{outcome}\n{fence}"
