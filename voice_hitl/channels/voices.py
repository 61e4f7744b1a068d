"""The voices of a session: the model's, the caller's, and that of an asker who has the floor; who is heard when."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from voice_hitl.calls.book import Book
from voice_hitl.channels.callers_leg import CallersLeg
from voice_hitl.channels.floor import Floor
from voice_hitl.channels.link import Link
from voice_hitl.channels.music import MUSIC
from voice_hitl.channels.open_calls import OpenCalls
from voice_hitl.channels.playback import Cut, Playback
from voice_hitl.channels.session_requests import SessionRequests
from voice_hitl.channels.told import Told
from voice_hitl.channels.voice_line import VoiceLine
from voice_hitl.enums import Via
from voice_hitl.errors import ConnectionEnded, ProviderError
from voice_hitl.provider import AudioOut, ProviderCapabilities, ProviderConnection, ResponseStarted, Transcript
from voice_hitl.requests.pending import PendingInput
from voice_hitl.tasks import current_time
from voice_hitl.transport import AudioIn, Leg, PersonSpeaks, Played

INTERJECTED = "interjected"
"""What the items of our own begin with that are said beside the model: while somebody else is being asked."""


class Voices:
    """Who is heard, and what happens when two speak at once. The session hands it what it hears.

    Args:
        link: The model.
        capabilities: Of its provider.
        caller: The caller.
        calls: The open calls: a model that speaks, or a caller who does, is not asked to go on.
        book: The session's calls: those of a response that the caller cut are not run.
        floor: Who speaks.
        told: The session's hooks.
        requests: What people are asked in it.
        aside_told: Is told what the model got afterwards of what the caller said to it.
    """

    def __init__(
        self,
        *,
        link: Link,
        capabilities: ProviderCapabilities,
        caller: CallersLeg,
        calls: OpenCalls,
        book: Book,
        floor: Floor,
        told: Told,
        requests: SessionRequests,
        aside_told: Callable[[str], None],
    ) -> None:
        self._link = link
        self._rate = capabilities.rate
        self._caller = caller
        self._calls = calls
        self._book = book
        self._told = told
        self._requests = requests
        self._aside_told = aside_told
        self._playback = Playback(capabilities.rate)
        self._active: str | None = None
        self._cut_by_us: str | None = None
        self._interjected = 0
        self._speaking: set[str] = set()
        self.line = VoiceLine(self, link, floor, capabilities)

    @property
    def is_quiet(self) -> bool:
        """Whether nobody speaks."""
        return not (self.model_speaks or self._calls.caller_speaks or self.line.held is not None)

    # --- the model's voice -------------------------------------------------------------------------------------------

    def model_said(self, audio: AudioOut) -> None:
        """Some of its voice came. On a leg that is lost it is let go."""
        held = self.line.held
        if self._caller.is_lost:
            return
        if held is not None and held.model_said(audio):
            if held.account is not None:
                self._playback.drop(audio.item_id)  # the rest of it too: nobody heard how it began
            return
        if self._caller.leg.capabilities.hosted:
            self._playback.plays_elsewhere(audio.item_id)
        else:
            self._playback.play(audio, self._caller.leg)
        self.line.voice_changed()

    def was_unheard(self, line: Transcript) -> bool:
        """Whether these words of the model's are of something that was played to nobody."""
        account = self.line.account
        return account is not None and account.model_wrote(line)

    def drop_from(self, item_id: str, samples: int) -> None:
        """Some of an item is not to be heard: what follows so many samples of it."""
        if self._playback.drop_from(item_id, samples * 1000 / self._rate, self._caller.leg):
            self.line.voice_changed()

    def response_started(self, event: ResponseStarted) -> None:
        """It responds. While an asker has the floor only to what we asked it for."""
        self._active = event.response_id
        self._calls.response_started(event.response_id)
        self.line.voice_changed()
        held = self.line.held
        if held is not None and not held.response_started(event.response_id, ours=event.ours):
            self._book.interrupted(event.response_id)
            self._link.tell(lambda connection: connection.interrupt(event.response_id), "holding the model")

    def response_ended(self, response_id: str, *, cancelled: bool) -> None:
        """It ceases to respond."""
        if cancelled and response_id != self._cut_by_us:
            self._book.interrupted(response_id)
        if self._active == response_id:
            self._active = None
        if not self._caller.is_lost:
            self._playback.finish(self._caller.leg)
        if self.line.held is not None:
            self.line.held.response_ended(response_id)
        self._calls.response_ended(response_id)
        self.line.voice_changed()

    def replaced(self) -> None:
        """A new connection stands: the response of the old one is over, and of what it played nothing more is told."""
        self._active = None
        self._speaking.discard("")
        self._playback.ended_unseen()
        if self.line.held is not None:
            self.line.held.replaced()
        self.line.voice_changed()

    def played(self, event: Played) -> None:
        """The caller heard some of it."""
        if event.item == MUSIC or (self.line.held is not None and self.line.held.played(event)):
            return
        if self._playback.heard(event):
            self.line.voice_changed()

    def playback_ended(self, item_id: str) -> None:
        """A provider that holds the call's media has played an item: of such a leg no `Played` comes."""
        if self.line.held is not None and self.line.held.playback_ended(item_id):
            return
        if self._playback.ended(item_id):
            self.line.voice_changed()

    # --- the caller's voice ------------------------------------------------------------------------------------------

    def caller_said(self, audio: AudioIn) -> None:
        """20 ms of it. Of several who share the leg, a window in which nobody sent anything is not for the model."""
        heard = self.line.heard(audio)
        if heard:
            self._link.hear(heard)

    def caller_speaks(self, item_id: str = "") -> None:
        """The caller begins: what the model says stops in this tick (an asker sees to itself). No wait is touched."""
        if self.line.held is not None:
            self.line.held.turn_began(item_id)
        if not self._caller.leg.capabilities.lanes:
            self._told.speech_started(current_time())
        self._speech("", on=True)

    def caller_ceases(self, item_id: str = "") -> None:
        """The caller stops."""
        if self.line.held is not None:
            self.line.held.turn_ended(item_id)
        if not self._caller.leg.capabilities.lanes:
            self._told.speech_ended(current_time())
        self._speech("", on=False)

    def person_speaks(self, event: PersonSpeaks) -> None:
        """One of several begins or stops, on their own lane: as if the caller did, and it is known who."""
        if event.on:
            self._told.speech_started(event.at, event.by)
        else:
            self._told.speech_ended(event.at, event.by)
        self._speech(event.by, on=event.on)

    def _speech(self, by: str, *, on: bool) -> None:
        """Somebody speaks or stops: one of several by name, or, nameless, whom the provider hears."""
        if on:
            self._speaking.add(by)
        else:
            self._speaking.discard(by)
        self._calls.speech(on=bool(self._speaking))
        self.line.voice_changed()
        held = self.line.held
        if not on or (held is not None and not held.lets_model_speak):
            return
        if self._active is not None:
            self._book.interrupted(self._active)
        cut = self._cut()
        if cut is not None:
            self._told.barge_in(cut.item_id, cut.played_ms, by)

    def transcribed(self, line: Transcript) -> None:
        """What the caller said, for good."""
        if self.line.held is not None:
            self.line.held.transcribed(line)

    def model_transcribed(self, line: Transcript) -> None:
        """What the model said, for good."""
        if self.line.held is not None and self.line.held.model_worded(line):
            return
        if self._caller.leg.capabilities.hosted:  # no audio of it comes here: its words say that it is being played
            self._playback.plays_elsewhere(line.item_id)
            self.line.voice_changed()

    def not_transcribed(self, item_id: str = "") -> None:
        """What the caller said could not be made out."""
        if self.line.held is not None:
            self.line.held.not_transcribed(item_id)

    def pressed(self, digit: str, by: str = "") -> None:
        """The caller, or this one of several, pressed a key."""
        if self.line.held is None or not self.line.held.pressed(digit, by):
            self._told.digit(digit, current_time(), by)

    def leg_lost(self) -> None:
        """What was on its way to the caller is gone, and nobody speaks on a leg that is lost."""
        self._playback = Playback(self._rate)
        self._speaking.clear()
        self._calls.speech(on=False)
        self.line.voice_changed()

    # --- stopping the model ------------------------------------------------------------------------------------------

    def _cut(self) -> Cut | None:
        """Stop the model's voice in this tick, and have it forget what was not heard."""
        cut, active = self._playback.cut(self._caller.leg), self._active
        if cut is not None and cut.response_id.startswith(INTERJECTED):
            # The model knows nothing of it, and nothing was heard of what it said itself after it.
            cut = replace(cut, response_id="", item_id="", played_ms=0.0) if cut.unheard else None
        if active is not None:
            self._playback.drop(active)
        self.line.voice_changed()

        async def interrupt(connection: ProviderConnection) -> None:
            if cut is None:
                await connection.interrupt(active)
                return
            heard = cut.item_id if cut.played_ms else ""
            await connection.interrupt(active or cut.response_id or None, item_id=heard, played_ms=cut.played_ms)
            for unheard in cut.unheard:
                await connection.forget(unheard)

        if cut is not None or active is not None:
            self._link.tell(interrupt, "interrupting the model")
        return cut

    # --- its line (LineSession) --------------------------------------------------------------------------------------

    @property
    def leg(self) -> Leg:
        """The leg that carries the call now."""
        return self._caller.leg

    @property
    def model_speaks(self) -> bool:
        """Whether the model responds, or its words are still being heard."""
        return self._calls.responding or self._playback.speaking

    async def interrupt(self) -> None:
        """Stop the model's words: an asker takes the floor. The calls of that response are run all the same."""
        self._cut_by_us = self._active
        self._cut()

    def interject(self, pcm: bytes) -> None:
        """Play this like words of the model's, which the model knows nothing of."""
        self._interjected += 1
        item = f"{INTERJECTED}-{self._interjected}"
        self._playback.play(AudioOut(pcm, item, response_id=item), self.leg)
        self._playback.finish(self.leg)
        self.line.voice_changed()

    def request(self, pending_id: str) -> PendingInput | None:
        """An open request of the session."""
        return next((each for each in self._requests.open if each.pending_id == pending_id), None)

    def aside_told(self, said: str) -> None:
        """The model was given what the caller said beside a question."""
        self._aside_told(said)

    def tell_asked(self, pending_id: str, asked_by: str) -> None:
        """Tell `ON_ASKED`."""
        self._told.asked(pending_id, asked_by)

    def tell_heard(self, pending_id: str, reading: Mapping[str, str], via: Via) -> None:
        """Tell `ON_HEARD`."""
        self._told.heard(pending_id, reading, via)

    async def hold_again(self, connection: ProviderConnection) -> None:
        """A new connection does not know that an asker has the floor: it is held before it hears anything."""
        if self.line.held is not None and self.line.can_be_told:
            try:
                await connection.hold(on=True)
            except (ConnectionEnded, ProviderError):
                return  # whoever reads its events finds out; or it is not held
