"""One SIP call: G.711 over RTP, RFC 4733 and INFO digits, changed and held by re-INVITEs."""

from collections.abc import Callable

from voice_hitl.phone import ROUND_TRIP_MS, PhoneAudio
from voice_hitl.provider import Receiver
from voice_hitl.transport import After, HangUpReason, Heard, LegCapabilities, LegEvent, LegInfo
from voice_hitl_sip.media import Media

CAPABILITIES = LegCapabilities(digits=True, echo_cancelled=False, usual_round_trip_ms=ROUND_TRIP_MS)
"""Keys, and echo: a telephone has no canceller that we may count on."""


class SipLeg:
    """A call leg over SIP and RTP. Outgoing media follow the address the far end's really come from (symmetric RTP).

    Args:
        info: Where the call comes from, or goes to.
        media: Its RTP, begun.
        rate: The session's rate.
        say_bye: Says that we hang up.
    """

    round_trip_ms: float | None = None

    def __init__(self, info: LegInfo, media: Media, *, rate: int, say_bye: Callable[[], None]) -> None:
        self._info = info
        self._media = media
        self._say_bye = say_bye
        self._audio = PhoneAudio(rate, send=media.send, silent=media.silence, owner=f"SIP call {info.call_id}")
        media.on_audio = self._audio.heard
        media.on_digit = self._audio.pressed
        self.media_changed()

    @property
    def info(self) -> LegInfo:
        """Where the call comes from, or goes to."""
        return self._info

    @property
    def capabilities(self) -> LegCapabilities:
        """What a telephone can do."""
        return CAPABILITIES

    @property
    def over(self) -> bool:
        """Whether the call has ended."""
        return self._audio.over

    @property
    def on_hold(self) -> bool:
        """Whether the far end has put us on hold: nothing is played meanwhile, and it goes on where it was."""
        return not self._media.flow.hears

    def events(self) -> Receiver[LegEvent]:
        """The one stream of events."""
        return self._audio.events()

    def pressed(self, digit: str, duration_ms: int) -> None:
        """A digit came in an INFO request."""
        self._audio.pressed(digit, duration_ms)

    def media_changed(self) -> None:
        """The far end has described its audio anew."""
        self._audio.flow(hears=self._media.flow.hears, speaks=self._media.flow.speaks)

    def send_audio(self, pcm: bytes, item: str) -> None:
        """Queue one frame of `item`."""
        self._audio.play(pcm, item)

    def clear(self) -> Heard:
        """Drop everything not yet played."""
        return self._audio.clear()

    async def send_message(self, text: str) -> None:
        """A telephone shows no messages."""

    async def hang_up(self, *, after: After = "now") -> None:
        """End the call with a BYE, at once or when what is queued was heard."""
        if after == "playout":
            await self._audio.played_out()
        await self._leave("us")

    async def transfer(self, target: str) -> None:
        """A SIP leg does not transfer yet: `ValueError`."""
        raise ValueError(f"a SIP leg cannot be transferred to {target!r}: let the PBX do it")

    async def aclose(self) -> None:
        """Let the leg go."""
        await self._leave("us")

    async def _leave(self, reason: HangUpReason) -> None:
        if not self.over:
            self._say_bye()
        await self.ended(reason)

    async def ended(self, reason: HangUpReason) -> None:
        """The call is over, whoever ended it: the media stop."""
        self._audio.end(reason)
        await self._media.close()
        await self._audio.tasks.close()
