"""The verbs `gc` and `review`: list memories of low importance, and memories that need attention."""

from __future__ import annotations

import click

from combray.interfaces.cli.consolidation import show_doubtful
from combray.interfaces.cli.failures import Verb
from combray.interfaces.cli.guarding import show_quarantined
from combray.interfaces.cli.options import Target, opens_store
from combray.interfaces.cli.output import answer, compact, console, for_people, show_json

_ACTIONS = {
    "keep": "combray gc --keep ID",
    "forget": "combray forget ID",
    "erase": "combray erase ID",
}


@click.command(cls=Verb, examples=("combray gc --threshold 0.3", "combray gc --keep ID"))
@click.option(
    "--threshold",
    type=click.FloatRange(min=0),
    default=0.5,
    show_default=True,
    help="Effective importance below which a memory is listed.",
)
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="Memories at most.")
@click.option("--keep", metavar="ID", help="Keep this memory: count it as used three more times.")
@opens_store()
def gc(target: Target, threshold: float, limit: int, keep: str | None) -> None:
    """List the least important memories. Nothing is removed."""
    with target.open() as engine:
        if keep is not None:
            memory = engine.retention.keep(keep)
            said = f"{memory.id} now counts as used {memory.access_count} times."
            answer(target, said, id=memory.id, status="kept", access_count=memory.access_count)
            return
        candidates = engine.retention.candidates(threshold=threshold, limit=limit)
    if not for_people(target):
        facts = ("effective_importance", "days_since_access", "edge_count", "immune")
        listed = [
            {**compact(each.memory), **{name: getattr(each, name) for name in facts}} for each in candidates
        ]
        show_json({"threshold": threshold, "candidates": listed, "actions": _ACTIONS})
        return
    if not candidates:
        console().print(f"No memory has an effective importance below {threshold:g}.")
        return
    from combray.interfaces.cli.showing import table_of

    rows = [
        (
            (
                f"{each.effective_importance:.2f}",
                f"{each.days_since_access:.0f}",
                str(each.edge_count),
                "yes" if each.immune else "",
            ),
            each.memory,
        )
        for each in candidates
    ]
    console().print(table_of(("matters", "days", "edges", "immune"), rows))
    console().print("Nothing was removed. " + " · ".join(_ACTIONS.values()), style="dim")


@click.command(cls=Verb, examples=("combray review", "combray review --quarantined", "combray review --doubtful"))
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="Memories at most.")
@click.option("--quarantined", is_flag=True, help="List quarantined memories with reasons.")
@click.option("--doubtful", is_flag=True, help="List pairs of facts that consolidation could not decide.")
@opens_store()
def review(target: Target, limit: int, quarantined: bool, doubtful: bool) -> None:
    """List short-lived, quarantined or contradictory memories.

    By default, lists texts that describe a temporary state or can be looked up elsewhere, worst first.
    Quarantined texts look like prompt injection and are never recalled; release one with combray release.
    """
    if quarantined and doubtful:
        raise click.UsageError("--quarantined and --doubtful exclude each other. Give one of them.")
    if quarantined or doubtful:
        (show_quarantined if quarantined else show_doubtful)(target, limit)
        return
    with target.open() as engine:
        reviewed = engine.retention.review(limit=limit)
    if not for_people(target):
        show_json([{**compact(each.memory), "quality_warnings": list(each.warnings)} for each in reviewed])
        return
    if not reviewed:
        console().print("No memory needs attention.")
        return
    from combray.interfaces.cli.showing import table_of

    rows = [((str(len(each.warnings)), "; ".join(each.warnings)), each.memory) for each in reviewed]
    console().print(table_of(("#", "warnings"), rows))


COMMANDS = {"gc": gc, "review": review}
