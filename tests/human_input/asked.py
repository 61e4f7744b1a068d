"""A request of the handler under test, and what its questions are."""

from collections.abc import Mapping

from voice_hitl.human_input.handler import HumanInputHandler
from voice_hitl.questions.model import Approval, Confirm, Question
from voice_hitl.requests.pending import PendingInput

ARGUMENTS: Mapping[str, object] = {"question": "Which day?"}
BOOK = Confirm(prompt="Book it?")
REFUND = Approval(tool="refund", arguments={"amount": 5}, digest="d")


async def ask(
    handler: HumanInputHandler,
    question: Question | None = None,
    *,
    timeout: float | None = None,
    detached: bool = False,
) -> PendingInput:
    create = handler.create_detached if detached else handler.create
    return await create("AskUser", ARGUMENTS, channel_id="voice", session_id="s1", question=question, timeout=timeout)
