"""The verb `presets`: list the presets, or show one stage by stage."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from combray.errors import CombrayError, InvalidInputError, PluginError
from combray.interfaces.cli.failures import VerbGroup
from combray.interfaces.cli.options import Target, without_store
from combray.interfaces.cli.output import console, for_people, show_json, show_rows


@click.group(cls=VerbGroup, invoke_without_command=True, examples=("combray presets show mnemon",))
@without_store()
@click.pass_context
def presets(ctx: click.Context, /, target: Target) -> None:
    """List the presets, or show one stage by stage."""
    ctx.obj = target
    if ctx.invoked_subcommand is None:
        _list(target)


@presets.command(examples=("combray presets show mnemon",))
@click.argument("name")
@without_store()
def show(target: Target, name: str) -> None:
    """Show every stage of a preset with its settings."""
    from combray.presets import load

    try:
        preset = load(name)
    except InvalidInputError as error:
        raise click.UsageError(f"preset {name!r} does not exist. {error.remedy}") from None
    pipelines = {"remember": preset.remember.describe(), "recall": preset.recall.describe()}
    if not for_people(target):
        about = {name: getattr(preset, name) for name in ("name", "summary", "source", "notes")}
        show_json(about | pipelines)
        return
    out = console()
    out.print(f"{preset.name}: {preset.summary}", style="bold")
    out.print(preset.source, style="dim")
    for verb, stages in pipelines.items():
        rows = (row for stage in stages for row in _rows(stage, depth=0))
        show_rows(target, None, (verb, "settings", "what it does"), rows)
    for topic, note in preset.notes.items():
        out.print(f"{topic}: {note}", style="dim")


def _rows(stage: dict[str, Any], *, depth: int) -> Iterator[tuple[str, str, str]]:
    settings = "\n".join(f"{name} = {value}" for name, value in stage["settings"].items())
    yield "  " * depth + stage["stage"], settings, stage["summary"]
    for inner in stage.get("stages", ()):
        yield from _rows(inner, depth=depth + 1)


def _list(target: Target) -> None:
    from combray.presets import load, names, others

    listed = [{"name": name, "summary": load(name).summary} for name in names()]
    for plugin in others():
        entry = {"name": plugin.name, "summary": "", "package": plugin.package}
        try:
            if plugin.problem:
                raise PluginError(plugin.problem)
            entry["summary"] = load(plugin.name).summary
        except CombrayError as error:
            entry["problem"] = str(error)
        listed.append(entry)
    rows = []
    for each in listed:
        package = f" (package {each['package']})" if "package" in each else ""
        problem = f"not usable: {each['problem']}" if "problem" in each else ""
        rows.append((each["name"], f"{problem or each['summary']}{package}"))
    show_rows(target, listed, ("preset", "what it is"), rows)
