"""The model's voice on its way to the caller."""

from dataclasses import dataclass, field

from voice_hitl.audio.frame import frame_bytes
from voice_hitl.channels.playback import REMEMBERED, Cut, Playback
from voice_hitl.provider import AudioOut, Receiver
from voice_hitl.tasks import Mailbox
from voice_hitl.transport import After, Heard, LegCapabilities, LegEvent, LegInfo, Played

RATE = 8_000
FRAME = bytes(frame_bytes(RATE))


@dataclass
class ALeg:
    """A leg that plays nothing by itself."""

    sent: list[str] = field(default_factory=list[str])
    heard: Heard = field(default_factory=Heard)
    info: LegInfo = field(default_factory=lambda: LegInfo(call_id="c"))
    capabilities: LegCapabilities = field(default_factory=LegCapabilities)
    round_trip_ms: float | None = None

    def events(self) -> Receiver[LegEvent]:
        return Mailbox()

    def send_audio(self, pcm: bytes, item: str) -> None:
        assert len(pcm) == len(FRAME)
        self.sent.append(item)

    def clear(self) -> Heard:
        return self.heard

    async def send_message(self, text: str) -> None: ...

    async def hang_up(self, *, after: After = "now") -> None: ...

    async def transfer(self, target: str) -> None: ...

    async def aclose(self) -> None: ...


def audio(frames: float, item: str = "i1", response: str = "r1") -> AudioOut:
    return AudioOut(bytes(int(len(FRAME) * frames) // 2 * 2), item, 0, response)


def test_audio_goes_out_in_frames_and_what_is_left_of_an_item_at_its_end() -> None:
    playback, leg = Playback(RATE), ALeg()
    playback.play(audio(1.5), leg)
    assert leg.sent == ["i1"]
    playback.play(audio(0.75), leg)
    assert leg.sent == ["i1"] * 2
    playback.finish(leg)
    playback.finish(leg)
    assert leg.sent == ["i1"] * 3


def test_another_item_finishes_the_one_before() -> None:
    playback, leg = Playback(RATE), ALeg()
    playback.play(audio(1.5), leg)
    playback.play(audio(1, "i2"), leg)
    assert leg.sent == ["i1", "i1", "i2"]


def test_it_speaks_from_the_first_frame_until_the_last_was_heard() -> None:
    playback, leg = Playback(RATE), ALeg()
    assert not playback.speaking
    playback.play(audio(2), leg)
    assert playback.speaking
    assert not playback.heard(Played("i1", 20, 0))
    assert playback.speaking
    assert playback.heard(Played("i1", 40, 0, last=True))
    assert not playback.speaking
    assert not playback.heard(Played("i1", 40, 0, last=True))


def test_a_voice_that_is_made_slowly_speaks_on() -> None:
    playback, leg = Playback(RATE), ALeg()
    playback.play(audio(1), leg)
    playback.heard(Played("i1", 20, 0, last=True))
    playback.play(audio(2), leg)
    leg.heard = Heard("i1", 40)
    assert playback.cut(leg) == Cut("r1", "i1", 40, ())


def test_a_cut_says_what_was_heard_and_what_was_not() -> None:
    playback, leg = Playback(RATE), ALeg()
    for item in ("i1", "i2", "i3"):
        playback.play(audio(5, item), leg)
    playback.heard(Played("i1", 100, 0))
    leg.heard = Heard("i2", 45, ("i3",))
    assert playback.cut(leg) == Cut("r1", "i2", 45, ("i3",))
    assert not playback.speaking


def test_an_item_of_which_nothing_was_heard_is_forgotten_whole() -> None:
    playback, leg = Playback(RATE), ALeg()
    playback.play(audio(5, "i1"), leg)
    playback.play(audio(5, "i2"), leg)
    leg.heard = Heard(dropped=("i1", "i2"))
    assert playback.cut(leg) == Cut("r1", "i1", 0, ("i1", "i2"))


def test_an_item_that_was_heard_whole_before_is_not_the_one_that_is_cut() -> None:
    playback, leg = Playback(RATE), ALeg()
    playback.play(audio(5, "i1", "r1"), leg)
    playback.heard(Played("i1", 100, 0, last=True))
    playback.play(audio(5, "i2", "r2"), leg)
    leg.heard = Heard(dropped=("i2",))
    assert playback.cut(leg) == Cut("r2", "i2", 0, ("i2",))


def test_no_more_counts_as_heard_than_was_sent() -> None:
    playback, leg = Playback(RATE), ALeg()
    playback.play(audio(5), leg)
    leg.heard = Heard("i1", 57_000)
    cut = playback.cut(leg)
    assert cut is not None
    assert cut.played_ms == 100


def test_nothing_left_to_hear_is_no_cut() -> None:
    playback, leg = Playback(RATE), ALeg()
    assert playback.cut(leg) is None
    playback.play(audio(1), leg)
    playback.heard(Played("i1", 20, 0, last=True))
    assert playback.cut(leg) is None


def test_what_still_comes_of_what_was_cut_is_not_played() -> None:
    playback, leg = Playback(RATE), ALeg()
    playback.play(audio(5), leg)
    playback.play(audio(5, "i9", ""), leg)
    playback.cut(leg)
    leg.sent.clear()
    for late in (audio(5), audio(5, "i2"), audio(5, "i9", "")):
        playback.play(late, leg)
    assert leg.sent == []
    playback.play(audio(1, "i3", "r2"), leg)
    assert leg.sent == ["i3"]


def test_a_response_can_be_dropped_before_it_is_heard_and_only_so_many_are_remembered() -> None:
    playback, leg = Playback(RATE), ALeg()
    playback.drop("")
    playback.drop("r1")
    playback.play(audio(1), leg)
    assert leg.sent == []
    for number in range(REMEMBERED):
        playback.drop(f"other-{number}")
    playback.play(audio(1), leg)
    assert leg.sent == ["i1"]


def test_news_of_an_item_that_is_not_ours_changes_nothing() -> None:
    playback, leg = Playback(RATE), ALeg()
    playback.play(audio(1), leg)
    assert not playback.heard(Played("asked-1", 20, 0))
    assert playback.speaking


# --- what the provider plays by itself -------------------------------------------------------------------------------


def test_what_the_provider_plays_is_being_heard_until_it_says_that_it_has_played_it() -> None:
    playback = Playback(RATE)
    playback.plays_elsewhere("a")
    playback.plays_elsewhere("b")
    assert playback.speaking
    assert not playback.ended("a")
    assert playback.ended("b")
    assert not playback.speaking


def test_words_that_come_after_an_item_was_played_make_nobody_wait() -> None:
    playback = Playback(RATE)
    assert not playback.ended("a")
    playback.plays_elsewhere("a")
    assert not playback.speaking


def test_what_was_played_before_an_item_that_has_ended_is_over_too() -> None:
    playback = Playback(RATE)
    playback.plays_elsewhere("lost")
    playback.plays_elsewhere("b")
    assert playback.ended("b")


def test_a_cut_of_what_the_provider_plays_does_not_say_how_much_was_heard() -> None:
    playback, leg = Playback(RATE), ALeg()
    playback.plays_elsewhere("a")
    assert playback.cut(leg) == Cut("", "a", 0.0, ())
    assert not playback.speaking
    assert playback.cut(leg) is None
    playback.plays_elsewhere("a")  # the rest of its words
    assert not playback.speaking


def test_of_what_a_lost_connection_played_nobody_waits_for_the_end() -> None:
    playback = Playback(RATE)
    playback.plays_elsewhere("a")
    playback.ended_unseen()
    assert not playback.speaking
