"""The model's voice on its way to the caller: framed, queued on the leg, and known for how much of it was heard."""

from collections import OrderedDict, deque
from dataclasses import dataclass

from voice_hitl.audio.frame import FRAME_MS, Framer
from voice_hitl.provider import AudioOut
from voice_hitl.transport import Leg, Played

REMEMBERED = 64
"""How many responses and items that were cut are remembered."""


@dataclass(frozen=True, slots=True)
class Cut:
    """What was cut: the item that was being heard, how much of it was, and the items of which nothing was."""

    response_id: str
    item_id: str
    played_ms: float
    unheard: tuple[str, ...]


@dataclass(slots=True)
class _Item:
    response_id: str
    sent_ms: float = 0.0
    played_ms: float = 0.0


class Playback:
    """What of the model's voice was sent to the leg and what of it was heard, item by item."""

    def __init__(self, rate: int) -> None:
        self._framer = Framer(rate)
        self._framing = ""
        self._items: OrderedDict[str, _Item] = OrderedDict()
        self._dropped: OrderedDict[str, None] = OrderedDict()  # responses and items
        self._elsewhere: dict[str, None] = {}
        self._ended: deque[str] = deque(maxlen=REMEMBERED)
        self.speaking = False
        """Whether something that was sent was not heard yet."""

    def play(self, audio: AudioOut, leg: Leg) -> None:
        """Queue some audio on the leg; audio of a response, or of an item, that was cut is let go."""
        if audio.response_id in self._dropped or audio.item_id in self._dropped:
            return
        if audio.item_id != self._framing:
            self.finish(leg)
            self._framing = audio.item_id
        item = self._items.get(audio.item_id)
        if item is None:
            self._forget_heard()
            item = self._items[audio.item_id] = _Item(audio.response_id)
        for frame in self._framer.push(audio.pcm):
            leg.send_audio(frame, audio.item_id)
            item.sent_ms += FRAME_MS
            self.speaking = True

    def finish(self, leg: Leg) -> None:
        """Nothing more of the current item comes: send what is left of it, padded to a frame."""
        rest = self._framer.flush()
        item = self._items.get(self._framing)
        if rest is not None and item is not None:
            leg.send_audio(rest, self._framing)
            item.sent_ms += FRAME_MS
            self.speaking = True
        self._framing = ""

    def heard(self, played: Played) -> bool:
        """Note how much was heard. True: the caller has now heard all there was."""
        item = self._items.get(played.item)
        if item is not None:
            item.played_ms = min(played.ms, item.sent_ms)
            while next(iter(self._items)) != played.item:
                self._items.popitem(last=False)
        was_speaking = self.speaking
        # The queue may run dry in the middle of an item whose voice is made slowly: the item stays known.
        self.speaking = self.speaking and not played.last
        return was_speaking and not self.speaking

    def plays_elsewhere(self, item_id: str) -> None:
        """A provider that holds the call's media plays this item by itself; it says when it has (`ended`)."""
        if item_id not in self._ended:
            self._elsewhere[item_id] = None
            self.speaking = True

    def ended(self, item_id: str) -> bool:
        """The provider has played an item to its end. True: the caller has now heard all there was."""
        self._ended.append(item_id)
        while item_id in self._elsewhere:  # what began before it is over too, though that was not said
            del self._elsewhere[next(iter(self._elsewhere))]
        was_speaking, self.speaking = self.speaking, bool(self._elsewhere)
        return was_speaking and not self.speaking

    def ended_unseen(self) -> None:
        """Nobody tells any more when the provider has played what it plays."""
        if self._elsewhere:
            self._ended.extend(self._elsewhere)
            self._elsewhere.clear()
            self.speaking = False

    def cut(self, leg: Leg) -> Cut | None:
        """Stop the voice in this tick. None: nothing was left to hear.

        Of what the provider plays by itself nobody here knows how much was heard: it cuts its history itself.
        """
        heard = leg.clear()
        self._framer.reset()
        self._framing = ""
        was_speaking, self.speaking = self.speaking, False
        if self._elsewhere:
            item_id = next(iter(self._elsewhere))
            self.ended_unseen()
            return Cut("", item_id, 0.0, ())
        if not self._items or not was_speaking:
            return None
        item_id, item = next(iter(self._items.items()))
        if heard.item in self._items:
            item_id, item = heard.item, self._items[heard.item]
        played_ms = min(heard.ms, item.sent_ms) if heard.item == item_id else item.played_ms
        after = list(self._items)[list(self._items).index(item_id) + 1 :]
        unheard = tuple(after if played_ms > 0 else [item_id, *after])
        for each_id, each in self._items.items():
            self.drop(each.response_id)
            self.drop(each_id)
        self._items.clear()
        return Cut(item.response_id, item_id, played_ms, unheard)

    def drop_from(self, item_id: str, ms: float, leg: Leg) -> bool:
        """What still comes of this item is not played; nor what is queued of it, once all before `ms` was heard.

        A leg can only be cleared whole: where words before `ms` are still queued, they are heard with what follows.
        True: it was cleared.
        """
        self.drop(item_id)
        if self._framing == item_id:
            self._framer.reset()
            self._framing = ""
        item = self._items.get(item_id)
        if item is not None and item.sent_ms > item.played_ms >= ms - FRAME_MS and next(iter(self._items)) == item_id:
            leg.clear()
            item.sent_ms = item.played_ms
            self.speaking = False
            return True
        return False

    def drop(self, id: str) -> None:
        """What still comes of this response, or item, is not played."""
        if id:
            self._dropped[id] = None
            if len(self._dropped) > REMEMBERED:
                self._dropped.popitem(last=False)

    def _forget_heard(self) -> None:
        for item_id in [item_id for item_id, item in self._items.items() if item.played_ms >= item.sent_ms > 0]:
            del self._items[item_id]
