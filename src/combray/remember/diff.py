"""Diff: is this text new, a duplicate, or a newer version of something known?

Similarity only proposes. Negation, numbers, dates, names and subjects decide: a cosine cannot
distinguish a contradiction from a paraphrase (bench/results/quality.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from combray.errors import NotFoundError
from combray.forms.remembering import Draft, Remembering, Suggestion, revised
from combray.language.indexing import same_text, typeset
from combray.language.polarity import changes
from combray.language.replacements import names_another_value, replacements_of, replaces
from combray.language.scopes import scope_set
from combray.language.tense import tense_of
from combray.language.tokens import query_terms, term_set
from combray.records import dataclass
from combray.remember.diff_candidates import EDITABLE, Batch, Bounds, DiffCandidate, on_another_day
from combray.runtime import Filter, KeywordArm, Reader, Runtime

if TYPE_CHECKING:
    from combray.language.claims import Comparison

_READ_AT_ONCE = 256
"""Drafts whose candidates are held in memory at the same time."""
_LEAST_SHARED = 0.5
"""Share of the shorter text's terms that a repetition or a denial has, whatever its negations are."""


class _Decision(NamedTuple):
    suggestion: Suggestion
    reason: str
    contradicts: bool = False
    """Whether the two texts cannot both hold."""


class _Claim:
    """A draft's text as it is compared with every candidate: expensive parts are computed once, on demand."""

    def __init__(self, draft: Draft) -> None:
        self.text, self.author = draft.memory.content, draft.memory.author or ""
        self.names = draft.memory.entities
        self.is_present = draft.claim.tense == "present"

    @cached_property
    def typeset(self) -> str:
        return typeset(self.text)

    @cached_property
    def terms(self) -> frozenset[str]:
        return term_set(self.text)

    def repeats(self, other: DiffCandidate) -> bool:
        """Whether it is the same text of the same author."""
        return self.author == (other.author or "") and self.typeset == typeset(other.text)

    @cached_property
    def names_old_value(self) -> bool:
        """Whether it may end the value of an earlier text."""
        return self.is_present and bool(replacements_of(self.text))

    def ends(self, old: DiffCandidate) -> bool:
        """Whether the text names the value of an earlier one, and what it is now."""
        if not self.names_old_value or tense_of(old.text) != "present":
            return False
        shared = [name for name in self.names if name in old.names]
        return replaces(self.text, old.text, shared, one_author=self.author == (old.author or ""))


@dataclass(frozen=True)
class Diff:
    """Decides for each text: ADD, DUPLICATE, UPDATE or CONFLICT (docs/reference/presets.md, preset mnemon).

    Above 0.90 DUPLICATE, 0.65 to 0.90 UPDATE or CONFLICT, below ADD.

    Similarity is the token overlap (Jaccard of content terms), or the cosine where it is at least
    `cosine_from` and larger. Before DUPLICATE or UPDATE: same subject and same polarity, nothing
    substituted; else ADD. A text that contradicts, by its polarity or by another value of the same subject, is
    reported as CONFLICT instead of UPDATE. Where polarity, a name, a number, a date or a unit differs and no
    change is stated, both are kept: words do not decide which of them is current.

    `certain` (every preset but mnemon) decides without a similarity, which only proposes candidates: the same
    text but for spelling is a DUPLICATE, a text that names the old and the new value replaces the one memory
    that has the old one, and one that plainly denies an earlier text is a CONFLICT.
    """

    needs = ("drafts", "claims", "nearest")
    gives = ("decisions",)
    advises = True
    duplicate_above: float = 0.90
    update_from: float = 0.65
    cosine_from: float = 0.70
    keyword_candidates: int = 5
    vector_candidates: int = 5
    certain: bool = False
    restated_from: float = 0.35
    """Least probability of an open `may_revise` edge that makes a repeated text a new statement."""
    least_overlap: float = 0.2
    """Overlap below which a text that is not similar is not compared, even if it states a change."""
    most_terms: int = 30
    """Terms of a text to search candidates with."""
    posting_budget: int = 5_000
    """Postings that one such search may read."""

    def __call__(self, state: Remembering, runtime: Runtime) -> Remembering:
        if state.diff:
            if self.decide not in state.rereads:
                state.rereads.append(self.decide)
            if not state.put_off:
                # A near memory that was erased since: `Settle`, which sees that, decides again.
                with suppress(NotFoundError), runtime.store.view(state.namespace) as reader:
                    self.decide(state, reader)
        return state

    def decide(self, state: Remembering, reader: Reader) -> None:
        """Decide for every draft. `Settle` repeats this if another writer has changed the store since."""
        bounds = Bounds(
            min(self.cosine_from, self.update_from),
            self.vector_candidates,
            self.keyword_candidates,
            self.most_terms,
        )
        batch = Batch.of(state.drafts, [self._looks_by_words(draft) for draft in state.drafts], bounds)
        stored: Mapping[int, list[DiffCandidate]] = {}
        for place, draft in enumerate(state.drafts):
            if place % _READ_AT_ONCE == 0:
                stored = self._stored(batch, range(place, min(place + _READ_AT_ONCE, len(state.drafts))), reader)
            draft.suggestion, draft.reason, draft.matched, draft.twin = "ADD", "", None, None
            draft.restated = draft.contradicts = False
            if place in stored:
                claim, found = _Claim(draft), batch.near(place) + stored[place]
                same = [each for each in found if claim.repeats(each)]
                draft.restated = bool(same) and self._came_between(claim, same, found, reader)
                # Of several memories with this text it repeats the latest, or none.
                gone = same if draft.restated else sorted(same, key=lambda each: each.place)[:-1]
                self._decide(draft, claim, [each for each in found if each not in gone])

    def _decide(self, draft: Draft, claim: _Claim, candidates: Sequence[DiffCandidate]) -> None:
        conflicts = False
        if not (self.certain and claim.names_old_value):
            # Of another author only the value of a text can end.
            candidates = [each for each in candidates if claim.author == (each.author or "")]
        for candidate in candidates:
            decision = _by_trust(self._judge(claim, candidate), draft.memory.trust, candidate.trust)
            if decision is None or (conflicts and decision.suggestion == "CONFLICT"):
                continue
            conflicts = decision.suggestion == "CONFLICT"
            draft.suggestion, draft.reason, draft.contradicts = decision
            draft.matched, draft.twin = candidate.key, candidate.twin
            # A conflict changes nothing: a later candidate may still be a duplicate or an update.
            if not conflicts:
                break
        if self.certain and draft.suggestion == "UPDATE":
            ended = {same_text(each.text) for each in candidates if claim.ends(each)}
            if len(ended) > 1:
                draft.suggestion, draft.matched, draft.twin = "ADD", None, None
                draft.reason = "names a changed value, and several memories have the old one"

    def _came_between(
        self, new: _Claim, same: Sequence[DiffCandidate], found: Sequence[DiffCandidate], reader: Reader
    ) -> bool:
        """Whether a later statement changed, or may change, what the text says again: "on", "off", "on"."""
        last = max(same, key=lambda each: each.place)
        if last.key is not None and revised(reader, [last.key], self.restated_from):
            return True
        if not self.certain:
            return False
        from combray.language.claims import compare

        later = [each for each in found if each.place > last.place and new.author == (each.author or "")]
        return any(compare(last.text, each.text).verdict in ("contradicts", "update") for each in later)

    def _stored(self, batch: Batch, places: Iterable[int], reader: Reader) -> dict[int, list[DiffCandidate]]:
        """Stored memories to compare each draft with, the nearest first, read in one call.

        A draft that can replace nothing has no entry.
        """
        cosines: dict[int, dict[int, float]] = {}
        for place in places:
            draft = batch.drafts[place]
            if draft.memory.kind in EDITABLE and not draft.quarantined:
                by_words = self._by_keyword(draft, reader) if batch.by_words[place] else []
                cosines[place] = dict.fromkeys(by_words, 0.0)
                near = () if draft.nearest is None else zip(draft.nearest.keys, draft.nearest.scores, strict=True)
                cosines[place] |= self._close([(int(key), float(score)) for key, score in near])
        self._drop_other_authors(batch, cosines, reader)
        keys = list({key: None for found in cosines.values() for key in found})
        known = dict(zip(keys, reader.memories(keys), strict=True)) if keys else {}
        return {
            place: [
                DiffCandidate(
                    known[key].content,
                    known[key].author,
                    cosine,
                    key=key,
                    trust=known[key].trust,
                    names=known[key].entities,
                    place=(0, key),
                )
                for key, cosine in sorted(found.items(), key=lambda each: (-each[1], each[0]))
                if known[key].kind in EDITABLE and not on_another_day(known[key], batch.drafts[place].memory)
            ]
            for place, found in cosines.items()
        }

    def _drop_other_authors(self, batch: Batch, cosines: Mapping[int, dict[int, float]], reader: Reader) -> None:
        """Drop candidates of another author, unless the draft may end their value: they are not read at all."""
        keys = sorted({key for found in cosines.values() for key in found})
        if not keys:
            return
        rows = reader.rows(np.array(keys, dtype=np.int64))
        names = rows.author_names
        by = {
            int(key): names[code] if code >= 0 else ""
            for key, code in zip(rows.keys.tolist(), rows.author.tolist(), strict=True)
        }
        for place, found in cosines.items():
            claim = _Claim(batch.drafts[place])
            if not (self.certain and claim.names_old_value):
                for key in [key for key in found if by.get(key, claim.author) != claim.author]:
                    del found[key]

    def _close(self, near: Sequence[tuple[int, float]]) -> dict[int, float]:
        """Return the nearest memories that are compared, of all that were found near, the nearest first."""
        close = [each for each in near if each[1] >= min(self.cosine_from, self.update_from)]
        return dict(close[: self.vector_candidates])

    def _looks_by_words(self, draft: Draft) -> bool:
        """Whether a draft is searched by words: a text that states a change shares words with the old one."""
        if draft.vector is None:
            return True
        if self.certain:
            return bool(replacements_of(draft.memory.content))
        return True

    def _by_keyword(self, draft: Draft, reader: Reader) -> list[int]:
        wanted = tuple((term, 1.0) for term in query_terms(draft.memory.content)[: self.most_terms])
        if not wanted:
            return []
        arm = KeywordArm(
            wanted, fields=(1.0, 0.0, 0.0, 0.0), scoring="coverage", posting_budget=self.posting_budget
        )
        where = Filter(kinds=EDITABLE, within=scope_set(draft.memory.tags))
        found = reader.search({"keyword": arm}, where, self.keyword_candidates)
        return [int(key) for key in found.lists["keyword"].keys]

    def _judge(self, new: _Claim, candidate: DiffCandidate) -> _Decision | None:
        """DUPLICATE, UPDATE or CONFLICT with its reason; None for ADD."""
        if self.certain and new.ends(candidate):
            return _Decision("UPDATE", "names the old value and the new one")
        if new.author != (candidate.author or ""):
            return None
        if new.repeats(candidate):
            return _Decision("DUPLICATE", "the same text is already known")
        return _certainly(new, candidate) if self.certain else self._judge_words(new, candidate)

    def _judge_words(self, new: _Claim, candidate: DiffCandidate) -> _Decision | None:
        # Jaccard of content terms. Containment, which Mnemon uses, makes every short text a duplicate.
        theirs = term_set(candidate.text)
        overlap = len(new.terms & theirs) / max(len(new.terms | theirs), 1)
        by_meaning = candidate.cosine >= max(self.cosine_from, overlap)
        similarity = candidate.cosine if by_meaning else overlap
        unlikely = similarity < self.update_from
        # Below the bands only a text that states a change can replace; `compare` is expensive.
        if unlikely and (overlap < self.least_overlap or not changes(new.text)):
            return None
        # Imported on the first comparison: recall loads the preset too and compares nothing.
        from combray.language.claims import compare, replaces_another, subjects_conflict

        found = compare(candidate.text, new.text)
        elsewhere = names_another_value(new.text, candidate.text) or replaces_another(candidate.text, new.text)
        if found.changes and elsewhere:
            return None  # it names what it replaces, and that is another thing
        if theirs > new.terms and found.same_polarity and not found.changes:
            return None  # it says less: a more general text replaces nothing
        one_subject = found.same_subject or (by_meaning and not subjects_conflict(candidate.text, new.text))
        decision = self._by_comparison(found, similarity, by_meaning, one_subject)
        if decision is None or decision.suggestion == "DUPLICATE":
            return decision
        # A statement about the past, a plan or a rumour leaves the present as it is.
        both_present = new.is_present and tense_of(candidate.text) == "present"
        return decision if both_present else None

    def _by_comparison(
        self, found: Comparison, similarity: float, by_meaning: bool, one_subject: bool
    ) -> _Decision | None:
        """Decide by the words; other words for the same do not stand against an embedder (`by_meaning`)."""
        verdict, same = found.verdict, one_subject and found.same_polarity
        if verdict == "update" and found.changes and found.same_subject:
            changed = f"says that it changed ({', '.join(found.changes)})"
            return _Decision("UPDATE", changed, contradicts=True)
        if similarity < self.update_from:
            return None
        if verdict == "contradicts":
            # Words cannot decide which of the two is true: both are kept, and the result reports it.
            return _Decision("CONFLICT", "contradicts a memory that is kept beside it", contradicts=True)
        differs = found.numbers_differ or found.dates_differ or found.names_differ or found.units_differ
        if not same or found.antonyms:
            return None
        if differs:
            other = "gives another value than a memory that is kept beside it"
            return _Decision("CONFLICT", other, contradicts=True) if verdict == "update" else None
        # Other words may say the same; an identifier with another digit is another thing.
        named = any(map(str.isdigit, "".join(side for pair in found.word_substitution for side in pair)))
        restates = by_meaning and verdict == "different" and not named
        if similarity > self.duplicate_above and (restates or verdict in ("identical", "paraphrase")):
            return _Decision("DUPLICATE", f"similarity {similarity:.2f}, nothing differs in meaning")
        if found.word_substitution and verdict != "update" and not restates:
            return None
        close = f"similarity {similarity:.2f}, same subject and polarity"
        return _Decision("UPDATE", close, contradicts=verdict == "update")


def _certainly(new: _Claim, candidate: DiffCandidate) -> _Decision | None:
    """DUPLICATE or CONFLICT where neither a similarity nor a list of meanings has to decide it; else None."""
    theirs = term_set(candidate.text)
    # Most near texts are another statement, which their words tell at once.
    if len(new.terms & theirs) < _LEAST_SHARED * min(len(new.terms), len(theirs)):
        return None
    from combray.language.claims import is_same_text
    from combray.language.restatements import denies

    if is_same_text(candidate.text, new.text):
        return _Decision("DUPLICATE", "the same text but for spelling")
    if denies(candidate.text, new.text):
        # Words cannot decide which of the two is true: both are kept, and the result reports it.
        return _Decision("CONFLICT", "contradicts a memory that is kept beside it", contradicts=True)
    return None


def _by_trust(decision: _Decision | None, new: str, old: str) -> _Decision | None:
    """Untrusted text replaces no trusted memory, and a trusted text is no duplicate of an untrusted memory."""
    if decision is None or (new == "untrusted") == (old == "untrusted"):
        return decision
    if decision.suggestion == "UPDATE" and new == "untrusted":
        return _Decision("CONFLICT", f"{decision.reason}; it is untrusted and replaces nothing")
    return None if decision.suggestion == "DUPLICATE" and old == "untrusted" else decision
