"""`digest`: what binds an approval to exactly the call that was shown."""

import hashlib
import json
from collections.abc import Mapping

from voice_hitl.questions.json_value import json_fault


def digest(tool: str, arguments: Mapping[str, object]) -> str:
    """Return the SHA-256, in hex, of a call in canonical JSON: members sorted, no spaces, ASCII, UTF-16 escapes.

    Arguments that differ in anything but the order of their members have another digest; 5 and 5.0 differ too.

    Raises:
        ValueError: The arguments are not JSON: what cannot be written down cannot be approved.
    """
    call = {"tool": tool, "arguments": dict(arguments)}
    if fault := json_fault(call):
        raise ValueError(f"the arguments of {tool} are not JSON: there is {fault} in them")
    canonical = json.dumps(call, ensure_ascii=True, allow_nan=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()
