"""`NewRequest`: a request that is about to be opened, and the ways in which it is put to people."""

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TypedDict, Unpack

from voice_hitl.asker import Asker, AskerSession
from voice_hitl.enums import ChannelType, DoorName
from voice_hitl.frozen import frozen
from voice_hitl.questions.model import Question
from voice_hitl.requests.pending import PendingInput, copy_json
from voice_hitl.tools.context import current_tool_actor_id
from voice_hitl.tools.human_tool import HumanTool


class RequestFields(TypedDict, total=False):
    """What may be said of a request beside its tool and arguments: the fields of `PendingInput`, where it lives.

    Without `actor_id` it is whoever's turn it is: `current_tool_actor_id()`.
    """

    room_id: str
    tool_call_id: str
    channel_id: str
    channel_type: ChannelType
    door: DoorName | None
    session_id: str
    actor_id: str | None
    actor_confidence: float | None
    question: Question | None


def new_pending(
    tool_name: str,
    arguments: Mapping[str, object],
    *,
    audience: Sequence[str] = (),
    detached: bool = False,
    **fields: Unpack[RequestFields],
) -> PendingInput:
    """Make the request itself: under an unguessable id, with a copy of the arguments, not yet registered anywhere.

    Raises:
        ValueError: The audience is one text, where a sequence of them is meant.
    """
    if isinstance(audience, str):
        raise ValueError(f"audience is a sequence of who may answer, such as ({audience!r},)")
    if "actor_id" not in fields:
        fields["actor_id"] = current_tool_actor_id()
    return PendingInput(
        pending_id=os.urandom(16).hex(),
        tool_name=tool_name,
        arguments=copy_json(arguments),
        audience=tuple(audience),
        detached=detached,
        created_at=datetime.now(UTC),
        **fields,
    )


@frozen()
class NewRequest:
    """A request that is about to be opened.

    Args:
        pending: The request itself.
        timeout: Seconds a person has, as `check_timeout` lets them be; None: it has no deadline of its own.
        tool: What makes of an answer what the model reads.
        askers: The ways to reach a person, all at once.
        session: The session they ask in.
        max_chars: How long what the model reads may be, in characters; a longer answer is `INVALID`.
        runs: Whether it holds a host's tool, which runs once it is approved.
    """

    pending: PendingInput
    timeout: float | None = None
    tool: HumanTool | None = None
    askers: Sequence[Asker] = ()
    session: AskerSession | None = None
    max_chars: int | None = None
    runs: bool = False

    @property
    def caller(self) -> str | None:
        """Who is on the leg of the session, where that is one person."""
        return (self.session.participant_id or None) if self.session is not None else None
