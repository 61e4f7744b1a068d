"""What the API answers when it does nothing: a status, a code, why."""

from typing import Final

from starlette.responses import JSONResponse

from voice_hitl.channels.verdicts import Refusal
from voice_hitl.console.shown import OutcomeShown, Problem, Taking
from voice_hitl.messages import Code

STATUS: Final[dict[Code, int]] = {
    "not_allowed": 403,
    "unknown": 404,
    "late": 409,
    "duplicate": 409,
    "too_large": 413,
    "invalid": 422,
    "malformed": 422,
}


class Refused(Exception):  # noqa: N818 - named by its cause; never leaves the console
    """A request that gets a problem for an answer."""

    def __init__(self, response: JSONResponse) -> None:
        super().__init__(response.status_code)
        self.response = response


def problem(
    status: int,
    error: str,
    why: str,
    *,
    outcome: OutcomeShown | None = None,
    taken: Taking | None = None,
    headers: dict[str, str] | None = None,
) -> JSONResponse:
    """Say why nothing was done."""
    body = Problem.model_validate({"error": error, "why": why, "outcome": outcome, "taken": taken})
    return JSONResponse(body.model_dump(mode="json", exclude_none=True), status, headers)


def refused(refusal: Refusal, outcome: OutcomeShown | None) -> JSONResponse:
    """Say what was wrong with an answer; late or a duplicate: with how the request had ended."""
    return problem(STATUS[refusal.code], refusal.code, refusal.why, outcome=outcome)
