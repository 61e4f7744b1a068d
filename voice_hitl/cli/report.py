"""What a check saw, as a table for a person and as JSON for a program."""

import json
from dataclasses import asdict

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from voice_hitl.cli.checking import STEPS, Report
from voice_hitl.cli.claims import Claims
from voice_hitl.cli.line_quality import LineQuality


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
    if report.line is not None:
        out.print(_line_table(report.line))
        for miss in report.line.misses:
            out.print(f"[bold red]Not good enough:[/] {escape(miss)}.", highlight=False)
        if report.line.misses and report.line.excuse:
            out.print(f"But {escape(report.line.excuse)}.", highlight=False)
    if report.failed is not None:
        why = report.why[:1].upper() + report.why[1:]
        out.print(f"[bold red]Failed at: {report.failed}.[/] {escape(why)}", highlight=False)


def _line_table(line: LineQuality) -> Table:
    table = Table(title=f"A line that loses {line.loss:.0%}", title_justify="left", title_style="bold")
    table.add_column("frames of 20 ms")
    table.add_column("", justify="right")
    table.add_row("delivered", f"{line.delivered:,}")
    table.add_row("recovered", f"{line.recovered:,}")
    table.add_row("concealed", f"{line.concealed:,}")
    table.add_row("played or recovered", f"{line.heard:.1%}")
    table.add_row("longest stall", f"{line.stall_ms:.0f} ms")
    if line.keyed:
        table.add_row("keys pressed", escape(line.keyed))
        table.add_row("keys arrived", escape(line.arrived) or "none")
    return table


def show_json(report: Report, out: Console) -> None:
    """Print one JSON object: `ok`, `url`, `steps` (`name`, `ms`); `failed` with `why` where it did; `line` if any."""
    more: dict[str, object] = {} if report.failed is None else {"failed": report.failed, "why": report.why}
    if report.line is not None:
        more["line"] = {**asdict(report.line), "heard": report.line.heard, "misses": report.line.misses}
    steps = [{"name": step.name, "ms": round(step.ms, 3)} for step in report.steps]
    out.print(json.dumps({"ok": report.ok, "url": report.url, "steps": steps, **more}), soft_wrap=True, markup=False)


def show_claims(claims: Claims, out: Console) -> None:
    """Print what was claimed beside what was measured, and where that was."""
    table = Table(title=f"What {escape(claims.provider)} claims", title_justify="left", title_style="bold")
    for column in ("capability", "claimed", "measured", ""):
        table.add_column(column)
    marks = {True: "[green]ok[/]", False: "[bold red]not so[/]", None: "[dim]not claimed[/]"}
    for finding in claims.findings:
        table.add_row(finding.name, escape(finding.claimed), escape(finding.measured), marks[finding.ok])
    out.print(table)
    out.print(f"Measured at {escape(claims.where)}.", highlight=False)


def show_claims_json(claims: Claims, out: Console) -> None:
    """Print one JSON object: `ok`, `provider`, `where`, `probes` (`name`, `claimed`, `measured`, `ok`)."""
    probes = [asdict(finding) for finding in claims.findings]
    shown = {"ok": claims.ok, "provider": claims.provider, "where": claims.where, "probes": probes}
    out.print(json.dumps(shown), soft_wrap=True, markup=False)
