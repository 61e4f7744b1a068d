"""`voice-hitl talk`: hold the dialogue of a tool's question in text, with the reason for every reading."""

import json
from collections.abc import Callable
from typing import cast

from voice_hitl.cli.target import load_target
from voice_hitl.errors import InvalidArguments, InvalidQuestion, VoiceHitlError
from voice_hitl.human_input.approvals import approval_of
from voice_hitl.questions.model import Approval, Choice, Confirm, Form, Number, Question, Text
from voice_hitl.speech.manner import Manner
from voice_hitl.testing.converse import Conversing, Key, Silence, Turn
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.human_tool import HumanTool, as_human_tool
from voice_hitl.tools.schema import CompiledSchema

_QUESTIONS = (Confirm, Choice, Number, Text, Form, Approval)


class CannotTalk(VoiceHitlError):  # noqa: N818 - named by its cause
    """There is no question to hold a dialogue about; the text says why."""


def question_of(target: str, arguments: str) -> Question:
    """The question of `FILE:TOOL`, asked with these arguments (a JSON object).

    Raises:
        NoSuchTarget: There is no such file, or no such name in it.
        CannotTalk: There is nothing to ask with these arguments.
    """
    found = load_target(target)
    if isinstance(found, _QUESTIONS):
        return found
    if not isinstance(found, HumanTool | AITool):
        raise CannotTalk(f"{target} is neither a tool (AITool, confirm_action(), ...) nor a question (Confirm, ...)")
    try:
        given: object = json.loads(arguments)
    except ValueError as error:
        raise CannotTalk(f"the arguments are not JSON: {error}") from None
    if not isinstance(given, dict):
        raise CannotTalk('the arguments are a JSON object: {"name": ...}')
    try:
        return _asked(found, cast("dict[str, object]", given))
    except (InvalidArguments, InvalidQuestion) as error:
        raise CannotTalk(f"{target} cannot be asked with these arguments (--arguments): {error}") from None


def _asked(tool: HumanTool | AITool, arguments: dict[str, object]) -> Question:
    """What a call of the tool asks: of a host's tool that requires an approval, that."""
    if isinstance(tool, AITool) and tool.requires_approval is not False:
        return approval_of(tool, CompiledSchema(tool.parameters).admit(arguments))
    return as_human_tool(tool).question(arguments)


def turn_of(line: str) -> Turn:
    """What a line stands for: `#1` is key 1, nothing (or dots) ten seconds of silence, anything else is said."""
    line = line.strip()
    if len(line) == 2 and line.startswith("#"):
        return Key(line[1])
    return Silence(10) if set(line) <= {"."} else line


def run_talk(question: Question, language: str, read: Callable[[], str], show: Callable[[str], None]) -> None:
    """Hold the dialogue: `read` gives the caller's lines (`EOFError`: they hang up), `show` takes ours.

    Raises:
        CannotTalk: The question cannot be asked aloud.
    """
    try:
        conversing = Conversing(question, Manner(language=question.language or language), tell=show)
    except ValueError as error:
        raise CannotTalk(str(error)) from None
    while not conversing.talk.over:
        try:
            conversing.turn(turn_of(read()))
        except EOFError:
            show("caller hangs up")
            return
