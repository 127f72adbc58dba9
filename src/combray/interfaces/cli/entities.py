"""The verbs `entities` and `alias`: names of things, and their other names."""

from __future__ import annotations

from dataclasses import asdict

import click

from combray.interfaces.cli.declared import command
from combray.interfaces.cli.options import Target
from combray.interfaces.cli.output import answer, show_rows


@command()
def entities(target: Target, limit: int) -> None:
    """Print the entities."""
    with target.open() as engine:
        found = engine.entities.list(limit)
    rows = []
    for each in found:
        others = (f"{name} (learned)" if name in each.learned else name for name in each.aliases)
        rows.append((str(each.memories), each.name, ", ".join(others), "\n".join(each.stated_by[:3])))
    headings, none = ("memories", "entity", "also called", "stated by"), "No memory names an entity."
    show_rows(target, [asdict(each) for each in found], headings, rows, none=none, unbroken=("memories",))


@command()
def alias(target: Target, name: str, others: tuple[str, ...], merge: bool, remove: bool) -> None:
    """Declare, merge or remove names."""
    if merge and remove:
        raise click.UsageError("give --merge or --remove, not both.")
    with target.open(to_write=not remove) as engine:
        if remove:
            changed = [each.id for other in others for each in engine.entities.separate(name, other)]
            said = f"{', '.join(others)} removed from {name}; changed: {', '.join(changed)}."
            answer(target, said, status="removed", name=name, aliases=others, ids=changed)
            return
        done = (
            [engine.entities.merge(other, name) for other in others]
            if merge
            else [engine.entities.alias(name, *others)]
        )
    ids = [each.id for each in done]
    said = f"{name} is also called {', '.join(others)}. Take it back: combray forget {' '.join(ids)}"
    answer(target, said, status="declared", name=name, aliases=others, ids=ids)
