"""The voice of an asker where the provider holds the call's media: the model's own, heard when the provider says so."""

from collections.abc import Callable

from voice_hitl.line import LineEvent, PartBegan, PartCut, PartHeard
from voice_hitl.tasks import Latch, current_time
from voice_hitl.transport import Played


class HostedVoice:
    """Parts of speech that the provider plays by itself, one after the other: no audio of them passes through here.

    A part begins when its response does, so that a no and a key count from then on; it was heard when the provider
    has played it. What is stopped before was not heard to its end, however little was missing: nobody here knows.

    Args:
        tell: Is told what was heard.
    """

    def __init__(self, tell: Callable[[LineEvent], None]) -> None:
        self._tell = tell
        self.part = 0
        """The part that is being said, or about to be; 0: none. Parts count from 1."""
        self._began = 0.0
        self._over = Latch()
        self.response_id = ""
        """The response that is being said, or played; empty: none."""

    async def take(self, part: int) -> None:
        """Wait until the part before this one is over: two at once would be played into each other."""
        while self.part:
            await self._over.wait()
        self.part, self._over = part, Latch()

    def play(self, pcm: bytes, part: int) -> None:
        """Nothing: the provider plays it."""

    def end_part(self, part: int) -> None:
        """Nothing: that all of it was made does not say that it was heard."""

    def began(self, part: int, response_id: str) -> None:
        """The model begins to say this part."""
        if part == self.part:
            self.response_id, self._began = response_id, current_time()
            self._tell(PartBegan(part, self._began))

    def played(self, event: Played) -> bool:
        """No part of ours: a leg tells how much was heard of what went through it."""
        return False

    def heard(self, part: int) -> None:
        """The provider has played this part to its end."""
        if part == self.part and self.response_id:
            self._end()
            self._tell(PartHeard(part, self._began, current_time()))

    def stop(self) -> None:
        """Stop in this tick; the part that is being said is cut. Whoever stops it stops its response, too."""
        part, said = self.part, self.response_id
        self._end()
        if said:
            self._tell(PartCut(part, self._began, current_time()))

    def _end(self) -> None:
        self.part, self.response_id = 0, ""
        self._over.set()
