"""`voice-hitl check --provider ...`: what a provider claims in its `capabilities`, tried out one by one.

Over the provider port only: each probe has a session of its own, says what it found, and whether that is what is
claimed. Where the claim is that it cannot, that is tried too if it can be seen, else nothing is.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

from voice_hitl.cli import trials
from voice_hitl.cli.probing import Bench, Missed
from voice_hitl.errors import ConnectionEnded, ProviderError
from voice_hitl.provider import ProviderCapabilities


@dataclass(frozen=True, slots=True)
class Finding:
    """What a probe found. `ok` None: nothing is claimed, so nothing was tried."""

    name: str
    claimed: str
    measured: str
    ok: bool | None


@dataclass(frozen=True, slots=True)
class Probe:
    """One claim: how it is named, what is claimed (None: nothing to try), and how to try it."""

    name: str
    claim: Callable[[ProviderCapabilities], str | None]
    run: Callable[[Bench], Awaitable[trials.Found]]


async def run_probes(
    bench: Bench,
    probes: Sequence[Probe] | None = None,
    *,
    begun: Callable[[Probe], None] = lambda _probe: None,
    found: Callable[[Finding], None] = lambda _finding: None,
) -> list[Finding]:
    """Try these claims, or all of them; `begun` and `found` are told of each.

    Raises:
        ProviderError: The provider cannot be reached, or takes no session.
    """
    findings: list[Finding] = []
    async with bench.session():
        pass
    for probe in PROBES if probes is None else probes:
        begun(probe)
        claimed = probe.claim(bench.provider.capabilities)
        finding = await _try(probe, claimed, bench) if claimed is not None else Finding(probe.name, "no", "", None)
        findings.append(finding)
        found(finding)
    return findings


async def _try(probe: Probe, claimed: str, bench: Bench) -> Finding:
    try:
        measured, ok = await probe.run(bench)
    except (Missed, ProviderError, ConnectionEnded) as error:
        measured, ok = str(error), False
    return Finding(probe.name, claimed, measured, ok)


def _yes_or_no(claimed: object) -> str:
    return "yes" if claimed else "no"


PROBES: Final = (
    Probe("end of the session", lambda _can: "told, where there is one", trials.expiry),
    Probe("speech events", lambda can: "yes" if can.speech_events else None, trials.speech_events),
    Probe("transcript of the caller", lambda _can: "final", trials.transcript),
    Probe("hold, mid-call", lambda can: "quiet" if can.hold == "quiet" else None, trials.hold_mid_call),
    Probe("hold, from the start", lambda can: "quiet" if can.hold == "quiet" else None, trials.held_from_the_start),
    Probe("speech cancels calls", lambda can: _yes_or_no(can.speech_cancels_calls), trials.speech_and_calls),
    Probe("speaks while owed an output", lambda can: _yes_or_no(can.speaks_while_owed), trials.speaks_while_owed),
    Probe("output during a response", lambda _can: "taken", trials.output_during_response),
    Probe("replies to results by itself", lambda can: _yes_or_no(can.replies_to_results), trials.replies_to_results),
    Probe("second response", lambda _can: "once more, after the first", trials.second_response),
    Probe("cancellation", lambda _can: "yes", trials.cancellation),
    Probe("truncation", lambda can: "yes" if can.truncates else None, trials.truncation),
    Probe("says words verbatim", lambda can: can.verbatim if can.verbatim != "none" else None, trials.verbatim),
    Probe("forget", lambda _can: "yes", trials.forget),
    Probe("reconfigure", lambda can: "in place" if can.reconfigures == "in_place" else None, trials.reconfigure),
    Probe("owed call after renewal", lambda can: "replay" if can.resumes == "replay" else None, trials.renewal),
    Probe(
        "longest result",
        lambda can: f"{can.max_result_chars:,} characters" if can.max_result_chars else None,
        trials.longest_result,
    ),
    Probe(
        "longest call id",
        lambda can: f"{can.max_call_id} characters" if can.max_call_id and can.resumes == "replay" else None,
        trials.call_id,
    ),
)
