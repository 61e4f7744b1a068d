"""The probes: an honest plugin passes them all, and each thing that is not as it is claimed is found."""

import io
import json
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from voice_hitl.cli.claims import NOT_THE_SERVICE, QUICK, Claims
from voice_hitl.cli.main import app
from voice_hitl.cli.probes import PROBES, Finding, run_probes
from voice_hitl.cli.probing import Bench
from voice_hitl.cli.report import show_claims, show_claims_json
from voice_hitl.cli.stand_in import stand_in
from voice_hitl.errors import ProviderError
from voice_hitl.provider import Provider, ProviderCapabilities, ProviderConfig, ProviderConnection
from voice_hitl.testing.openai_realtime import OpenAIRealtimeServer
from voice_hitl_openai import OpenAIRealtimeProvider

pytestmark = pytest.mark.anyio

DOCS = Path(__file__).parents[2] / "docs" / "openai_probes.md"

Event = Mapping[str, object]


@dataclass(frozen=True)
class Claiming:
    """A provider that claims something else."""

    behind: Provider
    capabilities: ProviderCapabilities

    @property
    def name(self) -> str:
        return "boaster"

    async def connect(self, config: ProviderConfig) -> ProviderConnection:
        return await self.behind.connect(config)


@pytest.fixture
async def server() -> AsyncIterator[OpenAIRealtimeServer]:
    async with stand_in() as running:
        yield running


@pytest.fixture
def provider(server: OpenAIRealtimeServer) -> OpenAIRealtimeProvider:
    return OpenAIRealtimeProvider(api_key=server.api_key, base_url=server.base_url)


async def probe(name: str, provider: Provider) -> Finding:
    (chosen,) = [probe for probe in PROBES if probe.name == name]
    (finding,) = await run_probes(Bench(provider, replace(QUICK, within_s=2.0)), [chosen])
    return finding


def test_every_claim_of_the_openai_plugin_is_so_at_the_local_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    said = CliRunner().invoke(app, ["check", "--provider", "openai", "--json"])
    assert said.exit_code == 0, said.output
    report = json.loads(said.stdout)
    assert [(found["name"], found["ok"]) for found in report["probes"]] == [(probe.name, True) for probe in PROBES]
    assert (report["ok"], report["where"]) == (True, NOT_THE_SERVICE)
    assert "not OpenAI" in " ".join(said.stderr.split())


def test_the_table_in_the_docs_has_every_probe() -> None:
    rows = re.findall(r"^\| (.+?) \|", DOCS.read_text(), re.MULTILINE)
    assert rows == ["capability", *(probe.name for probe in PROBES)]


def test_with_a_key_it_is_the_service_that_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    said = CliRunner().invoke(app, ["check", "--provider", "openai"])
    assert said.exit_code == 1
    assert "127.0.0.1:9" in said.stderr
    assert "could not be reached" in said.stderr


def test_a_demo_that_runs_has_its_own_model() -> None:
    said = CliRunner().invoke(app, ["check", "--provider", "openai", "--url", "http://127.0.0.1:1"])
    assert said.exit_code == 2


async def test_a_key_that_is_not_taken_is_told_at_once(server: OpenAIRealtimeServer) -> None:
    with pytest.raises(ProviderError, match="OPENAI_API_KEY"):
        await run_probes(Bench(OpenAIRealtimeProvider(api_key="sk-other", base_url=server.base_url)))


async def test_words_that_come_out_otherwise_are_not_verbatim(
    server: OpenAIRealtimeServer, provider: OpenAIRealtimeProvider
) -> None:
    server.on_saying(lambda text: f"Sure. {text}")
    found = await probe("says words verbatim", provider)
    assert (found.claimed, found.measured, found.ok) == ("likely", "0 of 5 word for word", False)


BOASTS: Mapping[str, Callable[[ProviderCapabilities], ProviderCapabilities]] = {
    "replies to results by itself": lambda can: replace(can, replies_to_results=True),
    "speech cancels calls": lambda can: replace(can, speech_cancels_calls=True),
    "speaks while owed an output": lambda can: replace(can, speaks_while_owed=False),
    "longest call id": lambda can: replace(can, max_call_id=33),
}


@pytest.mark.parametrize("name", BOASTS)
async def test_a_claim_that_is_not_so_is_found(name: str, provider: OpenAIRealtimeProvider) -> None:
    boaster = Claiming(provider, BOASTS[name](provider.capabilities))
    assert (await probe(name, boaster)).ok is False
    assert (await probe(name, provider)).ok is True


LOST = {
    "speech events": "input_audio_buffer.speech_stopped",
    "transcript of the caller": "conversation.item.input_audio_transcription.completed",
    "cancellation": "response.done",
    "owed call after renewal": "conversation.item.added",
}


@pytest.mark.parametrize("name", LOST)
async def test_what_never_comes_is_missed(
    name: str, server: OpenAIRealtimeServer, provider: OpenAIRealtimeProvider
) -> None:
    def lose(event: dict[str, object]) -> Sequence[Event]:
        return [] if event["type"] == LOST[name] else [event]

    server.tamper(lose)
    found = await probe(name, provider)
    assert found.ok is False
    assert "within 2 s" in found.measured


async def test_a_model_that_answers_while_it_is_held_is_found(
    server: OpenAIRealtimeServer, provider: OpenAIRealtimeProvider
) -> None:
    def answer(event: dict[str, object]) -> Sequence[Event]:
        begun = {"type": "response.created", "response": {"id": "resp_intruder", "metadata": None}}
        return [event, begun] if event["type"] == "input_audio_buffer.committed" else [event]

    server.tamper(answer)
    for name in ("hold, mid-call", "hold, from the start"):
        found = await probe(name, provider)
        assert (found.measured, found.ok) == ("a ResponseStarted came", False)


async def test_what_is_not_claimed_is_not_tried(provider: OpenAIRealtimeProvider) -> None:
    modest = Claiming(provider, ProviderCapabilities(speech_events=False))
    found = await probe("speech events", modest)
    assert (found.claimed, found.measured, found.ok) == ("no", "", None)


def test_the_table_says_what_is_not_so_and_where_it_was_measured() -> None:
    findings = [
        Finding("hold", "quiet", "a [Response] came", False),
        Finding("forget", "yes", "gone", True),
        Finding("truncation", "no", "", None),
    ]
    claims = Claims("boaster", "here", findings)
    text = io.StringIO()
    show_claims(claims, Console(file=text, width=100))
    assert all(words in text.getvalue() for words in ("not so", "a [Response] came", "ok", "not claimed", "at here."))
    text = io.StringIO()
    show_claims_json(claims, Console(file=text, width=40))
    shown = json.loads(text.getvalue())
    assert (shown["ok"], len(shown["probes"])) == (False, 3)
