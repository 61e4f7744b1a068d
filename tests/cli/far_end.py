"""The far end of a call as a check meets it, played by a test: a leg whose events the test pushes."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime

import anyio
import numpy as np
from pydantic import TypeAdapter

from voice_hitl.audio.playout import Counts
from voice_hitl.provider import Receiver
from voice_hitl.tasks import Mailbox, current_time
from voice_hitl.transport import After, AudioIn, Heard, HungUp, LegCapabilities, LegEvent, LegInfo, LegLost, Message

_message: TypeAdapter[dict[str, object]] = TypeAdapter(dict[str, object])

FRAME = 320
LOUD = (np.sin(np.arange(FRAME) / 5) * 8_000).astype(np.int16).tobytes()
SILENCE = bytes(2 * FRAME)


class FarEnd:
    """A leg, and the test's side of it."""

    def __init__(self) -> None:
        self.info = LegInfo(call_id="c")
        self.capabilities = LegCapabilities(messages=True)
        self.round_trip_ms = None
        self.sent: list[dict[str, object]] = []
        self.counts = Counts()
        self.pressed = ""
        self.spoken = 0
        self._events: Mailbox[LegEvent] = Mailbox()
        self._heard_from = anyio.Event()

    # --- the test's side

    def say(self, *frames: bytes) -> None:
        """The agent is heard."""
        for frame in frames:
            self._events.put(AudioIn(frame, current_time()))

    def tell(self, type: str, **members: object) -> None:
        """The agent's session sends a message, now."""
        now = datetime.now(UTC).isoformat()
        text = json.dumps({"v": 1, "type": type, "at": now, "server_time": now, **members})
        self._events.put(Message(text, current_time()))

    def asks(self) -> None:
        """The agent's tool is called, and a question is on the page."""
        self.tell("tool.called", call="c1")
        self.tell("request.opened", call="c1", pending_id="p1")

    async def takes_the_answer(self) -> None:
        """An answer comes, and is taken."""
        self.tell("ok", id=(await self.got("request.answer"))["id"])

    def settles(self) -> None:
        """The tool has its result, and the request is settled."""
        self.tell("tool.result", call="c1", outcome="served")
        self.tell("request.settled", call="c1", pending_id="p1")

    def send_raw(self, text: str) -> None:
        """Something comes that may be no message."""
        self._events.put(Message(text, current_time()))

    def vanish(self) -> None:
        """Nothing more comes."""
        self._events.put(LegLost(current_time()))

    def end(self) -> None:
        """The agent hangs up."""
        self._events.put(HungUp("us", current_time()))
        self._events.close()

    async def got(self, type: str) -> Mapping[str, object]:
        """The message of that type which the calling side sends, sooner or later."""
        while (found := next((one for one in self.sent if one["type"] == type), None)) is None:
            await self._news()
        return found

    async def was_spoken_to(self) -> None:
        """Wait until the caller has spoken."""
        while not self.spoken:
            await self._news()

    async def was_keyed(self) -> None:
        """Wait until the caller has pressed keys."""
        while not self.pressed:
            await self._news()

    async def speak(self, ms: int) -> None:
        """The agent says something, in real time."""
        for _ in range(ms // 20):
            self.say(LOUD)
            await anyio.sleep(0.02)

    async def _news(self) -> None:
        self._heard_from = anyio.Event()
        await self._heard_from.wait()

    # --- the leg

    def events(self) -> Receiver[LegEvent]:
        return self._events

    def send_audio(self, pcm: bytes, item: str) -> None:
        assert len(pcm) % 2 == 0
        assert item
        self.spoken += 1
        self._heard_from.set()

    def clear(self) -> Heard:
        return Heard()

    async def press(self, keys: str) -> None:
        self.pressed += keys
        self._heard_from.set()

    async def send_message(self, text: str) -> None:
        self.sent.append(_message.validate_json(text))
        self._heard_from.set()

    async def hang_up(self, *, after: After = "now") -> None:
        self._events.close()

    async def transfer(self, target: str) -> None:
        raise NotImplementedError(target)

    async def aclose(self) -> None:
        self._events.close()
