"""The verbs `status`, `log`, `doctor` and `backup`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from combray.interfaces.cli.declared import command
from combray.interfaces.cli.failures import NOTHING_FOUND
from combray.interfaces.cli.options import Target
from combray.interfaces.cli.output import answer, in_words, moment, show_rows

_LABELS = {"tier": "service tier", "total_insights": "memories", "edge_count": "all edges"}
"""Words of a terminal for the fields whose names in JSON a reader would not understand."""


@command(pipelines=True)
def status(target: Target, metrics: bool, days: int) -> None:
    """Print the counts."""
    with target.open() as engine:
        facts = engine.store.status()
        if metrics:
            facts = {"metrics": engine.store.metrics(days), **facts}
    said = facts | {
        "top_entities": {each["entity"]: each["count"] for each in facts["top_entities"]},
        "tier": f"{facts['tier']['tier']}: {facts['tier']['why']}",
        "models": "\n".join(map(_used, facts["models"])),
    }
    rows = ((_LABELS.get(name, name.replace("_", " ")), in_words(value)) for name, value in said.items())
    show_rows(target, facts, ("about", "value"), rows, unbroken=("about",))


def _used(model: Mapping[str, Any]) -> str:
    """Return a model or peer on one line; counts that are 0 or unknown are omitted."""
    counts = [f"{model[name]} {name}" for name in ("calls", "failures", "tokens") if model[name]]
    cost = [f"cost {model['cost']:g}"] if model["cost"] is not None else []
    state = [model["state"]] if model["state"] != "closed" else []
    failed = [f"last failure: {model['last_failure']}"] if model["last_failure"] else []
    parts = ", ".join((*counts, *cost, *state, *failed)) or "ready"
    return f"{model['kind'].replace('_', ' ')} {model['name']}: {parts}"


@command()
def log(target: Target, limit: int) -> None:
    """Print the operations."""
    with target.open() as engine:
        lines = engine.store.log(limit)
    rows = (
        (
            str(each["number"]),
            moment(each["at"]),
            each["memory_id"],
            f"{each['operation']} {each['detail'] or ''}",
        )
        for each in lines
    )
    show_rows(target, lines, ("#", "when", "memory", "what"), rows, unbroken=("#", "memory"))


@command(pipelines=True)
def doctor(target: Target, repair: bool) -> None:
    """Print the findings."""
    with target.open() as engine:
        findings = engine.store.doctor(repair=repair)
    from rich.text import Text

    signs = {True: Text("ok", "green"), False: Text("problem", "red")}
    rows = ((each.name, signs[each.ok], each.detail) for each in findings)
    show_rows(target, findings, ("check", "", "detail"), rows)
    if not all(finding.ok for finding in findings):
        raise click.exceptions.Exit(NOTHING_FOUND)


@command()
def backup(target: Target, path: Path, encrypt: bool) -> None:
    """Write the copy to a new file."""
    from combray import settings

    if path.exists():
        raise click.UsageError(f"{path} already exists. Name a new file.")
    key = settings.secret(settings.NEW_KEY) if encrypt else None
    if encrypt and key is None:
        raise click.UsageError(f"--encrypt needs a key. Set {settings.NEW_KEY} or {settings.NEW_KEY}_FILE.")
    with target.open() as engine:
        engine.store.backup(str(path), key=key)
    said = f"Wrote {path}."
    answer(target, said, status="written", path=str(path), bytes=path.stat().st_size)
