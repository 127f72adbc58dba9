"""Options that name memories by a filter: `--where`, `--in`, and the count to confirm."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from combray.interfaces.cli.failures import nothing_found
from combray.interfaces.cli.output import short

if TYPE_CHECKING:
    from combray.engine import Engine

_EXAMPLE = """'{"category": "decision"}'"""
_SHOWN = 5


def _filter(ctx: click.Context, parameter: click.Parameter, value: str | None) -> dict[str, Any] | None:
    del ctx, parameter
    if value is None:
        return None
    try:
        read = json.loads(value)
    except (ValueError, RecursionError) as error:
        raise click.BadParameter(f"this is not JSON ({error}). Write it like {_EXAMPLE}.") from None
    if not isinstance(read, dict):
        raise click.BadParameter(f"this is not a JSON object. Write it like {_EXAMPLE}.")
    return read


where_option = click.option(
    "--where",
    metavar="JSON",
    callback=_filter,
    help=f"""Only what matches: {_EXAMPLE}, '{{"metadata.user": "ann"}}', '{{"importance": {{"gte": 4}}}}'.""",
)
namespaces_option = click.option(
    "--in", "namespaces", multiple=True, metavar="NAMESPACE", help="Read this namespace; may be given again."
)


def several_options(function: Any) -> Any:
    """`--where`, `--dry-run` and `--confirm`, for verbs that change several memories."""
    for option in (
        click.option("--confirm", type=click.IntRange(min=0), metavar="N", help="How many --where matches."),
        click.option("--dry-run", is_flag=True, help="Only show what would change."),
        where_option,
    ):
        function = option(function)
    return function


def confirmed(
    engine: Engine, dry: Callable[..., Any], verb: str, where: dict[str, Any], confirm: int | None, *, yes: bool
) -> int:
    """The count a filter matches, confirmed by option, or by a person at a terminal."""
    if confirm is not None:
        return confirm
    found = dry(where=where, dry_run=True)
    if yes:
        return int(found.count)
    if not sys.stdin.isatty():
        nothing_found(f"the filter matches {found.count} memories. Add --confirm {found.count} to {verb} them.")
    for memory_id in found.ids[:_SHOWN]:
        click.echo(f"  {memory_id}  {short(engine.get(memory_id).content, 60)}", err=True)
    if found.count > _SHOWN:
        click.echo(f"  and {found.count - _SHOWN} more", err=True)
    click.confirm(f"{verb.capitalize()} {found.count} memories?", abort=True, err=True)
    return int(found.count)
