"""Edges `may_revise`: does a later memory change an earlier one? And the answer that both hold."""

from __future__ import annotations

from combray.runtime import Link, Reader, Writer

BOTH = "both"
"""Subtype of an edge whose pair was settled: both hold."""
_KEPT = " | both hold: "
"""Stands in the reason of an edge between why it was asked and why both hold."""


def between(reader: Reader, one: int, other: int) -> list[Link]:
    """Return the questions between two memories, in either direction."""
    return [each for each in reader.links([one], ("may_revise",)) if {each.source, each.target} == {one, other}]


def keep_both(tx: Writer, new: int, old: int, reason: str, who: str, now: float) -> None:
    """Record that both memories hold. An edge is made if nobody has asked."""
    for each in between(tx, new, old) or [Link(new, old, "may_revise", 1.0)]:
        tx.unlink(each.source, each.target, "may_revise")
        why = f"{each.reason}{_KEPT}{reason}" if reason else each.reason
        tx.link([Link(each.source, each.target, "may_revise", each.weight, BOTH, why, who)], now)


def reopen(tx: Writer, new: int, old: int, who: str, now: float) -> None:
    """Leave the question open: nothing is settled, and an edge that `who` made says so ("user": a caller)."""
    for each in between(tx, new, old):
        tx.unlink(each.source, each.target, "may_revise")
        asked = each.reason.partition(_KEPT)[0]
        tx.link([Link(each.source, each.target, "may_revise", each.weight, reason=asked, created_by=who)], now)
