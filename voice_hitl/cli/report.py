"""What a check saw, as a table for a person and as JSON for a program."""

import json

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from voice_hitl.cli.checking import STEPS, Report


def show_table(report: Report, out: Console) -> None:
    """Print every step with its time, and what failed."""
    table = Table(title=f"A call to {escape(report.url)}", title_justify="left", title_style="bold")
    table.add_column("step")
    table.add_column("ms", justify="right")
    table.add_column("")
    taken = {step.name: step.ms for step in report.steps}
    for name in STEPS:
        if name in taken:
            table.add_row(name, f"{taken[name]:,.1f}", "[green]ok[/]")
        elif name == report.failed:
            table.add_row(name, "", "[bold red]failed[/]")
        else:
            table.add_row(f"[dim]{name}[/]", "", "[dim]not reached[/]")
    out.print(table)
    if report.failed is not None:
        out.print(f"[bold red]Failed at: {report.failed}.[/] {escape(report.why)}", highlight=False)


def show_json(report: Report, out: Console) -> None:
    """Print one JSON object: `ok`, `url`, `steps` (`name`, `ms`), and `failed` with `why` where it did."""
    failure = {} if report.failed is None else {"failed": report.failed, "why": report.why}
    steps = [{"name": step.name, "ms": round(step.ms, 3)} for step in report.steps]
    out.print(json.dumps({"ok": report.ok, "url": report.url, "steps": steps, **failure}), soft_wrap=True, markup=False)
