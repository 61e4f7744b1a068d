"""The commands of the operators' console, as somebody types them."""

import os
import re
import signal
import sys
from pathlib import Path

import anyio
import httpx
import pytest
from typer.testing import CliRunner

from voice_hitl import Confirm, HumanInputHandler, RequestEnd
from voice_hitl.cli.main import app
from voice_hitl.cli.operators import SECRET
from voice_hitl.stores.sqlite import SQLiteStore

runner = CliRunner()
RUN = "from voice_hitl.cli.main import main; main()"
A_SECRET = "a secret of a console that is long enough"


def test_a_token_is_printed_and_nothing_else() -> None:
    said = runner.invoke(app, ["token", "--user", "ann", "--roles", "supervisors,sales"], env={SECRET: A_SECRET})
    assert said.exit_code == 0
    assert re.fullmatch(r"[\w-]+\.[\w-]+\.[\w-]+\n", said.stdout)
    assert A_SECRET not in said.output


def test_a_token_without_a_secret_says_how_to_make_one(tmp_path: Path) -> None:
    for env, options in (
        ({SECRET: ""}, []),
        ({SECRET: "short"}, []),
        ({SECRET: A_SECRET}, ["--secret-file", "nowhere"]),
    ):
        said = runner.invoke(app, ["token", "--user", "ann", "--roles", "x", *options], env=env)
        assert said.exit_code == 1
        assert "voice-hitl:" in said.stderr
    assert "token_urlsafe" in runner.invoke(app, ["token", "--user", "a", "--roles", "x"], env={SECRET: ""}).stderr


@pytest.mark.parametrize("given", [["--user", " ", "--roles", "sales"], ["--user", "ann", "--roles", "caller"]])
def test_a_token_for_nobody_is_refused(given: list[str]) -> None:
    assert runner.invoke(app, ["token", *given], env={SECRET: A_SECRET}).exit_code == 2


@pytest.mark.parametrize("store", ["nowhere/requests.db", "no_store.db", "redis://127.0.0.1:1/0"])
def test_a_console_over_no_store_says_so_before_anybody_opens_it(
    store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("no_store.db").write_text("A shopping list, and long enough to be looked at." * 20)
    said = runner.invoke(app, ["console", "--store", store, "--port", "0", "--anonymous", "supervisors"])
    assert said.exit_code == 1
    assert "is said with --store" in said.stderr


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--anonymous", "supervisors", "--host", "0.0.0.0"], "for this machine only"),
        (["--oidc-issuer", "https://id.example"], "go together"),
        ([], "there is no secret"),
        (["--oidc-issuer", "http://id.example", "--oidc-audience", "c"], "no https address"),
    ],
)
def test_a_console_that_could_not_be_safe_does_not_start(options: list[str], why: str, tmp_path: Path) -> None:
    store = str(tmp_path / "requests.db")
    said = runner.invoke(app, ["console", "--store", store, "--port", "0", *options], env={SECRET: ""})
    assert said.exit_code == 1
    assert why in said.stderr


@pytest.mark.anyio
async def test_a_console_answers_a_request_that_this_process_holds(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "requests.db")
    handler = HumanInputHandler(store=store)
    pending = await handler.create_detached(
        "ask", {}, question=Confirm(prompt="Pay it back?"), audience=["supervisors"], timeout=100
    )
    env = {**os.environ, SECRET: A_SECRET}
    token = runner.invoke(app, ["token", "--user", "ann", "--roles", "supervisors"], env=env).stdout.strip()
    command = [sys.executable, "-u", "-c", RUN, "console", "--store", str(tmp_path / "requests.db"), "--port", "0"]
    async with await anyio.open_process(command, env=env, stderr=None) as console:
        try:
            assert console.stdout is not None
            url = re.search(r"http://\S+", (await console.stdout.receive()).decode())
            assert url is not None
            headers = {"authorization": f"Bearer {token}"}
            async with httpx.AsyncClient(base_url=url[0], headers=headers, timeout=30) as http:
                (shown,) = (await http.get("/requests")).json()["requests"]
                assert (shown["id"], shown["question"]["prompt"]) == (pending.pending_id, "Pay it back?")
                yes = {"action": "answer", "value": True}
                answered = await http.post(f"/requests/{pending.pending_id}/answer", json=yes)
                assert answered.json() == {"accepted": True}
            assert (pending.end, pending.answered_by) == (RequestEnd.ANSWERED, "ann")
        finally:
            console.send_signal(signal.SIGINT)
            with anyio.fail_after(30):
                assert await console.wait() == 0
    await handler.close()
    await store.aclose()
