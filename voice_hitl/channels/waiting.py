"""Honest while it waits: one system line tells the model that a call waits for a person and nothing has been done."""

from voice_hitl.calls.call import ToolCall
from voice_hitl.channels.link import Link
from voice_hitl.errors import ConnectionEnded, ProviderError
from voice_hitl.tasks import Job, Tasks


def waiting_note(tool_name: str) -> str:
    """What the model is told while a call of this tool waits."""
    return (
        f"The tool {tool_name} is waiting for a person to answer. Nothing has been done yet: do not say or imply that "
        f"it was, and do not call {tool_name} again. Its result comes when the person has answered."
    )


class WaitingNotes:
    """The notes of one session: one a waiting call, taken out of the model's history when its request settles."""

    def __init__(self, link: Link, tasks: Tasks) -> None:
        self._link = link
        self._tasks = tasks
        self._telling: dict[ToolCall, Job] = {}
        self._items: dict[ToolCall, str] = {}

    def add(self, call: ToolCall) -> None:
        """Tell the model that this call waits."""
        self._telling[call] = self._tasks.spawn(self._tell(call), "telling the model that a call waits")

    def again(self) -> None:
        """A new connection does not know them: tell it what waits."""
        for call, job in list(self._telling.items()):
            if job.done:
                self.add(call)

    def remove(self, call: ToolCall) -> None:
        """The call waits no longer; harmless for one that never did."""
        job = self._telling.pop(call, None)
        if job is not None and not self._tasks.closed:
            self._tasks.spawn(self._forget(call, job), "taking back that a call waits")

    async def _tell(self, call: ToolCall) -> None:
        while True:
            try:
                connection = await self._link.ready()
            except ConnectionEnded:
                return  # for good: the session is ending
            try:
                self._items[call] = await connection.inject(waiting_note(call.name), role="system", silent=True)
            except ConnectionEnded:
                self._link.gone(connection)
            except ProviderError:
                return
            else:
                return

    async def _forget(self, call: ToolCall, told: Job) -> None:
        await told.wait()
        item_id = self._items.pop(call, "")
        if item_id:
            self._link.tell(lambda connection: connection.forget(item_id), "taking back that a call waits")
