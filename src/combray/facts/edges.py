"""Edges to what a new memory may change, and the question to the caller: `remember.revisions` finds the pairs."""

from __future__ import annotations

from collections.abc import Sequence

from combray.facts.candidates import level_of
from combray.facts.ranker import Budget, ranker
from combray.facts.waiting import leave
from combray.forms.remembering import Draft, Remembering, Suspect
from combray.records import dataclass
from combray.runtime import Link, Reader, Runtime
from combray.types import Candidate


@dataclass(frozen=True)
class KeepRevisions:
    """Stores what was found as `may_revise` edges, from the new memory to the earlier one, and raises the best.

    A text about the past, a rumour or an if revises nothing and has no candidates.

    An edge asks nobody: recall shows the later memory behind the earlier one. A suggestion is raised in the
    result of the write. At most `budget` of the writes raise one, counted over the last 256 writes of the
    namespace, and `of_turns` of the episodes, which are counted apart: few turns change a fact.
    The first 50 writes raise one from the probability `asked_from`.
    """

    needs = ("written", "suspects")
    advises = True
    budget: float = 0.11
    """Share of the writes that may raise a suggestion, 0-1. Where one write in six changes something, less than a
    tenth of the others raise one (bench/results/truth.md)."""
    of_turns: float = 0.08
    """Share of the episodes that may raise one, 0-1."""
    asked_from: float = 0.34
    """Probability from which a new namespace asks. The threshold that comes with the weights is a little higher;
    a pair whose words alone show a change has this one (`SuggestRevisions.plain`)."""
    shown: float = 0.2
    """Least share of the best candidate's probability that the others need to be raised with it."""

    def __call__(self, state: Remembering, runtime: Runtime) -> Remembering:
        level = level_of(runtime)
        budgets: dict[str, Budget] = {}
        for draft in state.written:
            if draft.suspects is None:
                continue
            found = self.link(draft, state)
            is_turn = draft.memory.kind == "episode"
            name = f"revisions:{level}:{'episode' if is_turn else 'fact'}"
            if name not in budgets:
                kept = bytes.fromhex(state.writer.kept(name))
                share = self.of_turns if is_turn else self.budget
                budgets[name] = Budget(kept, share, min(self.asked_from, ranker(level).raise_from))
            if budgets[name].raises(found[0].score if found else 0.0):
                raised = [each for each in found if each.score >= self.shown * found[0].score]
                draft.may_revise = _candidates(raised, state.writer)
        for name, budget in budgets.items():
            state.writer.keep(name, budget.scores.hex())
        keys = [draft.key for draft in state.written if draft.key is not None]
        if state.revisions_left and keys:
            leave(state.writer, min(keys), max(keys))
        return state

    def link(self, draft: Draft, state: Remembering) -> list[Suspect]:
        """Store the edges of a draft to memories that this write has not superseded; return those memories."""
        if not draft.suspects or draft.key is None:
            return []
        gone = state.replaced | state.replaced_drafts
        if draft.keep_both:
            gone |= set(state.writer.keys_of(draft.keep_both).values())
        found: list[Suspect] = []
        links: list[Link] = []
        for suspect in draft.suspects:
            key = suspect.stored
            if key is not None and key not in gone:
                links.append(Link(draft.key, key, "may_revise", suspect.score, reason=suspect.reason))
                found.append(suspect)
        state.writer.link(links, state.now)
        return found


def _candidates(raised: Sequence[Suspect], reader: Reader) -> tuple[Candidate, ...]:
    """Return what a reply says of the suspects. Memories are read for these few only."""
    keys = [each.stored for each in raised if each.stored is not None]
    return tuple(
        Candidate(old.id, old.content, old.author, old.moment, each.score, each.reason)
        for each, old in zip(raised, reader.memories(keys), strict=True)
    )
