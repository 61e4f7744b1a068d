"""What happens in the rooms of a machine: people come, go, come twice, speak, press keys; the agent is put out."""

from collections.abc import Mapping
from random import Random
from typing import Final

from tests.channels.machine.account import Account
from tests.channels.machine.drawing import Event
from tests.channels.meeting import CARDS, Meeting, voice
from voice_hitl.audio.frame import FRAME_MS, frame_bytes
from voice_hitl.requests.pending import PendingInput
from voice_hitl.testing import ScriptedParticipant, ScriptedRoom

ROOMS: Final = ("standup", "retro")
PEOPLE: Final = ("ada", "ben", "cy")
VOICE: Final = voice(400)

_FRAME: Final = frame_bytes(24_000)
_JUNK: Final = ("", "{", "[]", "null", '{"v": 1}', '{"v": 1, "type": "request.answer", "id": "j", "pending_id": "no"}')
_OTHERS: Final = tuple(kind for kind in CARDS if kind != "request.opened")


class Rooms:
    """The rooms, and those in them."""

    def __init__(self, account: Account, meeting: Meeting) -> None:
        self._account = account
        self._meeting = meeting
        self.are_late: set[str] = set()
        """Rooms whose events come late, or whose agent did not get out: who is there is not known at once."""
        self.all = [meeting.room(room_id) for room_id in ROOMS]
        self._everybody: list[ScriptedParticipant] = []
        self._cards: dict[ScriptedParticipant, int] = {}

    def possible(self) -> list[Event]:
        """What may happen there now, the likelier the more often."""
        events: list[Event] = [self.somebody_comes] * 2
        if any(self.here):
            events += [
                self.somebody_goes,
                self.somebody_speaks,
                self.a_key_is_pressed,
                self.the_backend_says_who_speaks,
            ]
            events += [self.a_page_sends_junk, self.the_backend_has_trouble]
            events += ([self.somebody_speaks] * 14 + [self.a_key_is_pressed] * 14) * bool(self._account.open)
        if any(room.agent for room in self.all):
            events += [self.the_agent_is_put_out] * 2 * (self._account.steps > 8)
        if self.asked_alone:
            events += [self.who_was_asked_alone_goes] * 8
        return events

    @property
    def here(self) -> list[tuple[ScriptedRoom, ScriptedParticipant]]:
        """Who is in which room."""
        return [(room, person) for room in self.all for person in room.participants]

    # --- who comes and goes ------------------------------------------------------------------------------------------

    def somebody_comes(self, chance: Random) -> None:
        self.comes(chance.choice(self.all), chance.choice(PEOPLE))

    def comes(self, room: ScriptedRoom, who: str) -> None:
        """Somebody comes in, or connects again."""
        is_there = any(person.identity == who for person in room.participants)
        person = room.join(who)
        person.ignore(*_OTHERS)
        if not is_there:
            self._everybody.append(person)
        self._account.reached["somebody came who was there" if is_there else "somebody came"] += 1

    def somebody_goes(self, chance: Random) -> None:
        room = chance.choice(self.all)
        who = chance.choice(PEOPLE)
        was_there = any(person.identity == who for person in room.participants)
        self._account.reached["somebody went" if was_there else "somebody went who was not there"] += 1
        self._goes(room, who)

    def who_was_asked_alone_goes(self, chance: Random) -> None:
        room, who = chance.choice(self.asked_alone)
        self._goes(room, who)

    @property
    def asked_alone(self) -> list[tuple[ScriptedRoom, str]]:
        """Of whom something is asked that nobody else is."""
        alone = {(pending.room_id, pending.audience) for pending in self._account.open if len(pending.audience) == 1}
        return [(room, person.identity) for room, person in self.here if (room.id, (person.identity,)) in alone]

    def _goes(self, room: ScriptedRoom, who: str) -> None:
        was_there = any(person.identity == who for person in room.participants)
        others = [
            pending for pending in self._account.open if pending.room_id == room.id and set(pending.audience) != {who}
        ]
        alone = [
            pending
            for pending in self._account.open
            if pending.room_id == room.id and set(pending.audience) == {who} and was_there and room.agent is not None
        ]
        room.leave(who)
        self._account.reached["who was asked alone went"] += len(alone)
        if not self._account.is_raced and room.id not in self.are_late:
            self._account.check_at_once(lambda: self._only_what_was_asked_of_them(others, alone))

    def _only_what_was_asked_of_them(self, others: list[PendingInput], alone: list[PendingInput]) -> None:
        assert all(pending.end is None for pending in others), "who went took what others were asked, too"
        assert all(pending.end is not None for pending in alone), "what was asked of who went is still open"

    # --- what they do ------------------------------------------------------------------------------------------------

    def somebody_speaks(self, chance: Random) -> None:
        _, person = self._one_of_the_asked(chance)
        match chance.choice(["speaks", "speaks", "speaks", "is silent", "rustles"]):
            case "speaks":
                self._account.begin(person.speak(VOICE))
                self._account.reached["somebody spoke"] += 1
            case "is silent":
                self._account.begin(person.stay_silent(200))
            case _:
                for _ in range(200 // FRAME_MS):  # all at once: more than a window can hold
                    person.send_frame(bytes(_FRAME))

    def a_key_is_pressed(self, chance: Random) -> None:
        _, person = self._one_of_the_asked(chance)
        self._account.begin(person.press(chance.choice(["1", "1", "2", "*", "12#"])))
        self._account.reached["a key was pressed"] += 1

    def _one_of_the_asked(self, chance: Random) -> tuple[ScriptedRoom, ScriptedParticipant]:
        """Somebody who is there, more likely one who is asked something."""
        asked = {(pending.room_id, who) for pending in self._account.open for who in pending.audience}
        return chance.choice(self.here + [each for each in self.here if (each[0].id, each[1].identity) in asked] * 4)

    def a_page_sends_junk(self, chance: Random) -> None:
        _, person = chance.choice(self.here)
        person.send_text(chance.choice(_JUNK))
        self._account.reached["a page sent junk"] += 1

    def send(self, pending: PendingInput, message: Mapping[str, object], chance: Random) -> bool:
        """Send it from the page of somebody in the room of a request."""
        people = self._meeting.room(pending.room_id).participants
        if not people:
            return False
        asked = [person for person in people if person.identity in pending.audience]
        chance.choice([*people, *asked * 3]).send(message)
        return True

    def somebody_right(self, pending: PendingInput) -> str:
        """Who may answer a request: there or not."""
        people = [person.identity for person in self._meeting.room(pending.room_id).participants]
        return next((who for who in people if who in pending.audience), (*pending.audience, "ada")[0])

    # --- the backend -------------------------------------------------------------------------------------------------

    def the_backend_says_who_speaks(self, chance: Random) -> None:
        room = chance.choice(self.all)
        room.active_speaker(chance.choice([*PEOPLE, None]))
        self._account.reached["the backend said who speaks"] += 1

    def the_backend_has_trouble(self, chance: Random) -> None:
        room = chance.choice(self.all)
        match chance.choice(["late", "messages hang", "messages are slow", "cannot leave", *["mends"] * 4]):
            case "late":
                room.delay_events(0.15)
                self.are_late.add(room.id)
            case "messages hang":
                room.faults.hang("send_message")
            case "messages are slow":
                room.faults.delay("send_message", 0.3)
            case "cannot leave":
                room.faults.delay("leave", 5.0)
                self.are_late.add(room.id)
            case _:
                room.faults.mend("send_message")
                room.faults.mend("leave")
        self._account.reached["the backend had trouble"] += 1

    def the_agent_is_put_out(self, chance: Random) -> None:
        room = chance.choice([room for room in self.all if room.agent])
        if chance.choice([True, False]):
            room.remove_agent()
            self._account.reached["the agent was removed"] += 1
        else:
            room.lose_agent()
            self._account.reached["the connection to a room was lost"] += 1

    # --- what always holds -------------------------------------------------------------------------------------------

    async def agree(self) -> None:
        """Who is there is who the channel says is there, and a card went to those only who are asked."""
        for room in self.all:
            if room.agent and room.id in self._meeting.channel.rooms and room.id not in self.are_late:
                there = {person.identity for person in room.participants}
                assert set(self._meeting.channel.participants(room.id)) == there
        for person in self._everybody:
            while self._cards.get(person, 0) < person.counts["request.opened"]:
                self._cards[person] = self._cards.get(person, 0) + 1
                card = await person.message(type="request.opened")
                pending = self._account.known.get(str(card["pending_id"]))
                assert pending is None or not pending.audience or person.identity in pending.audience, card
                self._account.reached["a card was shown"] += 1
