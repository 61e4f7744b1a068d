"""Approvals: a host's tool that is held before its handler until somebody says that it may run.

An answer is not permission. What was shown is what runs: the request carries a digest of the arguments, checked again
just before the handler. One use: the request settles once, and nothing is remembered for the next call.
"""

import json
from collections.abc import Mapping
from typing import cast

from voice_hitl.enums import ChannelType
from voice_hitl.errors import HumanInputRejectedError, ToolFailedError, ToolRefusedError
from voice_hitl.human_input.holding import NOTHING_EXECUTED
from voice_hitl.human_input.new_request import NewRequest
from voice_hitl.human_input.outcome import told_to_the_model
from voice_hitl.human_input.tool_handler import Caller, HumanInputToolHandler
from voice_hitl.questions.answer import Answer
from voice_hitl.questions.digest import digest
from voice_hitl.questions.model import Approval, Question
from voice_hitl.requests.pending import PendingInput, copy_json
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.human_tool import HumanTool, model_json


def open_approval(
    human: HumanInputToolHandler,
    caller: Caller,
    tool: AITool,
    arguments: Mapping[str, object],
    *,
    channel_type: ChannelType,
) -> PendingInput:
    """Open the request that holds this call, shown to those who may approve it.

    Raises:
        ToolRefusedError: The same call of this session is being asked about already: a gated call is never shared.
    """
    question = approval_of(tool, arguments)
    for request in human.handler.open_in(caller.session_id):
        if isinstance(request.question, Approval) and request.question.digest == question.digest:
            raise ToolRefusedError(f"The same call of {tool.name!r} is already being asked about. {NOTHING_EXECUTED}")
    pending = caller.request(
        tool.name, arguments, channel_type=channel_type, question=question, audience=tool.approvers
    )
    asks = HumanTool(tool, lambda _arguments: question, _decision)
    askers = human.askers_of(tool.name)
    return human.handler.open(NewRequest(pending, human.timeout, asks, askers, caller.session, runs=True))


def approval_of(tool: AITool, arguments: Mapping[str, object]) -> Approval:
    """What is asked before this tool may run with these arguments."""
    return Approval(
        tool=tool.name,
        arguments=arguments,
        digest=digest(tool.name, arguments),
        allow_edits=tool.allow_edits,
        parameters=tool.parameters,
        risk=tool.risk,
        title=tool.title,
        speak=tool.speak,
    )


async def approved_arguments(human: HumanInputToolHandler, pending: PendingInput) -> dict[str, object]:
    """Wait for the decision; return the arguments to run with: as proposed, or as edited by who approved.

    Raises:
        ToolRefusedError: Rejected, declined, or blocked by a hook; or not what was shown.
        ToolFailedError: Nobody decided in time, or it was given up.
    """
    name = pending.tool_name
    try:
        decision = await human.handler.outcome(pending)
    except HumanInputRejectedError as refused:
        said = _sentence(told_to_the_model(pending, refused, human.timeout))
        raise ToolRefusedError(f"{said} {NOTHING_EXECUTED}") from None
    except TimeoutError as in_vain:
        said = _sentence(told_to_the_model(pending, in_vain, human.timeout))
        raise ToolFailedError(f"{said} {NOTHING_EXECUTED}") from None
    except RuntimeError:
        raise ToolFailedError(f"The approval of {name!r} was withdrawn. {NOTHING_EXECUTED}") from None
    edited = cast("dict[str, object]", json.loads(decision)).get("edited_arguments")
    if isinstance(edited, dict):
        return cast("dict[str, object]", edited)
    question = pending.question
    if not isinstance(question, Approval) or digest(name, pending.arguments) != question.digest:
        raise ToolRefusedError(f"The arguments of {name!r} are not those that were approved. {NOTHING_EXECUTED}")
    return copy_json(pending.arguments)


def _sentence(text: str) -> str:
    """With a full stop, unless whoever gave the reason wrote one."""
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _decision(_question: Question, answer: Answer) -> str:
    return model_json({"decision": "approve", "edited_arguments": answer.edited_arguments})
