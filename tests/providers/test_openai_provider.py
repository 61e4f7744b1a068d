import importlib
import sys
from collections.abc import Iterator
from types import ModuleType

import anyio
import pytest

from voice_hitl.errors import PluginMissing, ProviderError
from voice_hitl.provider import Connected, Provider, ProviderConfig
from voice_hitl.tasks import current_time
from voice_hitl.testing.openai_realtime import OpenAIRealtimeServer
from voice_hitl_openai import OpenAIRealtimeProvider, reaching
from voice_hitl_openai.connection import UPDATE_S

pytestmark = pytest.mark.anyio


def test_it_is_a_provider_and_says_what_it_can_do() -> None:
    provider: Provider = OpenAIRealtimeProvider(api_key="sk-test")
    assert provider.name == "openai gpt-realtime-2.1"
    can = provider.capabilities
    assert (can.rate, can.hold, can.truncates, can.resumes, can.verbatim) == (24_000, "quiet", True, "replay", "likely")
    assert (can.max_call_id, can.delegates) == (32, False)


async def test_the_end_of_the_session_is_told_on_the_loops_clock() -> None:
    async with OpenAIRealtimeServer(session_limit_s=1_800) as server:
        provider = OpenAIRealtimeProvider(api_key=server.api_key, base_url=server.base_url)
        connection = await provider.connect(ProviderConfig())
        connected = await connection.events().get()
        assert isinstance(connected, Connected)
        assert connected.expires_at == pytest.approx(current_time() + 1_800, abs=3)
        await connection.aclose()


async def test_one_provider_serves_many_sessions() -> None:
    async with OpenAIRealtimeServer() as server:
        provider = OpenAIRealtimeProvider(api_key=server.api_key, base_url=server.base_url, noise_reduction="far_field")
        first, second = await provider.connect(ProviderConfig()), await provider.connect(ProviderConfig())
        assert len(server.sessions) == 2
        await first.aclose()
        await second.inject("still here")
        await second.aclose()


async def test_a_wrong_key_is_said() -> None:
    async with OpenAIRealtimeServer() as server:
        provider = OpenAIRealtimeProvider(api_key="sk-wrong", base_url=server.base_url)
        with pytest.raises(ProviderError, match="the key is not taken"):
            await provider.connect(ProviderConfig())


async def test_no_key_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ProviderError, match="OPENAI_API_KEY"):
        await OpenAIRealtimeProvider().connect(ProviderConfig())


async def test_an_address_where_nothing_is_is_said() -> None:
    async with OpenAIRealtimeServer() as server:
        nowhere, elsewhere = server.base_url, server.base_url.replace("/v1", "/v2")
        with pytest.raises(ProviderError, match="404"):
            await OpenAIRealtimeProvider(api_key="sk-test", base_url=elsewhere).connect(ProviderConfig())
    with pytest.raises(ProviderError, match="could not be reached"):
        await OpenAIRealtimeProvider(api_key="sk-test", base_url=nowhere).connect(ProviderConfig())


async def test_a_session_that_is_refused_is_said() -> None:
    async with OpenAIRealtimeServer() as server:
        provider = OpenAIRealtimeProvider(
            api_key=server.api_key, base_url=server.base_url, session={"output_modalities": ["hologram"], "x": 1}
        )
        with pytest.raises(ProviderError, match=r"session\.x"):
            await provider.connect(ProviderConfig())


async def test_a_session_that_is_closed_before_it_stands_is_said() -> None:
    async with OpenAIRealtimeServer() as server:
        server.tamper(lambda _event: [])
        provider = OpenAIRealtimeProvider(api_key=server.api_key, base_url=server.base_url)
        async with anyio.create_task_group() as group:

            async def connect() -> None:
                with pytest.raises(ProviderError, match="before it stood: not today"):
                    await provider.connect(ProviderConfig())

            group.start_soon(connect)
            (await server.session()).close(1011, "not today")


async def test_a_service_that_never_answers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reaching, "CONNECT_S", 0.2)
    assert UPDATE_S > 0.2
    async with OpenAIRealtimeServer() as server:
        server.tamper(lambda _event: [])
        provider = OpenAIRealtimeProvider(api_key=server.api_key, base_url=server.base_url)
        with pytest.raises(ProviderError, match=r"within 0\.2 s"):
            await provider.connect(ProviderConfig())


@pytest.fixture
def _without_openai(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    ours = {name: module for name, module in sys.modules.items() if name.startswith("voice_hitl_openai")}
    for name in ours:
        monkeypatch.delitem(sys.modules, name)
    blocked: dict[str, ModuleType | None] = {name: None for name in sys.modules if name.split(".")[0] == "openai"}
    for name in {*blocked, "openai"}:
        monkeypatch.setitem(sys.modules, name, None)
    yield
    for name in [name for name in sys.modules if name.startswith("voice_hitl_openai")]:
        del sys.modules[name]


@pytest.mark.usefixtures("_without_openai")
def test_without_the_sdk_it_says_what_to_install() -> None:
    with pytest.raises(PluginMissing, match=r"pip install 'voice-hitl\[openai\]'"):
        importlib.import_module("voice_hitl_openai")
