"""Digits in SIP INFO requests (`application/dtmf-relay`, `application/dtmf`). Pure."""

import re

_SIGNAL = re.compile(r"^\s*Signal\s*=\s*([0-9A-Da-d*#])\s*$", re.MULTILINE | re.IGNORECASE)
_DURATION = re.compile(r"^\s*Duration\s*=\s*(\d{1,6})\s*$", re.MULTILINE | re.IGNORECASE)
_BARE = re.compile(r"\s*([0-9A-Da-d*#])\s*\Z")

DURATION_MS = 160
"""Where the request does not say how long the key was pressed."""


def read_info(content_type: str, body: str) -> tuple[str, int] | None:
    """The digit and its duration in milliseconds; None where the request carries none."""
    kind = content_type.partition(";")[0].strip().casefold()
    if kind == "application/dtmf":
        bare = _BARE.match(body)
        return (bare.group(1).upper(), DURATION_MS) if bare else None
    if kind != "application/dtmf-relay":
        return None
    signal, duration = _SIGNAL.search(body), _DURATION.search(body)
    if signal is None:
        return None
    return signal.group(1).upper(), int(duration.group(1)) if duration else DURATION_MS
