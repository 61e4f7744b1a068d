"""What the output of a tool call says. Pure."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

from voice_hitl_local.front_desk.plain import first_match
from voice_hitl_local.front_desk.understanding import understand

Verdict = Literal["done", "no", "refused", "undecided", "unanswered", "interrupted", "failed"]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """How a call ended.

    Args:
        verdict: Done (or yes); a person's no; refused by somebody or a rule; not run because nobody decided that it
            may; nobody answered, or not in time; not run because its response was interrupted; failed.
        reason: Why, where that is in words fit to be spoken.
        said: What the person said with their answer.
    """

    verdict: Verdict
    reason: str = ""
    said: str = ""


def read_result(text: str, *, failed: bool) -> ToolResult:
    """Read the output of any tool but a confirmation: what is not said to have failed is done."""
    found = _mapping(text)
    error = found.get("error")
    if failed or error:
        return _failure(error if isinstance(error, str) else text)
    if any(found.get(key) is False for key in ("booked", "ok", "success")):
        return ToolResult("failed", _speakable(found.get("reason") or found.get("message")))
    return ToolResult("done")


def read_confirmation(text: str, *, failed: bool) -> ToolResult:
    """Read the output of a confirmation: what is not a clear yes is a no, and may say what to change."""
    found = _mapping(text)
    if failed or found.get("error"):
        return read_result(text, failed=failed)
    said = found.get("said")
    words = said if isinstance(said, str) else ""
    if "confirmed" in found:
        return ToolResult("done" if found["confirmed"] is True else "no", said=words)
    # A host may answer in its own words: "yes", "approved", "yes but at eight".
    agreed = text.strip().strip('".!').lower() in {"approved", "confirmed"} or understand(text).intent == "yes"
    return ToolResult("done" if agreed else "no", said=text)


def read_choice(text: str, *, failed: bool) -> ToolResult:
    """Read the output of a tool by which the caller picks a time: `said` is the time; one called off is a no."""
    found = _mapping(text)
    if failed or found.get("error"):
        return read_result(text, failed=failed)
    time = found.get("time", text if not found else None)
    return ToolResult("done", said=time) if isinstance(time, str) else ToolResult("no")


_FAILURES: dict[Verdict, re.Pattern[str]] = {
    "interrupted": re.compile(r"\b(?:called again|interrupted)\b"),
    "refused": re.compile(r"\b(?:rejected|refused|declined|denied|not allowed|not approved|blocked)\b"),
    "undecided": re.compile(r"\b(?:timed out|unanswered)\b.*nothing was executed", re.DOTALL),
    "unanswered": re.compile(r"\b(?:timed out|unanswered|took longer|no answer)\b"),
}


def _failure(words: str) -> ToolResult:
    verdict = first_match(_FAILURES, words.lower()) or "failed"
    words = words.removesuffix(" Nothing was executed.")  # the model is to know; the caller is told what it means
    return ToolResult(verdict, _speakable(words.rpartition("rejected: ")[2] if verdict == "refused" else words))


_MACHINE_WORDS = re.compile(r"[(){}\[\]_\"<>/\\=]|[a-z][A-Z]|\btool\b|\bInput\b|\bcall\b")


def _speakable(reason: object) -> str:
    """Return a reason that a caller may hear: a short sentence without names of classes and tools; else nothing."""
    if not isinstance(reason, str) or len(reason) > 160 or _MACHINE_WORDS.search(reason):
        return ""
    words = reason.strip().rstrip(".")
    return f"{words[:1].upper()}{words[1:]}." if words else ""


def _mapping(text: str) -> Mapping[str, object]:
    try:
        found: object = json.loads(text)
    except ValueError:
        return {}
    return cast("Mapping[str, object]", found) if isinstance(found, dict) else {}
