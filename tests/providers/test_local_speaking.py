"""The agent's side of a connection: what was cut says nothing more, in that very tick."""

from collections.abc import Callable
from itertools import count

import anyio
import anyio.lowlevel
import pytest

from voice_hitl.provider import AudioOut, ProviderEvent, ResponseEnded, ResponseStarted, Transcript
from voice_hitl_local.front_desk.brain import Call, Say
from voice_hitl_local.speaking import Speaking, Wish

pytestmark = pytest.mark.anyio


async def told_when_cut(at: Callable[[ProviderEvent], bool]) -> tuple[list[ProviderEvent], list[Call]]:
    """What a response that speaks and then calls told and called, when it is cut at an event, while that is told."""
    told: list[ProviderEvent] = []
    called: list[Call] = []
    numbers = count()
    over = anyio.Event()

    def emit(event: ProviderEvent) -> None:
        told.append(event)
        if at(event):
            assert speaking.interrupt(None)
        if isinstance(event, ResponseEnded):
            over.set()

    speaking = Speaking(
        emit=emit,
        new_id=lambda kind: f"{kind}_{next(numbers)}",
        issue=lambda call, _response: called.append(call),
        give_up=lambda: None,
    )
    async with anyio.create_task_group() as group:
        group.start_soon(speaking.run)
        speaking.want(Wish(lambda: (Say("One moment, please."), Call("book_table", {})), ours=True))
        with anyio.fail_after(30):
            await over.wait()
        # Whatever the cut one would still do, it does before the next one begins.
        speaking.want(Wish(tuple, ours=True))
        while told[-1] != ResponseEnded("resp_2"):
            await anyio.lowlevel.checkpoint()
        group.cancel_scope.cancel()
    return told[:-2], called


async def test_uncut_it_speaks_and_calls() -> None:
    told, called = await told_when_cut(lambda _event: False)
    assert [type(event) for event in told[:3]] == [ResponseStarted, Transcript, AudioOut]
    assert told[-1] == ResponseEnded("resp_0", "completed")
    assert called == [Call("book_table", {})]


async def test_cut_at_its_first_word_no_audio_comes_and_no_call_is_made() -> None:
    told, called = await told_when_cut(lambda event: isinstance(event, Transcript))
    assert [type(event) for event in told] == [ResponseStarted, Transcript, ResponseEnded]
    assert called == []


async def test_cut_at_its_last_word_its_call_is_not_made() -> None:
    told, called = await told_when_cut(lambda event: isinstance(event, Transcript) and event.final)
    assert told[-1] == ResponseEnded("resp_0", "cancelled")
    assert called == []
