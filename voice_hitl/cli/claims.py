"""`voice-hitl check --provider openai`: what the OpenAI plugin claims, tried at the service or at a local server."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast
from urllib.parse import urlsplit

from rich.console import Console
from rich.markup import escape

from voice_hitl import plugins
from voice_hitl.cli.probes import PROBES, Finding, Probe, run_probes
from voice_hitl.cli.probing import Bench, Pace
from voice_hitl.provider import Provider

QUICK: Final = Pace(quiet_s=0.3, frame_s=0.002)
"""For a server on this machine, which answers at once or never."""

NOT_THE_SERVICE: Final = (
    "the local server of voice_hitl.testing, not OpenAI: OPENAI_API_KEY is not set. It shows that the plugin and that "
    "server agree, and nothing about the service"
)


@dataclass(frozen=True, slots=True)
class Claims:
    """What was found of a provider's claims, and where it was tried."""

    provider: str
    where: str
    findings: Sequence[Finding]

    @property
    def ok(self) -> bool:
        """Whether everything that is claimed was found so."""
        return all(finding.ok is not False for finding in self.findings)


async def check_claims(environ: Mapping[str, str], within_s: float, progress: Console) -> Claims:
    """Probe the OpenAI plugin: with a key at the service (or at `OPENAI_BASE_URL`), else at a local server.

    Args:
        environ: Where `OPENAI_API_KEY` and `OPENAI_BASE_URL` are looked for.
        within_s: How long anything that is waited for may take to come.
        progress: Where each probe is told as it goes.

    Raises:
        PluginMissing: The extra `openai` is not installed.
        ProviderError: The service cannot be reached, or does not take the key.
    """
    provider_of = cast("Callable[..., Provider]", plugins.load("provider", "openai"))
    if environ.get("OPENAI_API_KEY"):
        where = urlsplit(environ.get("OPENAI_BASE_URL", "")).netloc or "api.openai.com"
        return await _probe(Bench(provider_of(), Pace(within_s=within_s)), where, progress)
    # Needs what the plugin needs, which is there by now.
    from voice_hitl.cli.stand_in import stand_in  # noqa: PLC0415

    pace = Pace(within_s=within_s, quiet_s=QUICK.quiet_s, frame_s=QUICK.frame_s)
    async with stand_in() as server:
        provider = provider_of(api_key=server.api_key, base_url=server.base_url)
        return await _probe(Bench(provider, pace), NOT_THE_SERVICE, progress)


async def _probe(bench: Bench, where: str, progress: Console) -> Claims:
    progress.print(f"Probing {escape(bench.provider.name)} at {escape(where)}.", highlight=False)
    with progress.status("opening a session") as status:

        def begun(probe: Probe) -> None:
            status.update(f"{probe.name} ({PROBES.index(probe) + 1} of {len(PROBES)})")

        def found(finding: Finding) -> None:
            mark = {True: "[green]✓[/]", False: "[red]✗[/]", None: "[dim]-[/]"}[finding.ok]
            progress.print(f"{mark} {finding.name} [dim]{escape(finding.measured)}[/]", highlight=False)

        return Claims(bench.provider.name, where, await run_probes(bench, begun=begun, found=found))
