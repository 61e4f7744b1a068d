"""What every leg does, as rules that a transport's own tests run over its real wire.

A transport of yours tests itself so::

    @asynccontextmanager
    async def a_call() -> AsyncGenerator[Call]:
        async with my_server() as transport, my_phone(transport) as phone:
            yield Call(leg=await transport.accept(await phone.rings(), rate=leg_contract.RATE), far=phone)

    @pytest.mark.anyio
    @pytest.mark.parametrize("rule", leg_contract.RULES, ids=lambda rule: rule.__name__)
    async def test_my_leg_keeps_the_contract(rule: leg_contract.Rule) -> None:
        await leg_contract.check(rule, a_call)

The adapter says how a call is made and gives its other end (`FarEnd`); nothing may stand in for the leg or its wire. A
rule needs no test framework: it raises `AssertionError` with a sentence. What a leg says that it cannot do (its
capabilities) is not asked of it, but that it then does nothing.
"""

from collections.abc import Awaitable, Callable
from itertools import pairwise
from typing import Final

import anyio

from voice_hitl.audio.frame import FRAME_MS, frame_bytes
from voice_hitl.tasks import Tasks
from voice_hitl.testing import tones
from voice_hitl.testing.leg_ends import Call, Ends, FarEnd, Place, far_hears, is_over, say
from voice_hitl.testing.leg_listener import LegListener
from voice_hitl.testing.tones import duration_ms, pitch, tone, voiced
from voice_hitl.transport import AudioIn, Digit, Heard, HungUp, LegLost, Message, Played

RATE: Final = tones.RATE
"""Samples a second that the adapter accepts its calls with."""

LOST_WITHIN_S: Final = 15.0
"""A leg tells within this time that its far end has vanished."""

STILL_COMING_MS: Final = 300
"""After a `clear` the far end may hear so much more: what the network and its own buffer held."""

ENDS_WITHIN_S: Final = 5.0
"""After its end nothing of a call runs for longer than this."""

TELL_EVERY_MS: Final = 100 + FRAME_MS
_KEYS: Final = "4271#"
_NEAR_HZ, _FAR_HZ, _HZ_OFF = 440.0, 620.0, 30.0


Rule = Callable[[Ends], Awaitable[None]]


async def check(rule: Rule, place: Place) -> None:
    """Hold a leg against one rule, in a call of its own, and see that nothing of the call is left running.

    Raises:
        AssertionError: The leg does not keep the rule; the text says what it did.
    """
    before = {task.id for task in anyio.get_running_tasks()}
    failure: AssertionError | None = None
    async with place() as call:
        near, tasks = LegListener(call.leg), Tasks("leg contract")
        tasks.spawn(near.listen(), "listening")
        try:
            await rule(Ends(call.leg, near, call.far))
        except AssertionError as broken:
            failure = broken  # raised below, as it is: the adapter may close in a task group
        await call.leg.aclose()
        await tasks.close()
    if failure is not None:
        raise failure
    with anyio.move_on_after(ENDS_WITHIN_S):
        while _left(before):  # noqa: ASYNC110 - what was told to end ends soon, and tells nobody
            await anyio.sleep(FRAME_MS / 1_000)
    left = _left(before)
    assert not left, f"after the call there still ran: {', '.join(left)}"


def _left(before: set[int]) -> list[str]:
    return [str(task.name or task.id) for task in anyio.get_running_tasks() if task.id not in before]


# --- audio and what was heard -----------------------------------------------------------------------------------------


async def the_far_ends_voice_comes_in_whole_frames(ends: Ends) -> None:
    """20 ms each, at the rate asked for, in the order of time."""
    await ends.far.speak(tone(_FAR_HZ, 1_000))
    voice = await ends.near.voice(600)
    assert abs(pitch(voice) - _FAR_HZ) < _HZ_OFF, f"a voice of {_FAR_HZ:g} Hz came in at {pitch(voice):.0f} Hz"
    frames = ends.near.of(AudioIn)
    sizes = {len(frame.pcm) for frame in frames}
    assert sizes == {frame_bytes(RATE)}, f"frames are {frame_bytes(RATE)} bytes at {RATE} Hz, and there were {sizes}"
    assert all(before.at <= after.at for before, after in pairwise(frames)), "the times of the frames go backwards"


async def our_voice_is_heard(ends: Ends) -> None:
    """All of it, and at its own pitch."""
    say(ends.leg, tone(_NEAR_HZ, 1_000), "greeting")
    await ends.near.played("greeting")
    await far_hears(ends, 900)
    heard = voiced(ends.far.heard)
    assert abs(pitch(heard) - _NEAR_HZ) < _HZ_OFF, f"a voice of {_NEAR_HZ:g} Hz was heard at {pitch(heard):.0f} Hz"


async def both_may_speak_at_once(ends: Ends) -> None:
    """Neither direction waits for the other."""
    say(ends.leg, tone(_NEAR_HZ, 800), "answer")
    await ends.far.speak(tone(_FAR_HZ, 800))
    voice = await ends.near.voice(500)
    assert abs(pitch(voice) - _FAR_HZ) < _HZ_OFF, f"what came in while we spoke was at {pitch(voice):.0f} Hz"
    await far_hears(ends, 600)


async def what_was_played_is_told_item_by_item(ends: Ends) -> None:
    """At least every 100 ms, never backwards, to the very end of each item; `last` when nothing is queued behind."""
    say(ends.leg, tone(_NEAR_HZ, 460), "first")
    say(ends.leg, tone(_NEAR_HZ, 240), "second")
    await ends.near.played("second")
    told = ends.near.of(Played)
    items = list(dict.fromkeys(played.item for played in told))
    assert items == ["first", "second"], f"the items were played as {items}"
    for item, total in (("first", 460), ("second", 240)):
        steps = [0.0, *(played.ms for played in told if played.item == item)]
        assert steps[-1] == total, f"{item} has {total} ms, and {steps[-1]:g} ms were told as played"
        assert all(0 <= after - before <= TELL_EVERY_MS for before, after in pairwise(steps)), (
            f"{item} was told {steps}"
        )
    assert [played.last for played in told] == [False] * (len(told) - 1) + [True], "`last` is for the end of the queue"


async def clear_drops_the_rest_and_says_how_much_was_heard(ends: Ends) -> None:
    """In the same tick; what was never begun is named, and a second clear finds nothing."""
    say(ends.leg, tone(_NEAR_HZ, 5_000), "long")
    say(ends.leg, tone(_NEAR_HZ, 500), "unheard")
    await ends.near.until(lambda: any(played.ms >= 400 for played in ends.near.of(Played)), "400 ms being played")
    told = max(played.ms for played in ends.near.of(Played))
    found = ends.leg.clear()
    assert (found.item, found.dropped) == ("long", ("unheard",)), f"clear found {found}"
    assert told <= found.ms < 2_000, f"{found.ms:g} ms were heard by clear, after {told:g} ms were told"
    assert ends.leg.clear().item == "", "a second clear finds something"
    say(ends.leg, tone(_FAR_HZ, 300), "next")
    await ends.near.played("next")
    await far_hears(ends, min(found.ms, 300))
    heard_ms = duration_ms(voiced(ends.far.heard))
    assert heard_ms <= found.ms + 300 + STILL_COMING_MS, f"{heard_ms} ms were heard after {found.ms:g} ms and a clear"
    after = [played for played in ends.near.of(Played) if played.item == "next"]
    assert after[-1].ms == 300, "what is queued after a clear is played from its beginning"
    assert {played.item for played in ends.near.of(Played)} == {"long", "next"}, "what was dropped was told as played"


async def clear_of_nothing_is_nothing(ends: Ends) -> None:
    """Before anything was said, and when all was heard."""
    assert ends.leg.clear() == Heard(), "there was nothing to clear"
    say(ends.leg, tone(_NEAR_HZ, 100), "short")
    await ends.near.played("short")
    assert ends.leg.clear() == Heard(), "what was heard to its end is not cleared"


# --- keys and messages ------------------------------------------------------------------------------------------------


async def one_press_is_one_digit(ends: Ends) -> None:
    """Each once, in their order, with how long the key was held."""
    if not ends.leg.capabilities.digits:
        return
    await ends.far.press(_KEYS)
    await ends.near.until(lambda: len(ends.near.of(Digit)) >= len(_KEYS), f"the {len(_KEYS)} digits of {_KEYS}")
    await ends.far.speak(bytes(frame_bytes(RATE)) * 25)
    digits = ends.near.of(Digit)
    came = "".join(digit.digit for digit in digits)
    assert came == _KEYS, f"the keys {_KEYS} came as {came}"
    assert all(digit.duration_ms > 0 for digit in digits), "a press has a duration"
    assert all(before.at <= after.at for before, after in pairwise(digits)), "the times of the digits go backwards"


async def messages_go_both_ways_in_order(ends: Ends) -> None:
    """Where there are messages; a leg without them takes ours, and lets them go."""
    texts = [f'{{"number": {number}}}' for number in range(5)]
    for text in texts:
        await ends.leg.send_message(text)
    if not ends.leg.capabilities.messages:
        assert not ends.far.messages, "a leg without messages delivered some"
        return
    for text in texts:
        await ends.far.send_message(text)
    await ends.near.until(lambda: len(ends.near.of(Message)) >= len(texts), "the far end's messages")
    assert [message.text for message in ends.near.of(Message)] == texts, "the far end's messages came otherwise"
    await ends.near.until(lambda: len(ends.far.messages) >= len(texts), "our messages at the far end")
    assert ends.far.messages == texts, "our messages arrived otherwise"


# --- the end ----------------------------------------------------------------------------------------------------------


async def the_far_end_hangs_up(ends: Ends) -> None:
    """`HungUp("caller")`, once, and then the events end."""
    await ends.far.speak(tone(_FAR_HZ, 100))
    await ends.far.hang_up()
    await is_over(ends, "caller")


async def we_hang_up_at_once(ends: Ends) -> None:
    """Whatever is queued; the far end is told."""
    say(ends.leg, tone(_NEAR_HZ, 5_000), "long")
    await ends.far.speak(tone(_FAR_HZ, 100))
    await ends.leg.hang_up()
    await is_over(ends, "us")
    await ends.far.ended()


async def we_hang_up_after_what_is_queued_was_heard(ends: Ends) -> None:
    """The last sentence is heard to its end."""
    await ends.far.speak(tone(_FAR_HZ, 100))
    say(ends.leg, tone(_NEAR_HZ, 600), "goodbye")
    await ends.leg.hang_up(after="playout")
    await is_over(ends, "us")
    await ends.far.ended()
    heard_ms = duration_ms(voiced(ends.far.heard))
    assert heard_ms >= 520, f"of a goodbye of 600 ms {heard_ms} ms were heard"


async def a_leg_closed_in_the_middle_of_a_frame_is_over(ends: Ends) -> None:
    """While both speak, between two frames; and what is asked of it afterwards harms nobody."""
    say(ends.leg, tone(_NEAR_HZ, 5_000), "long")
    async with anyio.create_task_group() as group:
        group.start_soon(ends.far.speak, tone(_FAR_HZ, 400))
        await ends.near.voice(100)
        await anyio.sleep(FRAME_MS / 2_000)
        await ends.leg.aclose()
    await is_over(ends, "us")
    before = len(ends.near.events)
    await ends.leg.aclose()
    await ends.leg.hang_up()
    await ends.leg.hang_up(after="playout")
    say(ends.leg, tone(_NEAR_HZ, 100), "late")
    await ends.leg.send_message("{}")
    ends.leg.clear()
    assert len(ends.near.events) == before, "something came after the end"


async def who_hangs_up_first_counts(ends: Ends) -> None:
    """Both do, at once: there is one end."""
    await ends.far.speak(tone(_FAR_HZ, 100))
    async with anyio.create_task_group() as group:
        group.start_soon(ends.far.hang_up)
        group.start_soon(ends.leg.hang_up)
    await ends.near.until(ends.near.ended.is_set, "the end of the events")
    assert len(ends.near.of(HungUp)) == 1, f"the call ended {len(ends.near.of(HungUp))} times"


async def a_far_end_that_vanishes_is_lost(ends: Ends) -> None:
    """`LegLost`, not `HungUp`: it may come back. Let go, the leg ends as lost."""
    await ends.far.speak(tone(_FAR_HZ, 200))
    await ends.near.voice(100)
    await ends.far.vanish()
    await ends.near.until(lambda: bool(ends.near.of(LegLost)), "LegLost", within_s=LOST_WITHIN_S)
    assert not ends.near.of(HungUp), "a far end that vanished has not hung up"
    await ends.leg.aclose()
    await is_over(ends, "lost")
    assert len(ends.near.of(LegLost)) == 1, "it was lost more than once"


async def a_leg_that_cannot_transfer_says_so(ends: Ends) -> None:
    """`ValueError`, and the call goes on."""
    if ends.leg.capabilities.transfers:
        return
    try:
        await ends.leg.transfer("sip:somebody@example.org")
    except ValueError:
        await ends.far.speak(tone(_FAR_HZ, 300))
        await ends.near.voice(100)
        return
    raise AssertionError("a transfer that the capabilities rule out was taken")


__all__ = ["RATE", "RULES", "Call", "Ends", "FarEnd", "Place", "Rule", "check"]

RULES: Final[tuple[Rule, ...]] = (
    the_far_ends_voice_comes_in_whole_frames,
    our_voice_is_heard,
    both_may_speak_at_once,
    what_was_played_is_told_item_by_item,
    clear_drops_the_rest_and_says_how_much_was_heard,
    clear_of_nothing_is_nothing,
    one_press_is_one_digit,
    messages_go_both_ways_in_order,
    the_far_end_hangs_up,
    we_hang_up_at_once,
    we_hang_up_after_what_is_queued_was_heard,
    a_leg_closed_in_the_middle_of_a_frame_is_over,
    who_hangs_up_first_counts,
    a_far_end_that_vanishes_is_lost,
    a_leg_that_cannot_transfer_says_so,
)
"""The contract. Each is a sentence, and its docstring says what it means."""
