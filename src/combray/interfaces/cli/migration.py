"""The verb `migrate`."""

from __future__ import annotations

from dataclasses import asdict

import click

from combray.interfaces.cli.failures import verb
from combray.interfaces.cli.options import Target, opens_store
from combray.interfaces.cli.output import progress, show_rows


@verb(
    "combray migrate agent.db postgresql://combray@/combray", "combray migrate postgresql://combray@/combray a.db"
)
@click.argument("source", metavar="FROM")
@click.argument("target_store", metavar="TO")
@click.option("--only", "only", multiple=True, metavar="NAME", help="Only this namespace; can be repeated.")
@opens_store()
def migrate(target: Target, source: str, target_store: str, only: tuple[str, ...]) -> None:
    """Copy every namespace of a store to another store.

    FROM and TO are files or servers (postgresql://…). FROM is only read. Repeat an interrupted call: it skips
    what is there. Each namespace is verified by count and checksum.
    """
    from combray.engine.migration import migrate as run

    with progress("memories") as bar:
        moved = run(source, target_store, namespaces=only, progress=lambda _, done, total: bar(done, total))
    names = ("namespace", "memories", "edges", "copied", "checksum")
    rows = ([str(getattr(each, name)) for name in names] for each in moved)
    show_rows(target, [asdict(each) for each in moved], names, rows)
