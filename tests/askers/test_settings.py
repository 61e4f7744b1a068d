"""An asker that could not work is refused where it is written, in words that say what would."""

from collections.abc import Callable

import pytest

from voice_hitl import SpokenAsker, TelephoneAsker
from voice_hitl.askers.hold import HoldLines
from voice_hitl.channels.voice import RealtimeVoiceChannel
from voice_hitl.testing import LoopbackTransport, ScriptedProvider

Make = Callable[[], object]


def telephone() -> RealtimeVoiceChannel:
    return RealtimeVoiceChannel("out", provider=ScriptedProvider(), transport=LoopbackTransport())


WRONG: list[tuple[Make, str]] = [
    (lambda: SpokenAsker(tries=0), "tries is at least 1"),
    (lambda: SpokenAsker(no_input_s=0), "more than 0 seconds"),
    (lambda: SpokenAsker(keys=("1", "1")), r"such as \('1', '2'\)"),
    (lambda: SpokenAsker(keys=("y", "n")), r"such as \('1', '2'\)"),
    (lambda: SpokenAsker(keys=("1",)), r"such as \('1', '2'\)"),  # type: ignore[arg-type] # the mistake
    (lambda: SpokenAsker(read_back="no"), "read_back is 'auto' or 'always' or 'never', not 'no'"),  # type: ignore[arg-type] # the mistake
    (lambda: SpokenAsker(after="later"), "after is 'sentence' or 'now'"),  # type: ignore[arg-type] # the mistake
    (lambda: SpokenAsker(keypad_hint="yes"), "keypad_hint is 'always' or"),  # type: ignore[arg-type] # the mistake
    (lambda: SpokenAsker(prompts={"goahead": {"en": "Well?"}}), "there is no sentence 'goahead'; there are"),
    (lambda: HoldLines(lines="One moment."), r"such as \('One moment\.',\)"),
    (lambda: HoldLines(then_s=()), "at least one"),
    (lambda: HoldLines(first_s=0), "more than 0 seconds"),
    (lambda: TelephoneAsker(telephone(), " ", SpokenAsker()), "sip:ops@10.0.0.7"),
]


@pytest.mark.parametrize(("make", "why"), WRONG, ids=[why for _, why in WRONG])
def test_what_could_not_work_says_what_would(make: Make, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        make()
