"""The hooks of the kit that a channel is registered with."""

from voice_hitl.hooks import HookContext, Hooks
from voice_hitl.kit import Channel, VoiceKit


class ChannelHooks:
    """A channel's hooks, as they are now: it may be bound to a kit while it has sessions. Without a kit: none.

    Args:
        channel: The channel.
    """

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self.kit: VoiceKit | None = None
        self._none = Hooks()

    def bind(self, kit: VoiceKit | None) -> None:
        """Use this kit's hooks from now on."""
        self.kit = kit

    def now(self) -> Hooks:
        """The hooks."""
        return self.kit.hooks if self.kit is not None else self._none

    def context(self, room_id: str, session: object | None = None) -> HookContext:
        """Where a hook of this room runs, in this session if any."""
        return HookContext(self.kit, self._channel, session, room_id)
