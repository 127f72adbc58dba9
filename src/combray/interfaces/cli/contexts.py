"""The verb `context`."""

from __future__ import annotations

from typing import Any

import click

from combray.interfaces.cli.failures import nothing_found, verb
from combray.interfaces.cli.filters import where_option
from combray.interfaces.cli.options import Target, filters, opens_store
from combray.interfaces.cli.output import for_people, show_json, visible


@verb('combray context "why did we choose PostgreSQL"', "combray context database --budget 400")
@click.argument("query", nargs=-1, required=True)
@click.option(
    "--budget", "-b", type=click.IntRange(min=100), help="Maximum number of tokens [env: COMBRAY_CONTEXT_BUDGET]."
)
@click.option(
    "--limit",
    "-k",
    type=click.IntRange(1, 1000),
    default=20,
    help="Maximum number of memories.",
)
@filters("since", "until", "categories", "kinds", "sessions")
@where_option
@opens_store(pipelines=True)
def context(target: Target, query: tuple[str, ...], **asked: Any) -> None:
    """Print the memories that answer a query as text for a prompt.

    The text has numbered memories with date and id, fenced as data, within a token budget. Memories that do not
    fit are reported.
    """
    with target.open() as engine:
        made = engine.context(" ".join(query), **asked)
    if for_people(target):
        if made.text:
            click.echo(visible(made.text))
        click.echo(f"{made.tokens} of {made.budget} tokens · {made.state}", err=True)
        for each in made.dropped:
            click.echo(f"dropped: {each.id} ({each.tokens} tokens): {each.reason}", err=True)
    else:
        show_json(made)
    if not made.text:
        nothing_found(made.state or "no memory matches")
