"""Calls that the model says instead of issuing them: found in its transcript, kept out of what is heard, and run."""

import logging
import os
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from voice_hitl.calls.book import Book
from voice_hitl.calls.recovery import Recovered, find_call, may_begin, without_responses
from voice_hitl.calls.spoken_values import Schema
from voice_hitl.channels.link import Link
from voice_hitl.channels.said_and_issued import Issued, Made, Recent
from voice_hitl.channels.said_item import SaidItem
from voice_hitl.doors.gate import Gate
from voice_hitl.doors.pipeline import Pipeline
from voice_hitl.doors.spoken_call import closed
from voice_hitl.provider import AudioOut, Transcript
from voice_hitl.tasks import Timer, current_time

log = logging.getLogger(__name__)

STOOD_S: Final = 0.4
"""How long a partial that is a complete call must stand unchanged, in seconds, before it is taken for one."""

HELD_BACK_S: Final = 0.3
"""How long a partial whose end could be the beginning of a call is held back, in seconds."""

ITEMS: Final = 16
"""How many items of the model's speech are followed at once."""

RAN_ONCE: Final = "You have said this call, and it runs once, as you said it. Its result comes as a message."
"""The output of a call that was issued after it was said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hearing:
    """What becomes of the model's speech once it is known to be speech.

    Args:
        show: Takes a piece of the transcript.
        play: Takes a piece of audio.
        drop: Drops what is queued of an item from so many samples on.
        is_held: Whether an asker has the line: what is said then is not the model's own.
    """

    show: Callable[[Transcript], None]
    play: Callable[[AudioOut], None]
    drop: Callable[[str, int], None]
    is_held: Callable[[], bool]


class SpokenCalls:
    """The model's speech goes through here. What is a call of a declared tool does not come out as speech.

    Args:
        hearing: Where speech goes.
        link: The model.
        pipeline: Runs the calls; its door delivers as text.
        gate: The session's gate, as it is now.
        interrupted: The session's book, which knows the responses that the caller cut.
        own_book: The book of the calls that were said.
        asks_a_person: Whether calls of this tool wait for a person.
        go_on: Has the model asked to go on.
        enabled: Whether calls are looked for at all.
    """

    def __init__(
        self,
        *,
        hearing: Hearing,
        link: Link,
        pipeline: Pipeline,
        gate: Callable[[], Gate],
        interrupted: Book,
        own_book: Book,
        asks_a_person: Callable[[str], bool],
        go_on: Callable[[], None],
        enabled: bool,
    ) -> None:
        self.pipeline = pipeline
        self._hearing = hearing
        self._link = link
        self._gate = gate
        self._interrupted = interrupted
        self._book = own_book
        self._asks_a_person = asks_a_person
        self._go_on = go_on
        self._enabled = enabled
        self._items: OrderedDict[str, SaidItem] = OrderedDict()
        self._active = ""
        self._waiting: list[Made] = []
        self._ran: Recent[Made] = Recent()
        self._issued: Recent[Issued] = Recent()

    # --- what the model says -----------------------------------------------------------------------------------------

    def heard(self, line: Transcript) -> None:
        """Some of its transcript."""
        if not self._tools or self._hearing.is_held():
            self._hearing.show(line)
        elif line.final:
            self._complete(line)
        else:
            item = self._item(line.item_id, "")
            item.append(line.text)
            if item.cut_at is None:
                self._consider(line.item_id, item)

    def said(self, audio: AudioOut) -> None:
        """Some of its voice."""
        if not self._tools or self._hearing.is_held():
            self._hearing.play(audio)
            return
        item = self._item(audio.item_id, audio.response_id)
        item.samples += len(audio.pcm) // 2
        if item.cut_at is not None:
            return
        if item.holding:
            item.audio.append(audio)
        else:
            self._hearing.play(audio)

    def response_started(self, response_id: str) -> None:
        """It responds."""
        self._active = response_id

    def response_ended(self, response_id: str) -> None:
        """It ceases: what was held back is decided, and calls that had to wait for this run."""
        if self._active == response_id:
            self._active = ""
        for item_id, item in list(self._items.items()):
            if item.response_id == response_id and item.timer is not None:
                self._decide(item_id, item)
        for made in [made for made in self._waiting if made.response_id == response_id]:
            self._waiting.remove(made)
            self._run(made)

    def twin(self, call_id: str, name: str, raw: str | Mapping[str, object] | None, response_id: str) -> bool:
        """Whether the call that was issued here ran already, because it was said; it then gets its one output."""
        if not self._enabled:
            return False
        call = Issued(name, raw, response_id, current_time())
        for waiting in self._waiting:
            if call.is_twin_of(waiting):
                self._waiting.remove(waiting)
                return False
        if self._ran.take_twin(call.is_twin_of):
            self._link.tell(
                lambda connection: connection.send_tool_result(call_id, name, RAN_ONCE, failed=False),
                "a call said before",
            )
            self._go_on()
            return True
        self._issued.add(call)
        return False

    def replaced(self) -> None:
        """A new connection stands: what the old one was saying is over."""
        self._active = ""
        for item_id, item in list(self._items.items()):
            self._release(item_id, item)
        self._items.clear()
        waiting, self._waiting = self._waiting, []
        for made in waiting:
            self._run(made)

    def end(self) -> None:
        """The session is over: nothing that was said, or is still being said, runs any more."""
        self._enabled = False
        self._waiting.clear()
        for item in self._items.values():
            item.stop_timer()
        self._items.clear()
        self.pipeline.end(but=self.pipeline.current_call())

    # --- holding back ------------------------------------------------------------------------------------------------

    @property
    def _tools(self) -> Mapping[str, Schema]:
        """What a call is looked for to: the tools that the session declares now."""
        return self._gate().catalogue.parameters if self._enabled else {}

    def _item(self, item_id: str, response_id: str) -> SaidItem:
        item = self._items.get(item_id)
        if item is None:
            item = self._items[item_id] = SaidItem(response_id or self._active)
            if len(self._items) > ITEMS:
                oldest, forgotten = self._items.popitem(last=False)
                self._release(oldest, forgotten)
        return item

    def _consider(self, item_id: str, item: SaidItem) -> None:
        """Pass on what is speech for certain; hold back the rest for its time."""
        item.stop_timer()
        tools, text = self._tools, without_responses(item.text)
        start = may_begin(text, tools)
        if start is None:
            self._release(item_id, item)
            return
        if start != item.let_go:
            self._pass_on(item_id, item, start)
            item.holding = True
        if find_call(text, tools) is not None:
            item.timer = Timer(STOOD_S, partial(self._decide, item_id, item))
        elif item.holding:
            item.timer = Timer(HELD_BACK_S, partial(self._give_up, item_id, item, start))

    def _decide(self, item_id: str, item: SaidItem) -> None:
        found = find_call(without_responses(item.text), self._tools)
        if found is None:
            self._release(item_id, item)
        else:
            self._recognise(item_id, item, found)

    def _give_up(self, item_id: str, item: SaidItem, start: int) -> None:
        item.let_go = start
        self._release(item_id, item)

    def _release(self, item_id: str, item: SaidItem) -> None:
        item.stop_timer()
        item.holding = False
        if item.cut_at is None:
            self._pass_on(item_id, item, len(item.text))
            audio, item.audio = item.audio, []
            for each in audio:
                self._hearing.play(each)

    def _pass_on(self, item_id: str, item: SaidItem, end: int) -> None:
        words = item.text[item.passed_on : end]
        if words:
            item.passed_on = end
            self._hearing.show(Transcript("assistant", words, final=False, item_id=item_id))

    def _complete(self, line: Transcript) -> None:
        """The whole text of an item: the call in it is cut out, and what was made up as its result."""
        item = self._items.pop(line.item_id, None) or SaidItem(self._active)
        item.stop_timer()
        text = without_responses(line.text)
        found = find_call(text, self._tools)
        if item.cut_at is None and found is None:
            item.text = ""  # the whole text is shown below
            self._release(line.item_id, item)
        elif item.cut_at is None and found is not None:
            self._recognise(line.item_id, item, found)
        # A call that stood in a partial has run, whatever the whole text makes of it.
        cut_at = found.start if found is not None else item.cut_at
        spoken = text if cut_at is None else text[:cut_at].rstrip()
        if spoken or item.passed_on:
            self._hearing.show(replace(line, text=spoken))

    # --- running -----------------------------------------------------------------------------------------------------

    def _recognise(self, item_id: str, item: SaidItem, found: Recovered) -> None:
        item.stop_timer()
        item.cut_at, item.holding = found.start, False
        mark = item.mark(found.start)
        if mark is not None:
            self._hearing.drop(item_id, mark)
        item.audio.clear()
        bare = found.form == "call:"
        made = Made(found.name, found.arguments, item.response_id, current_time(), bare)
        log.info("the model said a call of %s (%s)", found.name, found.form)
        if self._asks_a_person(found.name) and item.response_id and item.response_id == self._active:
            self._waiting.append(made)
        else:
            self._run(made)

    def _run(self, made: Made) -> None:
        if self._issued.take_twin(lambda issued: issued.is_twin_of(made)):
            return
        self._ran.add(made)
        gate = self._gate()
        self.pipeline.gate = replace(gate, catalogue=closed(gate.catalogue)) if made.bare else gate
        if self._interrupted.was_interrupted(made.response_id):
            self._book.interrupted(made.response_id)
        self.pipeline.arrive(f"said_{os.urandom(8).hex()}", made.name, made.arguments, made.response_id)
