"""How a settled request comes out: of `wait` as its text or an exception, and in the words that the model reads."""

from voice_hitl.enums import PendingInputStatus, RequestEnd
from voice_hitl.errors import HumanInputRejectedError
from voice_hitl.human_input.timeouts import in_seconds
from voice_hitl.requests.pending import PendingInput


def outcome_of(pending: PendingInput) -> str:
    """Return the text of the answer.

    Raises:
        HumanInputRejectedError: A person declined, or a hook blocked it; its text is the reason.
        TimeoutError: Nobody answered in time, or every asker gave up.
        RuntimeError: It was given up (closed, released) before anybody answered.
    """
    match pending.status:
        case PendingInputStatus.RESOLVED:
            return pending.result or ""
        case PendingInputStatus.TIMED_OUT:
            raise TimeoutError(pending.reject_reason or "nobody answered in time")
        case PendingInputStatus.REJECTED if pending.end is not RequestEnd.WITHDRAWN:
            raise HumanInputRejectedError(pending.reject_reason or "")
        case _:
            raise RuntimeError("the request was given up before anybody answered")


def told_to_the_model(pending: PendingInput, ended: Exception, timeout: float) -> str:
    """What the model reads of a request that was refused, or that nobody answered within `timeout` seconds.

    Args:
        pending: The request, settled.
        ended: What `wait` raised: `HumanInputRejectedError` or `TimeoutError`.
        timeout: How long a person had.
    """
    if isinstance(ended, HumanInputRejectedError):
        return f"Human input rejected: {str(ended) or 'no reason was given'}"
    how = pending.reject_reason if pending.end is RequestEnd.UNANSWERED else f"timed out after {in_seconds(timeout)}"
    return f"Human input {how} for tool {pending.tool_name!r}"
