"""`combray list` and `combray update`."""

from __future__ import annotations

import json
from typing import Any

import click

from combray.interfaces.cli.failures import nothing_found, verb
from combray.interfaces.cli.filters import namespaces_option, where_option
from combray.interfaces.cli.options import Target, comma_list, opens_store
from combray.interfaces.cli.output import (
    compact,
    console,
    for_people,
    full,
    moment,
    short,
    show_json,
    table,
    visible,
)
from combray.types import CATEGORIES


@verb(
    "combray list",
    """combray list --where '{"category": "decision"}' --order -importance --limit 20""",
    name="list",
)
@where_option
@click.option("--order", default="-recorded_at", help="Sort by a field; - in front: down.")
@click.option("--limit", "-k", type=click.IntRange(1, 1000), default=100, help="At most.")
@click.option("--after", default="", metavar="CURSOR", help="Go on behind the page that gave this cursor.")
@namespaces_option
@click.option("--verbose", "-v", is_flag=True, help="Print every field (as JSON).")
@opens_store()
def list_(target: Target, namespaces: tuple[str, ...], verbose: bool, **asked: Any) -> None:
    """List memories, page by page, the newest first.

    Shows live memories; name "status" in --where for others. Exit code 1 when nothing matches.
    """
    with target.open() as engine:
        page = engine.list(namespaces=namespaces or None, **asked)
    if not for_people(target) or verbose:
        shown = [full(each) if verbose else compact(each) for each in page]
        show_json({"memories": shown, "total": page.total, "cursor": page.cursor})
    else:
        rows = table("id", "recorded", "category", "!", "text", unbroken=("id", "recorded", "!"))
        for each in page:
            marks = (str(each.importance), short(each.content, 60))
            rows.add_row(each.id, moment(each.recorded_at), each.category, *marks)
        console().print(rows)
        more = f"; more with --after {page.cursor}" if page.cursor else ""
        console().print(f"{len(page)} of {page.total} memories{more}", style="dim")
    if not page:
        nothing_found("no memory matches.")


def _metadata(ctx: click.Context, parameter: click.Parameter, value: str | None) -> Any:
    del ctx, parameter
    if value is None:
        return None
    try:
        return json.loads(value)
    except (ValueError, RecursionError) as error:
        raise click.BadParameter(f"this is not JSON ({error}).") from None


@verb(
    'combray update ID --content "We deploy on Mondays" --imp 5',
    "combray update ID --tags deploy,team --valid-to 2026-12-31",
)
@click.argument("memory_id", metavar="ID")
@click.option("--content", metavar="TEXT", help="Another text; the old one stays in the history.")
@click.option("--category", "--cat", type=click.Choice(CATEGORIES), help="What it is.")
@click.option("--importance", "--imp", type=click.IntRange(1, 5), help="1 to 5.")
@click.option("--confidence", type=click.FloatRange(0, 1), help="0 to 1.")
@click.option("--tags", metavar="A,B", help="These tags instead; empty for none.")
@click.option("--entities", metavar="A,B", help="These names instead; empty for none.")
@click.option("--source", help="Where it is from.")
@click.option("--author", help="Who said it.")
@click.option("--occurred-at", metavar="WHEN", help="When it happened.")
@click.option("--valid-from", metavar="WHEN", help="True from then on.")
@click.option("--valid-to", metavar="WHEN", help="True until then.")
@click.option("--expires-at", metavar="WHEN", help="Not recalled from then on.")
@click.option("--metadata", metavar="JSON", callback=_metadata, help="This metadata instead of all of the old.")
@opens_store(pipelines=True)
def update(target: Target, memory_id: str, **fields: Any) -> None:
    """Change a memory in place.

    Only the options given change; an empty text clears a field. 'combray history ID' shows every change,
    'combray restore ID --version N' undoes them.
    """
    changes = {name: _cleared(name, value) for name, value in fields.items() if value is not None}
    if not changes:
        raise click.UsageError("name at least one field to change, such as --content or --tags.")
    with target.open() as engine:
        memory = engine.update(memory_id, **changes)
    if for_people(target):
        console().print(f"{memory.id} is updated: {visible(short(memory.content))}")
    else:
        show_json(full(memory))


def _cleared(name: str, value: Any) -> Any:
    """The value of an option; "" stands for none."""
    if name in ("tags", "entities"):
        return list(comma_list(click.get_current_context(), click.Option(["--x"]), value))
    return None if value == "" and name != "content" else value


COMMANDS = {"list": list_, "update": update}
