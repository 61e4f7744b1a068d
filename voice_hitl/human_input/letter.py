"""What travels between two processes that have the same request: an answer, and what became of it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, cast

from pydantic import TypeAdapter, ValidationError

from voice_hitl.enums import Via
from voice_hitl.errors import InvalidAnswer
from voice_hitl.questions.answer import Answer
from voice_hitl.questions.json_value import json_fault
from voice_hitl.requests.settlement import Settlement, SettlementKind


def answer_body(answer: Answer) -> str:
    """Write an answer as JSON.

    Raises:
        InvalidAnswer: There is something in it that is not JSON.
    """
    body: dict[str, object] = {
        "value": answer.value,
        "by": answer.by,
        "via": answer.via,
        "at": answer.at.isoformat() if answer.at is not None else None,
        "confidence": answer.confidence,
        "evidence": dict(answer.evidence),
        "decision": answer.decision,
        "edited_arguments": dict(answer.edited_arguments) if answer.edited_arguments is not None else None,
        "reason": answer.reason,
        "decline": answer.decline,
        "roles": list(answer.roles),
    }
    if fault := json_fault(body):
        raise InvalidAnswer(f"an answer is JSON: there is {fault} in this one")
    return json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def answer_of(body: str) -> Answer:
    """Read an answer back.

    Raises:
        InvalidAnswer: It is damaged.
    """
    try:
        given = _ANSWER.validate_json(body)
    except ValidationError:
        raise InvalidAnswer("the answer was damaged on its way") from None
    return Answer(
        given.value,
        by=given.by,
        via=given.via,
        at=given.at,
        confidence=given.confidence,
        evidence=given.evidence,
        decision="approve" if given.decision == "approve" else "reject" if given.decision is not None else None,
        edited_arguments=given.edited_arguments,
        reason=given.reason,
        decline=given.decline,
        roles=given.roles,
    )


def verdict_body(settlement: Settlement) -> str:
    """Write what became of an answer as JSON."""
    return json.dumps({"kind": settlement.kind, "why": settlement.why}, ensure_ascii=False)


def verdict_of(body: str) -> Settlement:
    """Read what became of an answer; of a damaged one nobody knows any more."""
    try:
        read = cast("Mapping[str, str]", json.loads(body))
        return Settlement(SettlementKind(read["kind"]), read["why"])
    except (ValueError, KeyError, TypeError):
        return Settlement(SettlementKind.UNKNOWN, "the verdict on it is damaged")


@dataclass
class _Answer:
    value: object = None
    by: str | None = None
    via: Via = Via.API
    at: datetime | None = None
    confidence: float | None = None
    evidence: Mapping[str, object] = field(default_factory=dict[str, object])
    decision: str | None = None
    edited_arguments: Mapping[str, object] | None = None
    reason: str | None = None
    decline: bool = False
    roles: tuple[str, ...] = ()


_ANSWER: Final = TypeAdapter(_Answer)
