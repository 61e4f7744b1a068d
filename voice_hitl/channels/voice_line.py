"""A session's line: the floor of a live call, taken by one asker at a time and given back to the model."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

import anyio

from voice_hitl.channels.deaf_account import DeafAccount
from voice_hitl.channels.floor import Floor
from voice_hitl.channels.held_line import HeldVoiceLine
from voice_hitl.channels.line_session import LineSession
from voice_hitl.channels.link import Link
from voice_hitl.channels.model_voice import ModelVoice
from voice_hitl.channels.music import Music
from voice_hitl.errors import ConnectionEnded, ProviderError
from voice_hitl.line import After, Verbatim
from voice_hitl.provider import ProviderCapabilities
from voice_hitl.tasks import current_time
from voice_hitl.transport import AudioIn

MODEL_ENDS_S = 20.0
"""How long the floor waits for the model's words to be heard before it stops them."""


_TINY_S = 1e-6
"""Less than any real difference between two times: what adding floats up may lose."""


class VoiceLine:
    """The line of one voice session. The session hands it what happens; an asker holds it (`taken_by`)."""

    def __init__(self, session: LineSession, link: Link, floor: Floor, capabilities: ProviderCapabilities) -> None:
        self._session = session
        self._link = link
        self._floor = floor
        self._capabilities = capabilities
        self._model = ModelVoice(lambda: session.model_speaks)
        self._music = Music(lambda: session.leg, capabilities.rate)
        self._held: HeldVoiceLine | None = None
        self._times_held = 0
        self._account: DeafAccount | None = None
        self._hidden: HeldVoiceLine | None = None
        """A line let go in the middle of what the model was not to hear."""
        self._quiet_since: float | None = None

    @property
    def account(self) -> DeafAccount | None:
        """What is noted for a deaf model, of the last time that an asker held the line."""
        return self._account

    @property
    def held(self) -> HeldVoiceLine | None:
        """What the asker that has the floor holds."""
        return self._held

    @property
    def carries_audio(self) -> bool:
        """Whether audio passes through here."""
        return not self._session.leg.capabilities.hosted

    @property
    def is_shared(self) -> bool:
        """Whether several people are on it."""
        return self._session.leg.capabilities.shared

    @property
    def has_lanes(self) -> bool:
        """Whether each of them is heard by themselves."""
        return self._session.leg.capabilities.lanes

    @property
    def carries_digits(self) -> bool:
        """Whether keys come in: from the leg, or from a keypad on the page."""
        return self._session.leg.capabilities.digits or self._session.leg.capabilities.messages

    @property
    def echo_cancelled(self) -> bool:
        """Whether the far end removes our own voice."""
        return self._session.leg.capabilities.echo_cancelled

    @property
    def verbatim(self) -> Verbatim:
        """Whether the model's own voice says exactly what it is given."""
        return self._capabilities.verbatim

    @property
    def can_be_held(self) -> bool:
        """Whether the model can be kept from answering by itself; by hearing nothing only where it hears us."""
        return self._capabilities.held == "quiet" or (self._capabilities.held == "deaf" and self.carries_audio)

    @property
    def can_be_told(self) -> bool:
        """Whether it is enough to tell the model; else it is kept from answering by not hearing the caller."""
        return self._capabilities.held == "quiet"

    @property
    def can_interject(self) -> bool:
        """Whether the model's own voice may be had while it waits for a call."""
        return self._capabilities.verbatim != "none" and self._capabilities.speaks_while_owed

    @property
    def rate(self) -> int:
        """Samples a second."""
        return self._capabilities.rate

    async def quiet_for(self, seconds: float) -> None:
        """Return once nobody has been heard for so long."""
        while True:
            self._note_quiet()
            if self._quiet_since is None:
                await self._model.change()
                continue
            left = self._quiet_since + seconds - current_time()
            if left <= _TINY_S:
                return
            with anyio.move_on_after(left):
                await self._model.change()

    async def interject(self, voice: bytes | str) -> None:
        """Say something while nobody holds the floor and nobody speaks."""
        if not self._session.is_quiet:
            return
        self._music.stop()
        self._quiet_since = current_time()  # also where nothing is heard of it: else it would be said without end
        if isinstance(voice, str):
            await self._say(voice)
        else:
            self._session.interject(voice)

    async def play_music(self, pcm: bytes) -> None:
        """Play this, over and over, until somebody speaks."""
        if self._session.is_quiet:
            await self._music.play(pcm)

    @asynccontextmanager
    async def taken_by(
        self, pending_id: str, *, after: After, deaf: bool = False, audience: Sequence[str] = ()
    ) -> AsyncGenerator[HeldVoiceLine]:
        """Hold the floor: in order of arrival, once the model's words were heard (or at once)."""
        async with self._floor.taken_by(pending_id):
            if after == "sentence":
                with anyio.move_on_after(MODEL_ENDS_S):
                    await self._model.until(speaks=False)
            if self._session.model_speaks:
                await self._session.interrupt()
            parting_words, account = "", None
            try:
                await self._hold(on=True)
                self._held = held = self._take(pending_id, deaf=deaf, audience=audience)
                self._music.stop()
                try:
                    yield held
                finally:
                    self._held = None
                    self._hidden = held if held.caller_speaks and not held.model_hears else None
                    held.close()
                    parting_words, account = held.parting_words, held.account
                    self.voice_changed()
            finally:
                with anyio.move_on_after(1, shield=True):
                    await self._hold(on=False)
                    await self._tell(account)
                    await self._say(parting_words)

    def _take(self, pending_id: str, *, deaf: bool, audience: Sequence[str]) -> HeldVoiceLine:
        self._times_held += 1
        prefix = f"asked-{self._times_held}-"
        rate = self._capabilities.rate
        self._account = account = (
            DeafAccount(self._session.request(pending_id)) if self._capabilities.held == "deaf" else None
        )
        return HeldVoiceLine(
            self._session,
            self._link,
            self._model,
            rate,
            prefix=prefix,
            audience=audience,
            deaf=deaf or account is not None,
            account=account,
        )

    def heard(self, audio: AudioIn) -> bytes:
        """The caller is heard for 20 ms: what the model hears of it."""
        held = self._held
        if held is not None:
            held.heard(audio)
            return audio.pcm if held.model_hears else bytes(len(audio.pcm))
        if self._hidden is not None:
            self._hidden.heard(audio)
            if self._hidden.caller_speaks:
                return bytes(len(audio.pcm))
            self._hidden = None
        return audio.pcm

    async def _hold(self, *, on: bool) -> None:
        if not self.can_be_told:
            return
        try:
            connection = await self._link.ready()
            await connection.hold(on=on)
        except (ConnectionEnded, ProviderError):
            return  # the session is ending, or a new connection is not held

    async def _tell(self, account: DeafAccount | None) -> None:
        """A model that heard nothing gets what was said to it, and then what became of it all."""
        if account is None:
            return
        try:
            connection = await self._link.ready()
            for said in account.asides:
                await connection.inject(said, role="user", silent=True)
                self._session.aside_told(said)
            await connection.inject(account.text(), role="system", silent=True)
        except (ConnectionEnded, ProviderError):
            return  # the session is ending; or it goes on without

    async def _say(self, words: str) -> None:
        if not words:
            return
        try:
            connection = await self._link.ready()
            await connection.say(words)
        except (ConnectionEnded, ProviderError):
            return  # a courtesy: what was settled is settled

    def voice_changed(self) -> None:
        """Somebody began or ceased to speak (the session says so whenever they may have)."""
        self._note_quiet()
        self._model.changed()

    def _note_quiet(self) -> None:
        if not self._session.is_quiet:
            self._quiet_since = None
            self._music.stop()
        elif self._quiet_since is None:
            self._quiet_since = current_time()
