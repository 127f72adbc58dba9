"""A memory is found by its own words, whatever gate or filter a preset has."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from combray.forms.recalling import Recalling, sure_enough
from combray.language.indexing import normalised
from combray.language.tokens import terms
from combray.language.trivial import says_nothing
from combray.pipeline import stage
from combray.runtime import Filter, Keys, KeywordArm, Runtime
from combray.types import KINDS

_AT_ONCE = 500
_MOST_TERMS = 32
"""Words of the query that are looked up: the text itself is compared afterwards."""
_NOTES = tuple(kind for kind in KINDS if kind != "episode")


def same_text(query: str, text: str) -> bool:
    """Return whether two texts are the same but for case, width, white space and the final stop."""
    said = normalised(query)
    # Of a text that is nothing but stops, the stops are what it says.
    return normalised(text) == said if said else text.strip() == query.strip()


@stage
class KeepOwnText:
    """Puts a memory whose text is the query in front of the hits, if a gate or a filter has left it out.

    Such are the gate for trivial queries, that for queries without a letter or digit, dates read as a filter, the
    noise filter and every floor of evidence. The filter of the caller holds. A turn of a conversation counts only
    if it states something, and never for a query that was not searched: in a chat the question has just been
    stored, and "ok" was said a hundred times.

    It runs although an earlier stage has ended the recall. Nothing is looked up where a search by words and
    meaning had hits and nothing was filtered.
    """

    needs = ("query",)
    gives = ("score",)
    runs_when_done = True
    most: int = 200
    """Candidates by their words whose length is compared with the query's."""
    confidence_above: float = 0.0
    """As of `SearchFacts`."""

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        asked = state.asked.text or state.query
        filtered = (state.where.since, state.where.until) != (state.asked.since, state.asked.until)
        if len(state.keys) and not filtered and not state.details.get("noise"):
            return state
        where = replace(
            sure_enough(state.where, self.confidence_above), since=state.asked.since, until=state.asked.until
        )
        if state.done and not where.kinds:
            where = replace(where, kinds=_NOTES)
        found = self._found(state, asked, where)
        fresh: Keys = found[~np.isin(found, state.keys)]
        if not len(fresh):
            return state
        scores = np.concatenate((np.full(len(fresh), max(1.0, state.scores.max(initial=0.0))), state.scores))
        state.arrange(np.concatenate((fresh, state.keys)), scores)
        exact = state.signals.get("exact", np.zeros(len(scores)))
        state.signals["exact"] = np.where(np.arange(len(scores)) < len(fresh), 1.0, exact)
        state.via |= dict.fromkeys(fresh.tolist(), "exact")
        state.reason = "found by its own text alone" if len(fresh) == len(scores) else ""
        state.done, state.weak = False, ""
        return state

    def _found(self, state: Recalling, asked: str, where: Filter) -> Keys:
        """Return the keys of the memories whose text is the query, ascending."""
        wanted = tuple((term, 1.0) for term in dict.fromkeys(terms(asked)))[:_MOST_TERMS]
        if wanted:
            arm = KeywordArm(wanted, mode="all", fields=(1.0, 0.0, 0.0, 0.0))
            keys = state.reader.search({"text": arm}, where, self.most).keys
        else:
            keys = state.reader.scan(where)
            keys = keys[state.reader.rows(keys).words == 0]
        same = [
            same_text(asked, text)
            for start in range(0, len(keys), _AT_ONCE)
            for text in state.reader.contents(keys[start : start + _AT_ONCE].tolist())
        ]
        found: Keys = np.sort(keys[np.array(same, dtype=np.bool_)])
        if not len(found):
            return found
        rows = state.reader.rows(found)
        says = not says_nothing(asked)
        kept: Keys = found[(rows.session < 0) | (says & ~rows.asks)]
        return kept
