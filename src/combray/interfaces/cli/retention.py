"""Verbs about what may go: `gc` shows what matters least, `review` what will not keep."""

from __future__ import annotations

import click

from combray.interfaces.cli.consolidation import show_doubtful
from combray.interfaces.cli.failures import Verb
from combray.interfaces.cli.guarding import show_quarantined
from combray.interfaces.cli.options import Target, opens_store
from combray.interfaces.cli.output import compact, console, for_people, show_json
from combray.types import Memory

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
@click.option("--keep", metavar="ID", help="Count three more uses of this memory, so that it stays.")
@opens_store()
def gc(target: Target, threshold: float, limit: int, keep: str | None) -> None:
    """List the memories that matter least; remove nothing."""
    with target.open() as engine:
        if keep is not None:
            _tell_kept(target, engine.retention.keep(keep))
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


def _tell_kept(target: Target, memory: Memory) -> None:
    if for_people(target):
        console().print(f"{memory.id} counts as used {memory.access_count} times now.")
    else:
        show_json({"id": memory.id, "status": "kept", "access_count": memory.access_count})


@click.command(cls=Verb, examples=("combray review", "combray review --quarantined", "combray review --doubtful"))
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="Memories at most.")
@click.option("--quarantined", is_flag=True, help="List what the guard keeps apart, and why.")
@click.option("--doubtful", is_flag=True, help="List pairs of facts that consolidation could not decide.")
@opens_store()
def review(target: Target, limit: int, quarantined: bool, doubtful: bool) -> None:
    """List what will soon be untrue, is in quarantine, or in doubt.

    The texts of the first show signs of a passing state, or of what can be looked up elsewhere; worst first.
    What is in quarantine reads like orders to a model and is never recalled; combray release lets it out.
    """
    if quarantined and doubtful:
        raise click.UsageError("give --quarantined or --doubtful, not both.")
    if quarantined or doubtful:
        (show_quarantined if quarantined else show_doubtful)(target, limit)
        return
    with target.open() as engine:
        reviewed = engine.retention.review(limit=limit)
    if not for_people(target):
        show_json([{**compact(each.memory), "quality_warnings": list(each.warnings)} for each in reviewed])
        return
    if not reviewed:
        console().print("No memory needs a second look.")
        return
    from combray.interfaces.cli.showing import table_of

    rows = [((str(len(each.warnings)), "; ".join(each.warnings)), each.memory) for each in reviewed]
    console().print(table_of(("#", "warnings"), rows))


COMMANDS = {"gc": gc, "review": review}
