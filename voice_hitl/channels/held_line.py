"""The line of a voice session in the hands of one asker: its voice, the caller's, and the model kept quiet."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import anyio

from voice_hitl.audio.frame import frame_bytes
from voice_hitl.audio.own_voice import OwnVoice
from voice_hitl.channels.callers_turns import CallersTurns
from voice_hitl.channels.deaf_account import DeafAccount
from voice_hitl.channels.heard_voice import ONSET_S, HeardVoice
from voice_hitl.channels.hosted_voice import HostedVoice
from voice_hitl.channels.line_session import LineSession
from voice_hitl.channels.link import Link
from voice_hitl.channels.model_voice import ModelVoice
from voice_hitl.channels.our_voice import OurVoice
from voice_hitl.channels.said_for_us import SaidForUs
from voice_hitl.enums import Via
from voice_hitl.errors import ConnectionEnded, ProviderError
from voice_hitl.line import (
    CallerBegan,
    CallerEnded,
    CallerSaid,
    CallerVoice,
    KeyPressed,
    LineEvent,
    NotUnderstood,
    PartWorded,
)
from voice_hitl.provider import AudioOut, Receiver, Transcript
from voice_hitl.speech.played_prompt import OVERLAP_S
from voice_hitl.tasks import Mailbox, current_time
from voice_hitl.transport import AudioIn, Played

HOSTED_LAG_S = OVERLAP_S
"""What is taken off the times at which a provider that holds the media tells of the caller's voice.

It tells once it is sure, and the caller hears it play to the end a moment after it has. Not less than a yes may overlap
the question: what it told before it had played the question to its end then counts as said before that.
"""

ASIDE_S = 30.0
"""How long the model may take over an aside."""

_PARTING = 1_000_000
"""The part of what is said in parting: no asker counts so far."""


class HeldVoiceLine:
    """The line in the hands of one asker (`HeldLine`).

    Args:
        session: Whose line it is.
        link: The model.
        model: Whether it speaks.
        rate: Samples a second.
        prefix: No other holder's items begin with it.
        audience: Whose words may be taken as an answer, where several are on the line.
        deaf: Whether the model hears nothing of the caller meanwhile.
        account: What a model is told afterwards that can be held only so, and hears no aside either.
    """

    def __init__(
        self,
        session: LineSession,
        link: Link,
        model: ModelVoice,
        rate: int,
        *,
        prefix: str,
        audience: Sequence[str] = (),
        deaf: bool = False,
        account: DeafAccount | None = None,
    ) -> None:
        self._session = session
        self._audience = audience
        self._link = link
        self._model = model
        self._rate = rate
        self._events: Mailbox[LineEvent] = Mailbox()
        self._hosted = HostedVoice(self._events.put) if session.leg.capabilities.hosted else None
        self._own = OwnVoice(rate)
        self._voice = self._hosted or OurVoice(lambda: session.leg, rate, prefix, self._events.put, self._own)
        self._turns = CallersTurns(since=current_time(), told_of_all=self._hosted is not None)
        self._is_shared = session.leg.capabilities.shared
        self._is_deaf = deaf
        self._voices: dict[str, HeardVoice] = {} if self._is_shared else {"": HeardVoice(rate, kept=deaf)}
        self._silence = bytes(frame_bytes(rate))
        self.account = account
        self._said = SaidForUs(self._events.put)
        self._parting_voice = b""
        self.parting_words = ""
        self.lets_model_speak = False

    @property
    def rate(self) -> int:
        """Samples a second."""
        return self._rate

    @property
    def now(self) -> float:
        """The time by which everything that the caller did has been told."""
        return current_time() - self._lag - ONSET_S

    def events(self) -> Receiver[LineEvent]:
        """What happens on the line."""
        return self._events

    def close(self) -> None:
        """The floor goes back: nothing of ours plays on, but what was to be said in parting."""
        self.stop()
        self._events.close()
        if self._parting_voice:
            self._voice.play(self._parting_voice, _PARTING)
            self._voice.end_part(_PARTING)

    # --- our own voice -----------------------------------------------------------------------------------------------

    def play(self, pcm: bytes, part: int) -> None:
        """Queue some of a part's voice."""
        self._voice.play(pcm, part)

    def end_part(self, part: int) -> None:
        """Nothing more comes of this part."""
        self._voice.end_part(part)

    async def say(self, text: str, part: int) -> None:
        """Have the model's own voice say a part."""
        if self._hosted is not None:
            await self._hosted.take(part)
        self._said.ask(part)
        connection = await self._link.ready()
        await connection.say(text)

    def stop(self) -> None:
        """Stop the voice, in this tick."""
        said = self._said.stop()
        if self._hosted is not None and self._hosted.response_id:
            said.add(self._hosted.response_id)  # it is over as a rule while it is still being played
        self._voice.stop()
        for response_id in said:
            self._cancel(response_id)

    def replaced(self) -> None:
        """A new connection stands: it knows nothing of what the old one was to say for us, which was not heard then."""
        lost = self._said.lose()
        if self._hosted is not None:
            lost += [self._hosted.part] if self._hosted.response_id else []
            # Nor does it tell when a turn ends that it did not hear begin.
            self._turns.lost()
            self._events.put(CallerEnded(current_time() - self._lag))
        for part in lost[:1]:
            self._events.put(PartWorded(part, ""))  # said again, as what was said in other words

    def _cancel(self, response_id: str) -> None:
        self._link.tell(lambda connection: connection.interrupt(response_id), "stopping what the model says for us")

    def leave_with(self, text: str) -> None:
        """Have the model's own voice say this when the floor goes back."""
        self.parting_words = text

    def leave_playing(self, pcm: bytes) -> None:
        """Play this when the floor goes back."""
        self._parting_voice = pcm

    def response_started(self, response_id: str, *, ours: bool) -> bool:
        """A response began. False: nobody of ours asked for it, or it is wanted no more, and it is to be cancelled."""
        if ours and self._said.is_unwanted():
            return False
        part = self._said.began(response_id) if ours else None
        if part is not None and self._hosted is not None:
            self._hosted.began(part, response_id)
        # One that cannot be told is not cancelled either: what it says is played to nobody.
        return ours or self.lets_model_speak or self.account is not None

    def response_ended(self, response_id: str) -> None:
        """A response is over: where it said a part, nothing more of it comes."""
        part = self._said.ended(response_id)
        if part is not None:
            self.end_part(part)
            self._said.worded(part, "")

    def model_said(self, audio: AudioOut) -> bool:
        """Some of the model's voice: True where it was a part of ours, or is to be dropped."""
        part = self._said.said(audio.response_id, audio.item_id)
        if part is not None:
            self.play(audio.pcm, part)
            return True
        if self.account is not None:
            self.account.model_plays(audio.item_id)
        return not self.lets_model_speak

    def model_worded(self, line: Transcript) -> bool:
        """The final transcript of what the model says: True where it was of a part of ours."""
        return self._said.transcribed(line)

    def played(self, event: Played) -> bool:
        """How much of an item was heard: True where it was a part of ours."""
        return self._voice.played(event)

    def playback_ended(self, item_id: str) -> bool:
        """A provider that holds the media has played an item: True where it was a part of ours."""
        part = self._said.part_of(item_id)
        if self._hosted is not None and part is not None:
            self._hosted.heard(part)
        return part is not None

    # --- the caller's voice ------------------------------------------------------------------------------------------

    @property
    def model_hears(self) -> bool:
        """Whether the model hears the caller."""
        return not self._is_deaf or self.lets_model_speak

    @property
    def caller_speaks(self) -> bool:
        """Whether the caller's voice is heard, or one of those who are asked."""
        return any(voice.speaks for voice in self._voices.values())

    def heard(self, audio: AudioIn) -> None:
        """20 ms of the caller; of several, each who is asked is heard on their own lane, and the mix is not."""
        lanes = dict(audio.lanes) if self._is_shared else {"": audio.pcm}
        if not self._is_shared:  # an echo in the mix says nothing of a lane
            self._own.heard(audio.pcm, audio.at - self._lag)
        for by in lanes.keys() - self._voices.keys():
            if self._asks(by):
                self._voices[by] = HeardVoice(self._rate, by=by, kept=True)
        for by, voice in self._voices.items():
            for event in voice.push(lanes.get(by, self._silence), audio.at - self._lag):
                self._heard(event)

    def _heard(self, event: LineEvent) -> None:
        if isinstance(event, CallerBegan):
            self._turns.voice_began(event.at)
        elif isinstance(event, CallerEnded):
            self._turns.voice_ended(event.at)
        elif isinstance(event, CallerVoice):
            event = replace(event, is_ours=self._own.came_back(event.began, event.ended))
        self._events.put(event)

    def turn_began(self, item_id: str) -> None:
        """The provider hears the caller take a turn: its transcript is due from here on."""
        self._turns.began(item_id)
        if self._hosted is not None:
            self._heard(CallerBegan(current_time() - self._lag))

    def turn_ended(self, item_id: str) -> None:
        """The provider hears the turn end."""
        if self._hosted is not None:
            self._heard(CallerEnded(current_time() - self._lag))
        self._turns.ended(item_id, current_time())

    def transcribed(self, line: Transcript) -> None:
        """The final transcript of the caller's turn."""
        if self._is_shared or not self.model_hears:
            return  # of the mix, which is nobody's answer; or from before: it is the model's
        now = current_time()
        began, ended = self._turns.transcribed(line.item_id, line.text, now - self._lag)
        more = self._turns.more_due(now)
        is_ours = self._own.came_back(began, ended)
        self._events.put(CallerSaid(line.text, began, ended, line.confidence, line.item_id, more, is_ours=is_ours))

    def not_transcribed(self, item_id: str) -> None:
        """A turn that could not be transcribed."""
        if self._is_shared or not self.model_hears:
            return
        now = current_time()
        self._turns.transcribed(item_id, "", now)
        self._events.put(NotUnderstood(now))

    def pressed(self, digit: str, by: str = "") -> bool:
        """A key. False: it is of somebody who is not being asked, and was not taken."""
        if not self._asks(by):
            return False
        self._events.put(KeyPressed(digit, current_time(), by))
        return True

    def _asks(self, by: str) -> bool:
        """Whether somebody is being asked: whoever is on a leg of their own, or one of several in the audience."""
        return not (by and self._audience) or by in self._audience

    @property
    def _lag(self) -> float:
        if self._hosted is not None:
            return HOSTED_LAG_S
        leg = self._session.leg
        return (leg.round_trip_ms or leg.capabilities.usual_round_trip_ms) / 1000

    # --- the model ---------------------------------------------------------------------------------------------------

    async def forget(self, item_id: str) -> None:
        """Take something the caller said out of the model's history."""
        if not item_id:
            return
        try:
            connection = await self._link.ready()
            await connection.forget(item_id)
        except (ConnectionEnded, ProviderError):
            return  # gone with its connection

    async def aside(self) -> None:
        """Give the model the floor for one response; take it back when it was heard. A deaf one gets it afterwards."""
        if self.account is not None:
            self.account.aside()
            return
        self.lets_model_speak = True
        try:
            await self._let_model_answer()
        except (ConnectionEnded, ProviderError):
            return  # the question is asked again, with the aside unanswered
        finally:
            self.lets_model_speak = False

    async def _let_model_answer(self) -> None:
        connection = await self._link.ready()
        await connection.hold(on=False)
        try:
            await connection.respond()
            with anyio.move_on_after(ASIDE_S):
                await self._model.until(speaks=True)
                await self._model.until(speaks=False)
        finally:
            with anyio.move_on_after(1, shield=True):
                await connection.hold(on=True)

    def tell_asked(self, pending_id: str, asked_by: str) -> None:
        """Tell `ON_ASKED`."""
        self._session.tell_asked(pending_id, asked_by)

    def tell_heard(self, pending_id: str, reading: Mapping[str, str], via: Via) -> None:
        """Tell `ON_HEARD`."""
        if self.account is not None and via is Via.VOICE:
            self.account.caller_said(reading.get("text", ""))
        self._session.tell_heard(pending_id, reading, via)
