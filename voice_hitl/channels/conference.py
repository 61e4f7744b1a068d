"""`ConferenceChannel`: an agent in rooms with several people, one session of its model a room."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Unpack

import anyio

from voice_hitl.audio.vad import VoiceActivity
from voice_hitl.channels.agent import Agent
from voice_hitl.channels.channel_hooks import ChannelHooks
from voice_hitl.channels.letting_go import let_go
from voice_hitl.channels.options import SessionOverrides
from voice_hitl.channels.plug import ConferenceRealtimeConfig, Plug
from voice_hitl.channels.room import Room, RoomWatcher
from voice_hitl.channels.room_page import RoomPage
from voice_hitl.channels.session import VoiceSession
from voice_hitl.channels.setting_up import SetUps
from voice_hitl.conference import ConferenceBackend, Joining, Presence
from voice_hitl.enums import ChannelType, HookTrigger
from voice_hitl.errors import ConferenceError, ProviderError
from voice_hitl.events import ErrorEvent, ParticipantEvent
from voice_hitl.kit import VoiceKit
from voice_hitl.tasks import Job, Latch, Tasks, waiting_for_an_end
from voice_hitl.tools.context import NOBODY, Actor
from voice_hitl.tools.policy import ToolPolicy
from voice_hitl.transport import HangUpReason

log = logging.getLogger(__name__)

RATE = 24_000

JOIN_S = 20.0
"""How long a backend may take to let the agent into a room, in seconds."""


@dataclass(slots=True, eq=False)
class _Attached:
    """A room that the channel is attached to, until everything of it has ended."""

    room: Room
    set_ups: SetUps
    left: Latch = field(default_factory=Latch)
    is_leaving: bool = False
    serving: Job | None = None


class ConferenceChannel:
    """Puts an agent into rooms with several people. Its model's calls ask those in the room, each by themselves.

    The agent hears the mix of a room, and speaks on its one track there. It is in the rooms that are attached whether
    or not a model is plugged; a model may be plugged and unplugged while meetings run.

    Args:
        id: Its id, unique in a kit.
        backend: What holds the rooms.
        realtime: The model that is plugged from the start.
        tool_policy: Which tools are admitted, by name.
        identity: The agent's participant id in every room; by default the channel's id.
        grants: What the backend is asked to let the agent do, in the backend's own words.
        rate: Samples a second of the rooms' audio: 8, 16, 24, 32 or 48 kHz. A model's own is converted.

    Raises:
        ValueError: Another rate; or see `plug_realtime`.
    """

    channel_type = ChannelType.CONFERENCE

    def __init__(
        self,
        id: str,
        *,
        backend: ConferenceBackend,
        realtime: ConferenceRealtimeConfig | None = None,
        tool_policy: ToolPolicy | None = None,
        identity: str = "",
        grants: Mapping[str, object] | None = None,
        rate: int = RATE,
    ) -> None:
        VoiceActivity(rate)  # a rate at which nobody can be told to speak is an error here, not in the first meeting
        self.id = id
        self._backend = backend
        self._tool_policy = tool_policy
        self._joining = Joining(identity=identity or id, rate=rate, grants=dict(grants or {}))
        self._hooks = ChannelHooks(self)
        self._attached: dict[str, _Attached] = {}
        self._joining_now: set[str] = set()
        self._joins = SetUps(f"channel {id!r}")
        self._plugged: Plug | None = None
        self._tasks = Tasks(f"channel {id}")
        self._watching = Tasks(f"hooks of channel {id}")
        self._closed = Latch()
        if realtime is not None:
            self._plugged = self._plug(realtime)

    @property
    def rooms(self) -> tuple[str, ...]:
        """The rooms it is attached to, oldest first."""
        return tuple(self._attached)

    @property
    def sessions(self) -> tuple[VoiceSession, ...]:
        """The sessions of the plugged model, one a room, oldest first."""
        return self._plugged.agent.sessions if self._plugged is not None else ()

    def session(self, room_id: str) -> VoiceSession | None:
        """The model's session in a room; None where it has none: no model is plugged, or it was lost."""
        return next((session for session in self.sessions if session.room_id == room_id), None)

    def participants(self, room_id: str) -> tuple[str, ...]:
        """Who else is in a room; nobody where the channel is not attached to it."""
        attached = self._attached.get(room_id)
        return attached.room.participants if attached is not None else ()

    def bind(self, kit: VoiceKit | None) -> None:
        """Use this kit's hooks from now on (called by the kit)."""
        self._hooks.bind(kit)

    # --- rooms -------------------------------------------------------------------------------------------------------

    async def attach(self, room_id: str) -> None:
        """Come into a room, and have the plugged model serve it, if there is one.

        Raises:
            RuntimeError: It is attached already, or the channel is closed, or closes meanwhile.
            ConferenceError: The backend does not let the agent in; or not in time.
            ProviderError: The model cannot be reached: the agent is not in the room.
        """
        if room_id in self._attached or room_id in self._joining_now:
            raise RuntimeError(f"channel {self.id!r} is attached to room {room_id!r} already")
        self._joining_now.add(room_id)
        try:
            with self._joins.one():
                attached = self._attach(room_id, await self._join(room_id))
                try:
                    await self._serve(attached)
                except BaseException:
                    await self._detach(attached, "us")
                    raise
        finally:
            self._joining_now.discard(room_id)
        if attached.is_leaving:
            raise RuntimeError(f"room {room_id!r} was left again before it was served")

    async def _join(self, room_id: str) -> Presence:
        with anyio.move_on_after(JOIN_S):
            return await self._backend.join(room_id, self._joining)
        raise ConferenceError(f"{self._backend.name} did not let the agent into room {room_id!r} within {JOIN_S:g} s")

    def _attach(self, room_id: str, presence: Presence) -> _Attached:
        room = Room(
            room_id,
            presence,
            self._backend.capabilities,
            rate=self._joining.rate,
            watcher=RoomWatcher(
                joined=lambda who: self._tell_who(HookTrigger.ON_PARTICIPANT_JOINED, room_id, who),
                left=lambda who: self._tell_who(HookTrigger.ON_PARTICIPANT_LEFT, room_id, who),
            ),
        )
        attached = self._attached[room_id] = _Attached(room, SetUps(f"room {room_id!r}"))
        attached.serving = self._tasks.spawn(self._run(attached), f"room {room_id}")
        return attached

    async def _run(self, attached: _Attached) -> None:
        """A room's own task: it serves the room until the agent is not in it any more, and then detaches it."""
        try:
            why = await attached.room.run()
            log.info("the agent is not in room %s any more: %s", attached.room.id, why)
        except Exception as error:
            log.exception("room %s: its backend failed", attached.room.id)
            self._tell_error(attached.room.id, "conference", f"{type(error).__name__}: {error}")
        await self._detach(attached, "lost")

    async def detach(self, room_id: str) -> None:
        """Leave a room: everything open in it is settled and every task of it has ended when this returns.

        A room that is not attached is left as it is. From inside a call in that room it returns when everything but
        that call has ended.
        """
        attached = self._attached.get(room_id)
        if attached is not None:
            await self._detach(attached, "us")

    async def _detach(self, attached: _Attached, reason: HangUpReason) -> None:
        session = self.session(attached.room.id)
        # Once it has left, the room's session is that of who came into it again.
        if session is not None and not attached.left.is_set:
            # Here, and not in the task below: it is from here that a session knows which call of its own leaves.
            session.begin_ending(reason)
        if not attached.is_leaving:
            attached.is_leaving = True
            self._tasks.spawn(self._leave(attached, reason), f"leaving room {attached.room.id}")
        with waiting_for_an_end():
            await attached.left.wait()

    async def _leave(self, attached: _Attached, reason: HangUpReason) -> None:
        room_id = attached.room.id
        try:
            await attached.set_ups.cut()
            session = self.session(room_id)
            if session is not None:
                await session.end(reason)
            if self._plugged is not None:
                await self._plugged.agent.close_room(room_id)
            await attached.room.leave()
        finally:
            del self._attached[room_id]
            if attached.serving is not None:
                attached.serving.cancel()  # a backend that does not let go may still tell what happens in the room
            attached.left.set()

    # --- the model ---------------------------------------------------------------------------------------------------

    async def plug_realtime(self, config: ConferenceRealtimeConfig) -> None:
        """Plug a model: from now on it serves every room that is attached, each in a session of its own.

        A room in which it cannot be reached stays without a session, and `ON_ERROR` says so.

        Raises:
            RuntimeError: A model is plugged already, or is still being unplugged, or is unplugged meanwhile; or the
                channel is closed, or closes meanwhile.
            ValueError: A host tool under a name the human-input handler defines, a schema that does not compile, or an
                asker that this provider gives no way to ask through.
            ProviderError: It can be reached in none of the rooms: nothing is plugged.
        """
        self._joins.check_open()
        if self._plugged is not None:
            raise RuntimeError(f"a model is plugged into channel {self.id!r} already: unplug it first")
        plug = self._plugged = self._plug(config)
        failures: list[ProviderError] = []

        async def serve(attached: _Attached) -> None:
            try:
                await self._serve(attached)
            except ProviderError as error:
                failures.append(error)
                log.warning("room %s has no model: %s", attached.room.id, error)
                self._tell_error(attached.room.id, "provider", str(error))

        rooms = list(self._attached.values())
        try:
            async with anyio.create_task_group() as group:
                for attached in rooms:
                    group.start_soon(serve, attached)
        except BaseException:
            # Cut, or a provider that breaks: not in some rooms only.
            await self._unplug(plug)
            raise
        if rooms and len(failures) == len(rooms):
            await self._unplug(plug)
            raise failures[0]
        if plug.is_ending:
            raise RuntimeError(f"the model was unplugged from channel {self.id!r} again before it served its rooms")

    def _plug(self, config: ConferenceRealtimeConfig) -> Plug:
        agent = Agent(self, self._hooks, config.parts(self._tool_policy), actor=self._actor)
        for room_id in self._attached:
            agent.open_room(room_id)
        return Plug(agent)

    async def unplug_realtime(self) -> None:
        """Unplug the model: everything open in its sessions is settled, and every task of them has ended.

        Without a model nothing happens. From inside one of its calls it returns when everything but that has ended.
        """
        if self._plugged is not None:
            await self._unplug(self._plugged)

    async def _unplug(self, plug: Plug) -> None:
        for session in plug.agent.sessions:
            session.begin_ending("us")
        if not plug.is_ending:
            plug.is_ending = True
            self._tasks.spawn(self._end(plug), f"unplugging the model of channel {self.id}")
        with waiting_for_an_end():
            await plug.unplugged.wait()

    async def _end(self, plug: Plug) -> None:
        try:
            for attached in list(self._attached.values()):
                await attached.set_ups.cut()
                attached.set_ups = SetUps(f"room {attached.room.id!r}")
            for session in plug.agent.sessions:
                await session.end("us")
            await plug.agent.close_requests()
            await plug.agent.close()
        finally:
            self._plugged = None
            plug.unplugged.set()

    async def reconfigure_session(self, session: VoiceSession, **overrides: Unpack[SessionOverrides]) -> None:
        """Change `system_prompt`, `voice`, `language`, `tools`, `tool_policy` or `role` of the session of one room.

        What is not named stays as the session has it; a person's tools stay declared. Calls that run are untouched.

        Raises:
            RuntimeError: No model is plugged.
            TypeError: An override that does not exist.
            ValueError: Tools that cannot be declared, or what is no language.
            ProviderError: The provider refuses it: everything stays as it was.
            ConnectionEnded: The session is over.
        """
        if self._plugged is None:
            raise RuntimeError(f"no model is plugged into channel {self.id!r}")
        await self._plugged.agent.reconfigure(session, **overrides)

    async def _serve(self, attached: _Attached) -> None:
        """Have the plugged model serve a room. One that is unplugged, or a room that is left, meanwhile: not any more.

        Raises:
            ProviderError: The model cannot be reached.
        """
        plug, room, set_ups = self._plugged, attached.room, attached.set_ups
        if plug is None or plug.is_ending or attached.is_leaving:
            return
        plug.agent.open_room(room.id)
        leg = room.leg(plug.agent.parts.provider.capabilities.rate)
        try:
            with set_ups.one():
                session = plug.agent.session(
                    room_id=room.id, participant_id="", leg=leg, shared_page=lambda session: _pages(room, session)
                )
                await plug.agent.open(session, set_ups.check_open)
                plug.agent.run(session, self._tasks)
        except BaseException as error:
            leg.end("us")
            if not (isinstance(error, RuntimeError) and set_ups.closed):
                raise

    def _actor(self, session: VoiceSession) -> Actor:
        attached = self._attached.get(session.room_id)
        return attached.room.actor() if attached is not None else NOBODY

    # --- hooks -------------------------------------------------------------------------------------------------------

    def _tell_who(self, trigger: HookTrigger, room_id: str, participant: str) -> None:
        session = self.session(room_id)
        event = ParticipantEvent(
            channel_id=self.id,
            channel_type=self.channel_type,
            room_id=room_id,
            session_id=session.id if session is not None else "",
            participant_id=participant,
        )
        self._hooks.now().tell(trigger, event, self._hooks.context(room_id, session), self._watching)

    def _tell_error(self, room_id: str, source: str, message: str) -> None:
        event = ErrorEvent(
            channel_id=self.id,
            channel_type=self.channel_type,
            room_id=room_id,
            session_id="",
            source=source,
            message=message,
        )
        self._hooks.now().tell(HookTrigger.ON_ERROR, event, self._hooks.context(room_id), self._watching)

    # --- ending ------------------------------------------------------------------------------------------------------

    async def close(self) -> None:
        """Unplug the model, leave every room, come into no more. Closing twice, or from inside a call, works."""
        for session in self.sessions:
            # Here, and not in the task below: it is from here that a session knows which call of its own closes it.
            session.begin_ending("us")
        if not self._joins.closed:
            self._joins.closed = True
            self._tasks.spawn(self._close(), f"closing channel {self.id}")
        with waiting_for_an_end():
            await self._closed.wait()

    async def _close(self) -> None:
        try:
            await self._joins.cut()
            await self.unplug_realtime()
            for room_id in self.rooms:
                await self.detach(room_id)
            await let_go("closing the conference's backend", self._backend.aclose)
            await self._watching.close(patience_s=1.0)
            await self._tasks.close()
        finally:
            self._closed.set()


def _pages(room: Room, session: VoiceSession) -> RoomPage:
    return RoomPage(
        room.send,
        participants=room.participants,
        reachable=room.capabilities.messages,
        on_digit=session.pressed,
    )
