"""The command line, as somebody types it."""

import json
import socket
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from typer.testing import CliRunner

from voice_hitl.cli.main import app
from voice_hitl.cli.serving import offers_at
from voice_hitl.demo.server import listen

runner = CliRunner()


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def test_it_says_its_version() -> None:
    said = runner.invoke(app, ["--version"])
    assert said.exit_code == 0
    assert said.stdout.strip() == f"voice-hitl {version('voice-hitl')}"


def test_without_a_command_it_says_what_there_is() -> None:
    said = runner.invoke(app, [])
    assert "demo" in said.output
    assert "check" in said.output


def test_a_busy_port_is_a_clear_error_and_names_the_option() -> None:
    with listen("127.0.0.1", 0) as taken:
        port = str(taken.getsockname()[1])
        said = runner.invoke(app, ["demo", "--no-open", "--port", port])
    assert said.exit_code == 1
    assert f"port {port} is in use" in said.stderr
    assert "--port" in said.stderr


def test_an_address_that_is_none_of_this_machine_says_what_one_is() -> None:
    for host in ("192.0.2.77", "nowhere.invalid"):
        said = runner.invoke(app, ["demo", "--no-open", "--port", "0", "--host", host])
        assert said.exit_code == 1
        assert f"{host} is no address of this machine: name one with --host" in said.stderr


def test_a_folder_that_cannot_be_made_names_the_option(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    said = runner.invoke(app, ["demo", "--no-open", "--port", "0", "--data", str(tmp_path / "file" / "folder")])
    assert said.exit_code == 1
    assert "name another one with --data" in said.stderr


def test_a_port_that_is_none_is_refused() -> None:
    assert runner.invoke(app, ["demo", "--port", "70000"]).exit_code == 2


def test_a_missing_extra_is_a_clear_error_that_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "voice_hitl.cli.serving", raising=False)
    monkeypatch.delitem(sys.modules, "voice_hitl.demo.server", raising=False)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    for command in (["demo", "--no-open"], ["check"]):
        said = runner.invoke(app, command)
        assert said.exit_code == 1
        assert "pip install 'voice-hitl[demo]'" in said.stderr


def test_a_check_of_nobody_fails_at_its_first_step() -> None:
    said = runner.invoke(app, ["check", "--url", f"http://127.0.0.1:{closed_port()}", "--json"])
    assert said.exit_code == 1
    report = json.loads(said.stdout)
    assert (report["ok"], report["failed"], report["steps"]) == (False, "connect", [])
    assert "is it running?" in report["why"]


def test_a_check_of_nobody_prints_a_table_too() -> None:
    said = runner.invoke(app, ["check", "--url", f"127.0.0.1:{closed_port()}"])
    assert said.exit_code == 1
    assert "Failed at: connect." in said.stdout


@pytest.mark.parametrize(
    ("given", "offers"),
    [
        ("http://127.0.0.1:8484", "http://127.0.0.1:8484/offer"),
        ("127.0.0.1:8484/", "http://127.0.0.1:8484/offer"),
        ("https://agent.example/calls/offer", "https://agent.example/calls/offer"),
    ],
)
def test_a_demo_is_named_by_its_address(given: str, offers: str) -> None:
    assert offers_at(given) == offers


@pytest.mark.parametrize("url", ["ws://agent.example", "http://", ""])
def test_what_is_no_address_of_a_demo_says_how_one_looks(url: str) -> None:
    said = runner.invoke(app, ["check", "--url", url])
    assert said.exit_code == 1
    assert "such as --url http://127.0.0.1:8484" in said.stderr


@pytest.mark.parametrize(
    "given",
    [
        ["--digits", "12x"],
        ["--loss", "80"],
        ["--provider", "openai", "--loss", "5"],
        ["--provider", "openai", "--digits", "1"],
    ],
)
def test_a_line_that_cannot_be_is_refused(given: list[str]) -> None:
    assert runner.invoke(app, ["check", *given]).exit_code == 2
