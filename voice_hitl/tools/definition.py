"""`AITool`: what the model may call, as data."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from voice_hitl.enums import RISKS, Risk


def _no_parameters() -> Mapping[str, object]:
    return {"type": "object", "properties": {}}


@dataclass(frozen=True, slots=True)
class AITool:
    """A tool as the model sees it, and how it is to be handled.

    Args:
        name: What the model calls it by.
        description: What the model reads about it.
        parameters: JSON Schema of its arguments, an object.
        requires_approval: Whether a person must approve each call before its handler runs, or a predicate on the
            validated arguments that says so.
        approvers: Who may approve: `"caller"`, participant ids, or console roles. Required with `requires_approval`.
        allow_edits: Whether whoever approves may change the arguments.
        risk: `"high"` asks twice when the answer comes by voice.
        speak: A template for reading an approval aloud, such as `"Refund {amount} to {name}"`.
        runs_when_interrupted: Whether a call of a response that the caller interrupted still runs.
        idempotent: Whether running it again after an unknown outcome does no harm.
        title: What a person sees instead of the name.

    Raises:
        ValueError: No name, parameters that are no object's, an unknown risk, or nobody who may approve.
    """

    name: str
    description: str = ""
    parameters: Mapping[str, object] = field(default_factory=_no_parameters)
    requires_approval: bool | Callable[[Mapping[str, object]], bool] = field(default=False, kw_only=True)
    approvers: tuple[str, ...] = field(default=(), kw_only=True)
    allow_edits: bool = field(default=False, kw_only=True)
    risk: Risk = field(default="normal", kw_only=True)
    speak: str | None = field(default=None, kw_only=True)
    runs_when_interrupted: bool = field(default=False, kw_only=True)
    idempotent: bool = field(default=False, kw_only=True)
    title: str | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        """Refuse what could not work, where it is written."""
        if not self.name or not self.name.strip():
            raise ValueError("a tool needs a name")
        is_schema = isinstance(self.parameters, Mapping)  # pyright: ignore[reportUnnecessaryIsInstance] - a list is easily written
        if not is_schema or self.parameters.get("type", "object") != "object":
            raise ValueError(
                f"tool {self.name!r}: parameters is the JSON Schema of an object, "
                'such as {"type": "object", "properties": {...}}'
            )
        if self.risk not in RISKS:
            raise ValueError(f'tool {self.name!r}: risk is "normal" or "high", not {self.risk!r}')
        if isinstance(self.approvers, str):
            raise ValueError(f"tool {self.name!r}: approvers is a list, such as approvers=({self.approvers!r},)")
        if self.requires_approval and not self.approvers:
            raise ValueError(
                f"tool {self.name!r} requires approval: say who may, such as approvers=('caller',) or a console role"
            )
