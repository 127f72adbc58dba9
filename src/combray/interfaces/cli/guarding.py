"""Quarantine: the list of `combray review --quarantined`, and the verb `release`."""

from __future__ import annotations

import click

from combray.interfaces.cli.failures import Verb
from combray.interfaces.cli.options import Target, opens_store
from combray.interfaces.cli.output import answer, compact, console, for_people, show_json


def show_quarantined(target: Target, limit: int) -> None:
    """List quarantined memories with reasons, newest first."""
    with target.open() as engine:
        found = engine.quarantine.list(limit=limit)
    if not for_people(target):
        show_json(
            [
                {**compact(each.memory), "reasons": list(each.reasons), "claimed": each.claimed}
                | ({"place": each.place} if each.place else {})
                for each in found
            ]
        )
        return
    if not found:
        console().print("The quarantine is empty.")
        return
    from combray.interfaces.cli.showing import table_of

    why = [(("; ".join(filter(None, (each.place, *each.reasons))),), each.memory) for each in found]
    console().print(table_of(("why",), why))
    console().print("combray release ID [--trust owner] · combray forget ID · combray erase ID", style="dim")


@click.command(cls=Verb, examples=("combray release ID", "combray release ID --trust owner"))
@click.argument("memory_id", metavar="ID")
@click.option(
    "--trust",
    type=click.Choice(("untrusted", "agent", "owner")),
    default="untrusted",
    show_default=True,
    help="Its trust from now on. Untrusted memories are recalled but marked.",
)
@opens_store()
def release(target: Target, memory_id: str, trust: str) -> None:
    """Release a memory from quarantine. The release is recorded in its history."""
    with target.open() as engine:
        memory = engine.quarantine.release(memory_id, trust)
    said = f"{memory.id} is released as {memory.trust} and can be recalled."
    answer(target, said, id=memory.id, status="released", trust=memory.trust)


COMMANDS = {"release": release}
