import numpy as np
import pytest

from voice_hitl.testing.openai.ear import MOST_KEPT_MS, Ear, Onset

DETECTION: dict[str, object] = {"threshold": 0.5, "prefix_padding_ms": 300, "silence_duration_ms": 200}


def loud(ms: int, level: int = 8_000) -> bytes:
    samples = np.sin(np.arange(ms * 24) * 0.06) * level
    return bytes(samples.astype("<i2"))


def quiet(ms: int) -> bytes:
    return bytes(ms * 48)


def listen(ear: Ear, pcm: bytes, detection: dict[str, object] | None = DETECTION) -> list[Onset]:
    ear.append(pcm)
    onsets: list[Onset] = []
    while (onset := ear.listen(detection)) is not None:
        onsets.append(onset)
    return onsets


def test_speech_starts_with_its_padding_and_stops_after_the_silence() -> None:
    ear = Ear()
    onsets = listen(ear, quiet(1_000) + loud(400) + quiet(500))
    assert onsets == [Onset("started", 700), Onset("stopped", 1_600)]
    assert ear.heard_ms == 1_900


def test_the_audio_of_a_turn_begins_with_its_padding() -> None:
    ear = Ear()
    ear.append(quiet(5_000) + loud(400) + quiet(200))
    assert ear.listen(DETECTION) == Onset("started", 4_700)
    assert ear.listen(DETECTION) == Onset("stopped", 5_600)
    assert len(ear.take()) == 900 * 48
    assert ear.buffered_ms == 0


def test_a_pause_shorter_than_the_silence_is_one_turn() -> None:
    assert len(listen(Ear(), loud(200) + quiet(180) + loud(200) + quiet(300))) == 2


@pytest.mark.parametrize(("level", "starts"), [(200, 0), (8_000, 1)])
def test_only_what_is_loud_enough_is_speech(level: int, starts: int) -> None:
    assert len(listen(Ear(), loud(400, level))) == starts


def test_nothing_is_detected_where_nothing_is_to_be() -> None:
    ear = Ear()
    assert listen(ear, loud(400) + quiet(400), None) == []
    assert ear.buffered_ms == 800


def test_what_nobody_commits_is_kept_for_so_long() -> None:
    ear = Ear()
    listen(ear, quiet(MOST_KEPT_MS + 1_000), None)
    assert ear.buffered_ms == MOST_KEPT_MS


def test_audio_of_any_size_is_heard_the_same() -> None:
    pcm = loud(300) + quiet(300)
    whole, pieces = listen(Ear(), pcm), Ear()
    found = [onset for start in range(0, len(pcm), 998) for onset in listen(pieces, pcm[start : start + 998])]
    assert found == whole
