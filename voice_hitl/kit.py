"""`VoiceKit`: what an application holds. It registers channels and hooks, and owns nothing else."""

from collections.abc import Callable, Collection
from types import TracebackType
from typing import Protocol, TypeVar

from voice_hitl.enums import ChannelType, HookExecution, HookTrigger
from voice_hitl.hooks import TIMEOUT_S, HookFunction, Hooks

F = TypeVar("F", bound=HookFunction)


class Channel(Protocol):
    """What a kit asks of a channel."""

    @property
    def id(self) -> str:
        """Its id, unique in the kit."""
        ...

    @property
    def channel_type(self) -> ChannelType:
        """What kind of channel it is."""
        ...

    def bind(self, kit: "VoiceKit | None") -> None:
        """Use this kit's hooks from now on (None: no hooks)."""
        ...

    async def close(self) -> None:
        """End its sessions and settle everything open."""
        ...


class VoiceKit:
    """Registers channels and hooks.

    `async with VoiceKit() as kit:` closes every registered channel at its end, as `close()` does.
    """

    def __init__(self) -> None:
        self.hooks = Hooks()
        self._channels: dict[str, Channel] = {}

    @property
    def channels(self) -> tuple[Channel, ...]:
        """The registered channels."""
        return tuple(self._channels.values())

    def register_channel(self, channel: Channel) -> None:
        """Bind `channel` to this kit. One under the same id is displaced: it keeps its calls, without these hooks."""
        displaced = self._channels.get(channel.id)
        if displaced is not None and displaced is not channel:
            displaced.bind(None)
        self._channels[channel.id] = channel
        channel.bind(self)

    async def unregister_channel(self, channel_id: str) -> None:
        """Close the channel and forget it. Nothing registered under the id: nothing happens.

        Its hooks are still heard: also the end of a call from inside which this was called.
        """
        channel = self._channels.get(channel_id)
        if channel is None:
            return
        await channel.close()
        if self._channels.get(channel_id) is channel:
            del self._channels[channel_id]

    def hook(  # noqa: PLR0917 - the published signature
        self,
        trigger: HookTrigger,
        execution: HookExecution = HookExecution.SYNC,
        priority: int = 0,
        name: str | None = None,
        timeout: float = TIMEOUT_S,
        fail_closed: bool | None = None,
        channel_types: Collection[ChannelType] | None = None,
    ) -> Callable[[F], F]:
        """Register the decorated `async (event, ctx) -> HookResult | None`; see `Hooks.register`."""

        def register(function: F) -> F:
            self.hooks.register(
                function,
                trigger,
                execution=execution,
                priority=priority,
                name=name,
                timeout=timeout,
                fail_closed=fail_closed,
                channel_types=channel_types,
            )
            return function

        return register

    async def close(self) -> None:
        """Close every channel, and return when all have ended; closing twice, or from two tasks, is harmless.

        Raises:
            ExceptionGroup: Channels that failed to close; the others are closed.
        """
        failures: list[Exception] = []
        for channel in self.channels:
            try:
                await channel.close()
            except Exception as error:  # noqa: BLE001 - the other channels have calls to end, too; it is raised below
                failures.append(error)
            if self._channels.get(channel.id) is channel:
                del self._channels[channel.id]
        await self.hooks.close()
        if failures:
            raise ExceptionGroup("channels that could not be closed", failures)

    async def __aenter__(self) -> "VoiceKit":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
