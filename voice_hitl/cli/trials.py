"""How each claim of a provider is tried: what was found, and whether that is what is claimed.

Over the provider port only. `Missed` says what did not come, or came and must not.
"""

import re
from typing import Final

from voice_hitl.cli.probing import LOOK_UP, Bench, Heard, Missed
from voice_hitl.provider import (
    AudioOut,
    Connected,
    ProviderConfig,
    ProviderFailed,
    ResponseEnded,
    ResponseStarted,
    Resumed,
    SpeechStarted,
    SpeechStopped,
    ToolCancelled,
    Transcript,
)
from voice_hitl.tasks import current_time

Found = tuple[str, bool]
"""In words, and whether it is as claimed."""

COUNT: Final = "Count aloud from one to thirty."
RESULT: Final = '{"found": "rain"}'
HEARD_MS: Final = 500
SENTENCES: Final = (
    "Transfer five hundred dollars to Anna.",
    "Shall I go ahead?",
    "Your table is for four, tomorrow at seven.",
    "Please say yes, or press one.",
    "Nothing has been done yet.",
)
LIKELY: Final = 0.8
"""How many of the sentences have to come out word for word for it to be called likely."""


# --- the session -----------------------------------------------------------------------------------------------------


async def expiry(bench: Bench) -> Found:
    """When the service ends the session."""
    async with bench.session() as heard:
        end = (await heard.first(Connected)).expires_at
        if end is None:
            return "says of none", True
        left_min = (end - current_time()) / 60
        return f"in {left_min:.0f} min", left_min > 0


async def renewal(bench: Bench) -> Found:
    """A call that is owed its output is carried into a new session, and answered there."""
    async with bench.session() as before:
        call = await before.call()
    owed = {"call_id": call.call_id, "name": call.name, "arguments": call.arguments}
    history = [{"role": "user", "text": "Look it up for me."}]
    async with bench.session(history=history, owed_calls=[owed]) as heard:
        if call.call_id not in (await heard.first(Resumed)).calls_kept:
            return "the call was not kept", False
        since = heard.mark
        await heard.model.send_tool_result(call.call_id, call.name, RESULT, failed=False)
        await heard.model.respond()
        await heard.reply(since=since)
        await heard.none(ProviderFailed)
        return "call made again under its id, output taken", True


async def call_id(bench: Bench) -> Found:
    """The longest id that a call can be carried over under."""
    most = bench.provider.capabilities.max_call_id or 0
    fits, too_long = "c" * most, "d" * (most + 1)
    owed = [{"call_id": call_id, "name": LOOK_UP.name, "arguments": "{}"} for call_id in (fits, too_long)]
    async with bench.session(owed_calls=owed) as heard:
        kept = (await heard.first(Resumed)).calls_kept
        longer = "taken too" if too_long in kept else "refused"
        return f"{most} {'taken' if fits in kept else 'refused'}, {most + 1} {longer}", fits in kept


async def reconfigure(bench: Bench) -> Found:
    """New instructions in the session that stands."""
    async with bench.session() as heard:
        await heard.model.reconfigure(ProviderConfig(instructions='Whatever is asked, say only: "Banana."', tools=[]))
        said = await heard.reply(since=await heard.ask("Say anything."))
        return f"new instructions followed: {said!r}", "banana" in said.casefold() and not heard.over


async def forget(bench: Bench) -> Found:
    """An item that was forgotten is not known, and one that was not is."""
    async with bench.session() as heard:
        item = await heard.model.inject("The code word is kangaroo.", role="system")
        await heard.model.inject("The code word is Tuesday.", role="system")
        await heard.model.forget(item)
        said = (await heard.reply(since=await heard.ask("Say every code word that you were told."))).casefold()
        await heard.none(ProviderFailed)
        return f"then known: {said!r}", "tuesday" in said and "kangaroo" not in said


# --- the caller ------------------------------------------------------------------------------------------------------


async def speech_events(bench: Bench) -> Found:
    """The caller's speech is reported."""
    async with bench.session() as heard:
        await bench.speak(heard)
        await heard.first(SpeechStarted)
        await heard.first(SpeechStopped)
        return "start and stop reported", True


async def transcript(bench: Bench) -> Found:
    """The caller is written down; how long after they stopped."""
    async with bench.session() as heard:
        await bench.speak(heard)
        line = await _callers_line(heard)
        stops = [stop for stop in heard.all(SpeechStopped) if stop.item_id == line.item_id]
        if not stops:
            return f"{line.text!r}", True
        delay_ms = (heard.when(line) - heard.when(stops[-1])) * 1000
        return f"{max(0.0, delay_ms):.0f} ms after the end of speech", bool(line.text)


async def _callers_line(heard: Heard, *, since: int = 0) -> Transcript:
    return await heard.first(Transcript, lambda line: line.role == "user" and line.final, since=since)


async def hold_mid_call(bench: Bench) -> Found:
    """Held while a call is owed, the model hears the caller and does not answer; let go, it answers again."""
    async with bench.session() as heard:
        await heard.call()
        await heard.model.hold(on=True)
        await _is_quiet(bench, heard)
        await heard.model.hold(on=False)
        await heard.reply(since=await heard.ask("Say: I heard you."))
        return "heard, not answered; answers again when let go", True


async def held_from_the_start(bench: Bench) -> Found:
    """Held before it has heard anything, it does not answer either."""
    async with bench.session(held=True) as heard:
        await _is_quiet(bench, heard)
        return "heard, not answered", True


async def _is_quiet(bench: Bench, heard: Heard) -> None:
    since = heard.mark
    await bench.speak(heard)
    await _callers_line(heard, since=since)
    await heard.none(ResponseStarted, ToolCancelled, ProviderFailed, since=since)


async def speech_and_calls(bench: Bench) -> Found:
    """Whether the caller's speech makes it give a call up."""
    async with bench.session() as heard:
        call = await heard.call()
        since = heard.mark
        await bench.speak(heard)
        await _callers_line(heard, since=since)
        await heard.none(since=since)
        cancelled = bool(heard.all(ToolCancelled, since=since))
        if not cancelled:
            await heard.model.send_tool_result(call.call_id, call.name, RESULT, failed=False)
            await heard.none(ProviderFailed, since=since)
        measured = "cancelled" if cancelled else "the call stays, its output is taken"
        return measured, cancelled == bench.provider.capabilities.speech_cancels_calls


# --- calls and responses ---------------------------------------------------------------------------------------------


async def speaks_while_owed(bench: Bench) -> Found:
    """Whether it speaks while a call is owed its output."""
    async with bench.session() as heard:
        await heard.call()
        since = await heard.ask("Say: I heard you.")
        try:
            await heard.first(AudioOut, since=since)
        except Missed:
            return "silent", not bench.provider.capabilities.speaks_while_owed
        return "speaks", bench.provider.capabilities.speaks_while_owed


async def output_during_response(bench: Bench) -> Found:
    """An output is taken while the model speaks, and the model goes on from it."""
    async with bench.session() as heard:
        call = await heard.call()
        since = await _counting(heard)
        await heard.model.send_tool_result(call.call_id, call.name, RESULT, failed=False)
        status = (await heard.first(ResponseEnded, since=since)).status
        after = heard.mark
        await heard.model.respond()
        await heard.reply(since=after)
        await heard.none(ProviderFailed)
        return f"taken; that response {status}", status == "completed"


async def replies_to_results(bench: Bench) -> Found:
    """Whether it goes on by itself on getting an output."""
    async with bench.session() as heard:
        call = await heard.call()
        since = heard.mark
        await heard.model.send_tool_result(call.call_id, call.name, RESULT, failed=False)
        await heard.none(ProviderFailed, since=since)
        by_itself = bool(heard.all(ResponseStarted, since=since))
        if not by_itself:
            await heard.model.respond()
        await heard.reply(since=since)
        measured = "goes on by itself" if by_itself else "goes on when asked"
        return measured, by_itself == bench.provider.capabilities.replies_to_results


async def second_response(bench: Bench) -> Found:
    """Asked on while it responds, it responds once more, afterwards."""
    async with bench.session() as heard:
        since = await _counting(heard)
        first = heard.all(ResponseStarted, since=since)[0]
        await heard.ask("Say: I heard you.")
        second = await heard.first(ResponseStarted, lambda one: one is not first, since=since)
        ended = await heard.ended(first.response_id, since=since)
        waited = heard.when(second) >= heard.when(ended)
        await heard.settled(since=since)
        await heard.none(ProviderFailed, since=since)
        begun = len(heard.all(ResponseStarted, since=since))
        return f"{begun - 1} more, {'after' if waited else 'beside'} the first", waited and begun == 2


async def cancellation(bench: Bench) -> Found:
    """A response is cut; a cut with nothing to cut is no error."""
    async with bench.session() as heard:
        since = await _counting(heard)
        asked = current_time()
        await heard.model.interrupt()
        ended = await heard.first(ResponseEnded, since=since)
        ms = (heard.when(ended) - asked) * 1000
        await heard.model.interrupt()
        await heard.none(ProviderFailed, since=since)
        return f"{ended.status} after {ms:.0f} ms; once more is no error", ended.status == "cancelled"


async def truncation(bench: Bench) -> Found:
    """What was not heard can be taken back; more than there is is no error."""
    enough = 2 * bench.provider.capabilities.rate  # a second
    async with bench.session() as heard:
        since = await _counting(heard)
        audio = await heard.first(
            AudioOut, lambda _one: sum(len(one.pcm) for one in heard.all(AudioOut, since=since)) >= enough, since=since
        )
        await heard.model.interrupt(item_id=audio.item_id, played_ms=HEARD_MS)
        await heard.model.interrupt(item_id=audio.item_id, played_ms=3_600_000)
        await heard.first(ResponseEnded, since=since)
        await heard.none(ProviderFailed, since=since)
        return f"cut at {HEARD_MS} ms, beyond the end no error", True


async def longest_result(bench: Bench) -> Found:
    """An output of the greatest length is taken."""
    most = bench.provider.capabilities.max_result_chars or 0
    async with bench.session() as heard:
        call = await heard.call()
        since = heard.mark
        text = ("rain " * (most // 5 + 1))[:most]
        await heard.model.send_tool_result(call.call_id, call.name, text, failed=False)
        await heard.model.respond()
        await heard.reply(since=since)
        await heard.none(ProviderFailed, since=since)
        return f"{most:,} characters taken", True


async def verbatim(bench: Bench) -> Found:
    """How many sentences come out word for word."""
    exact = 0
    async with bench.session() as heard:
        for sentence in SENTENCES:
            since = heard.mark
            await heard.model.say(sentence)
            exact += _words(await heard.reply(since=since)) == _words(sentence)
            await heard.settled(since=since)
    least = len(SENTENCES) * (1.0 if bench.provider.capabilities.verbatim == "exact" else LIKELY)
    return f"{exact} of {len(SENTENCES)} word for word", exact >= least


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


async def _counting(heard: Heard) -> int:
    """Have the model speak for a while; return the mark before, once it is heard; `Missed` where it is over already."""
    since = await heard.ask(COUNT)
    await heard.first(AudioOut, since=since)
    if heard.all(ResponseEnded, since=since):
        raise Missed("the response was over before anything could be tried in it")
    return since
