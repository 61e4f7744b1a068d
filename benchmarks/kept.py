"""What the benchmarks of stores share: a store by its place, a tool that must be approved, a process that holds it."""

import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from voice_hitl import AITool, Answer, ChannelType, HumanInputHandler, HumanInputToolHandler, PendingInput
from voice_hitl.human_input.approvals import open_approval
from voice_hitl.human_input.tool_handler import Caller
from voice_hitl.store import Store
from voice_hitl.stores.redis import RedisStore
from voice_hitl.stores.sqlite import SQLiteStore
from voice_hitl.testing.redis_server import redis_server
from voice_hitl.tools.context import ToolCallContext

COUNT = AITool("count", "Count one.", requires_approval=True, approvers=("manager",))
PRELOADED = ["voice_hitl", "voice_hitl.stores.redis", "voice_hitl.stores.sqlite", "typer"]
"""What a process that is forked for a benchmark need not import again."""
APPROVED = Answer(by="manager", decision="approve")


def store_at(place: str) -> Store:
    """The store of a `redis://` URL, or of a file."""
    return RedisStore(place) if place.startswith("redis://") else SQLiteStore(place)


@contextmanager
def place_of(kind: str) -> Generator[str, None, None]:
    """A new store within the block: `sqlite`, a file; `redis`, a server."""
    with TemporaryDirectory() as folder:
        if kind == "sqlite":
            yield str(Path(folder) / "requests.db")
        else:
            with redis_server(Path(folder)) as url:
                yield url


def note(path: str, line: str) -> None:
    """Add a line to a file, at once: what was noted, a process that is killed has noted."""
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, f"{line}\n".encode())
    os.close(file)


def noted(path: str) -> list[str]:
    """The lines of such a file."""
    return Path(path).read_text().splitlines() if Path(path).exists() else []


def approval(human: HumanInputToolHandler, arguments: Mapping[str, object]) -> PendingInput:
    """Hold a call of the counting tool."""
    caller = Caller.of(ToolCallContext(session_id="call"))
    return open_approval(human, caller, COUNT, arguments, channel_type=ChannelType.REALTIME_VOICE)


def tool_handler_of(handler: HumanInputHandler) -> HumanInputToolHandler:
    """The tools that ask a person, of a handler: here none but the approvals."""
    return HumanInputToolHandler(["nothing"], handler=handler)
