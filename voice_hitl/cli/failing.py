"""How a command says that it could not do its work."""

from typing import Final, NoReturn

import typer
from rich.console import Console
from rich.markup import escape

err: Final = Console(stderr=True)


def fail(why: str) -> NoReturn:
    """Say why, and end the program with a failure."""
    # Never wrapped: a command in it can be copied.
    err.print(f"[bold red]voice-hitl:[/] {escape(why)}", highlight=False, soft_wrap=True)
    raise typer.Exit(1)
