"""Reading one namespace of the reference store, always by looking at every row."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from combray.errors import NotFoundError
from combray.runtime import (
    SHAPE_WORDS,
    Arm,
    Doubt,
    Filter,
    Found,
    Keys,
    KeywordArm,
    Link,
    MomentArm,
    Order,
    Place,
    Profile,
    Ranked,
    RecencyArm,
    Rows,
    Run,
    Scores,
    VectorArm,
    Vectors,
)
from combray.scoring.ranking import DECIMALS
from combray.stores.matrix import check_dimensions, decode
from combray.testing.reference import formulas, lists
from combray.testing.reference.documents import ReferenceDocuments
from combray.testing.reference.queue import ReferenceQueue
from combray.testing.reference.state import Row, State, moment_at, seconds
from combray.types import EDGE_TYPES, LIVE_STATUSES, TIERS, Edge, Memory, Version
from combray.where import Condition, matches

MIN_PREFIX = 8


def _keys(values: Iterable[int]) -> Keys:
    return np.array(list(values), dtype=np.int64)


def _brings_its_own(arm: Arm) -> bool:
    return arm.listed if isinstance(arm, KeywordArm) else True


def _listed(arm: Arm, found: Mapping[int, float]) -> Mapping[int, float]:
    if isinstance(arm, MomentArm):
        return {key: score for key, score in found.items() if score >= arm.minimum}
    return found


def _best(scores: Mapping[int, float], limit: int) -> Ranked:
    order = sorted(scores, key=lambda key: (-scores[key], key))[: max(limit, 0)]
    return Ranked(_keys(order), np.array([scores[key] for key in order], dtype=np.float64))


class ReferenceReader:
    """Implements `runtime.Reader`. `state` is what reads see, `committed` what retrieval sees."""

    def __init__(self, namespace: str, state: Callable[[], State], committed: Callable[[], State]) -> None:
        self.namespace = namespace
        self._state = state
        self._committed = committed

    def _rows(self) -> list[Row]:
        return self._state().rows_of(self.namespace)

    def _committed_rows(self) -> list[Row]:
        return self._committed().rows_of(self.namespace)

    # -- retrieval -------------------------------------------------------------------------------

    def search(self, arms: Mapping[str, Arm], where: Filter, limit: int) -> Found:
        """Run every arm and score the union of their lists by all of them."""
        rows = [row for row in self._committed_rows() if row.shown]
        eligible = {row.key for row in rows if formulas.passes(row, where)}
        scores = {name: self._score(rows, arm, eligible) for name, arm in arms.items()}
        lists = {
            name: _best({key: score for key, score in found.items() if key in eligible and score > 0}, limit)
            for name, found in ((name, _listed(arms[name], found)) for name, found in scores.items())
            if _brings_its_own(arms[name])
        }
        union = sorted({int(key) for each in lists.values() for key in each.keys})
        aligned = {name: np.array([found[key] for key in union]) for name, found in scores.items()}
        models = [arm.model for arm in arms.values() if isinstance(arm, VectorArm)][:1]
        codes = self._committed().vectors
        vectorless = sum(not any(codes.get((model, key), b"")) for model in models for key in eligible)
        return Found(_keys(union), lists, aligned, len(eligible), vectorless)

    def _score(self, rows: list[Row], arm: Arm, eligible: set[int]) -> dict[int, float]:
        if isinstance(arm, RecencyArm):
            return formulas.recency(rows, eligible)
        if isinstance(arm, KeywordArm):
            stored = self._committed_rows()
            scores = formulas.keyword(rows, arm, stored) if arm.terms else {row.key: 0.0 for row in rows}
        elif isinstance(arm, VectorArm):
            scores = formulas.vector(rows, arm, self._codes(rows, arm.model, len(arm.vector)))
        elif isinstance(arm, MomentArm):
            scores = formulas.moments(rows, arm)
        else:
            scores = formulas.naming(rows, arm)
        return {key: round(score, DECIMALS) for key, score in scores.items()}

    def _codes(self, rows: Sequence[Row], model: str, dimensions: int) -> dict[int, bytes]:
        state = self._committed()
        codes = {row.key: state.vectors[model, row.key] for row in rows if (model, row.key) in state.vectors}
        if rows and model in state.models:
            check_dimensions(model, state.models[model], dimensions)
        return codes

    def eligible(self, keys: Keys, where: Filter) -> NDArray[np.bool_]:
        """Which of the keys the filter lets through."""
        open_keys = {row.key for row in self._committed_rows() if formulas.passes(row, where)}
        return np.array([int(key) in open_keys for key in keys], dtype=np.bool_)

    def covered(self, model: str, where: Filter) -> tuple[int, int]:
        """How many rows that the filter lets through have a vector, and how many it lets through."""
        keys = [row.key for row in self._committed_rows() if formulas.passes(row, where)]
        codes = self._committed().vectors
        return sum((model, key) in codes for key in keys), len(keys)

    def scan(self, where: Filter, *, newest_first: bool = False, limit: int | None = None) -> Keys:
        """Keys of all rows the filter lets through, by moment then key."""
        found = [row for row in self._committed_rows() if formulas.passes(row, where)]
        found.sort(key=lambda row: (row.moment, row.key), reverse=newest_first)
        return _keys(row.key for row in found[:limit])

    def nearest(self, model: str, vectors: Vectors, where: Filter, limit: int, minimum: float) -> list[Ranked]:
        """The nearest committed memories of each vector."""
        rows = [row for row in self._committed_rows() if row.shown]
        codes = self._codes(rows, model, vectors.shape[1])
        answers = []
        for each in vectors:
            query = formulas.coded(each)
            scores = {
                row.key: round(formulas.cosine(codes[row.key], query), DECIMALS)
                for row in rows
                if any(query) and any(codes.get(row.key, b"")) and formulas.passes(row, where)
            }
            answers.append(_best({key: score for key, score in scores.items() if score >= minimum}, limit))
        return answers

    def similarity(self, model: str, vector: NDArray[np.float32], keys: Keys) -> Scores:
        """Cosine with each key's vector; 0 where it has none."""
        state, query = self._state(), formulas.coded(vector)
        found = []
        for key in keys:
            code = state.vectors.get((model, int(key))) if state.row(self.namespace, int(key)) else None
            if code is not None:
                check_dimensions(model, state.models[model], len(vector))
            found.append(0.0 if code is None else round(formulas.cosine(code, query), DECIMALS))
        return np.array(found, dtype=np.float64)

    def vectors(self, model: str, keys: Keys) -> tuple[Vectors, NDArray[np.bool_]]:
        """Vectors of the keys, zeros where there is none, and which have one."""
        state = self._state()
        dimensions = state.models.get(model, 1)
        codes = [
            state.vectors.get((model, int(key))) if state.row(self.namespace, int(key)) else None for key in keys
        ]
        rows = decode([code or bytes(dimensions) for code in codes], dimensions)
        return rows, np.array([code is not None for code in codes], dtype=np.bool_)

    def page(
        self, condition: Condition | None, order: Order, limit: int, after: Place | None = None
    ) -> list[int]:
        rows = [row for row in self._rows() if matches(condition, row.memory)]
        return lists.page(rows, order, limit, after)

    def count(self, condition: Condition | None) -> int:
        return sum(matches(condition, row.memory) for row in self._rows())

    # -- rows and texts --------------------------------------------------------------------------

    def rows(self, keys: Keys) -> Rows:
        """Columns of the given keys. Raises NotFoundError for a key of no memory here."""
        every = {row.key: row for row in self._committed_rows()}
        for key in keys:
            if int(key) not in every:
                raise NotFoundError(f"no memory with key {int(key)} in namespace {self.namespace!r}")
        rows = [every[int(key)] for key in keys]
        heard = {row.memory.author for row in every.values() if row.memory.author is not None and row.shown}
        unheard = {row.memory.author for row in rows if row.memory.author is not None} - heard
        authors = [*sorted(heard), *sorted(unheard)]
        sessions = sorted({row.memory.session for row in every.values() if row.memory.session is not None})

        def codes(names: list[str], values: list[str | None]) -> NDArray[np.int64]:
            return _keys(-1 if value is None else names.index(value) for value in values)

        def floats(values: Iterable[float]) -> NDArray[np.float64]:
            return np.array(list(values), dtype=np.float64)

        return Rows(
            keys=_keys(row.key for row in rows),
            author=codes(authors, [row.memory.author for row in rows]),
            author_names=tuple(name if name in heard else "" for name in authors),
            session=codes(sessions, [row.memory.session for row in rows]),
            position=_keys(-1 if row.memory.position is None else row.memory.position for row in rows),
            words=_keys(row.entry.words for row in rows),
            moment=floats(row.moment for row in rows),
            recorded=floats(seconds(row.memory.recorded_at) for row in rows),
            importance=floats(row.memory.importance for row in rows),
            confidence=floats(row.memory.confidence for row in rows),
            tier=_keys(TIERS.index(row.memory.tier) for row in rows),
            asks=np.array([row.entry.asks for row in rows], dtype=np.bool_),
            times=np.array([row.entry.times for row in rows], dtype=np.bool_),
            cues=_keys(row.entry.cues for row in rows),
            gain=floats(formulas.session_gain(list(every.values()), row, SHAPE_WORDS) for row in rows),
        )

    def ids(self, keys: Keys) -> list[str]:
        """Ids in the order of the keys."""
        found = [self._state().row(self.namespace, int(key)) for key in keys]
        return ["" if row is None else row.memory.id for row in found]

    def accesses(self, keys: Keys) -> Scores:
        """Access counts in the order of the keys."""
        found = [self._state().row(self.namespace, int(key)) for key in keys]
        return np.array([0 if row is None else row.memory.access_count for row in found], dtype=np.float64)

    def memories(self, keys: Iterable[int]) -> list[Memory]:
        """Whole memories in the order of the keys."""
        found = [self._state().row(self.namespace, int(key)) for key in keys]
        return [row.memory for row in found if row is not None]

    def contents(self, keys: Iterable[int]) -> list[str]:
        """Texts in the order of the keys; "" for a key of no memory here."""
        found = [self._state().row(self.namespace, int(key)) for key in keys]
        return [row.memory.content if row is not None else "" for row in found]

    def keys_of(self, ids: Sequence[str]) -> dict[str, int]:
        """Keys of full ids, or of prefixes of at least eight characters that only one id has."""
        known = {row.memory.id: row.key for row in self._rows()}
        found = {}
        for wanted in ids:
            starting = [key for each, key in known.items() if each.startswith(wanted)]
            if wanted in known:
                found[wanted] = known[wanted]
            elif len(wanted) >= MIN_PREFIX and len(starting) == 1:
                found[wanted] = starting[0]
        return found

    def neighbours(self, keys: Keys, before: int, after: int) -> list[list[int]]:
        """Keys of the turns around each key in its session, in order."""
        rows = self._committed_rows()
        known = {row.key: row for row in rows}
        found: list[list[int]] = []
        for key in keys:
            if int(key) not in known:
                found.append([])
                continue
            turns = [turn.key for turn in formulas.conversation(rows, known[int(key)])]
            place = turns.index(int(key))
            found.append([*turns[max(place - before, 0) : place], *turns[place + 1 : place + 1 + after]])
        return found

    def profile(self) -> Profile:
        """What the data looks like, from live memories that may be seen by default."""
        rows = [row for row in self._committed_rows() if formulas.passes(row, Filter())]
        return Profile(
            memories=len(rows),
            median_words=float(statistics.median([row.entry.words for row in rows])) if rows else 0.0,
            authors=tuple(sorted({row.memory.author for row in rows if row.memory.author is not None})),
            with_session=sum(row.memory.session is not None for row in rows) / len(rows) if rows else 0.0,
            latest_moment=max((row.moment for row in rows), default=None),
        )

    # -- graph -----------------------------------------------------------------------------------

    def links(self, keys: Iterable[int], types: Sequence[str] = ()) -> list[Link]:
        """Every edge at one of the keys, by source, target, type; none to what is in quarantine."""
        state = self._state()
        apart = {row.key for row in self._committed_rows() if not row.shown}
        wanted = {int(key) for key in keys if state.row(self.namespace, int(key))}
        return [
            Link(source, target, edge.type, edge.weight, edge.subtype, edge.reason, edge.created_by)
            for (source, target, type_, _), edge in self._ordered_edges()
            if (source in wanted or target in wanted)
            and (not types or type_ in types)
            and apart.isdisjoint((source, target))
        ]

    def edges(self, types: Sequence[str] = ()) -> list[Edge]:
        """All edges of the namespace with ids."""
        return [edge for place, edge in self._ordered_edges() if not types or place[2] in types]

    def _ordered_edges(self) -> list[tuple[tuple[int, int, str, str], Edge]]:
        state = self._state()
        mine = [each for each in state.edges.items() if state.row(self.namespace, each[0][0])]
        return sorted(mine, key=lambda each: (*each[0][:2], EDGE_TYPES.index(each[1].type), each[0][3]))

    # -- people's questions ----------------------------------------------------------------------

    def known_entities(self, candidates: Iterable[str]) -> set[str]:
        """Which candidates some live memory names, as given."""
        named = {name for row in self._rows() if row.live for name in row.entities}
        return {each for each in candidates if each.casefold() in named}

    def entity_counts(self, limit: int = 20) -> list[tuple[str, int]]:
        """The most named entities, casefolded; ties by name."""
        counts = Counter(name for row in self._rows() if row.live for name in row.entities)
        return sorted(counts.items(), key=lambda each: (-each[1], each[0]))[:limit]

    def history(self, key: int) -> list[Version]:
        """Every change of a memory, oldest first."""
        state = self._state()
        return list(state.versions.get(key, ())) if state.row(self.namespace, key) else []

    def status(self) -> dict[str, Any]:
        """Counts for people."""
        state, rows = self._state(), self._rows()
        keys = {row.key for row in rows}
        moments = [row.moment for row in rows]
        return {
            "by_status": dict(Counter(row.memory.status for row in rows)),
            "by_kind": dict(Counter(row.memory.kind for row in rows if row.memory.status in LIVE_STATUSES)),
            "by_category": dict(
                Counter(row.memory.category for row in rows if row.memory.status in LIVE_STATUSES)
            ),
            "edges": dict(Counter(type_ for source, _, type_, _ in state.edges if source in keys)),
            "vectors": dict(Counter(model for model, key in state.vectors if key in keys)),
            "operations": sum(namespace == self.namespace for namespace, _ in state.operations.values()),
            "first_moment": moment_at(min(moments)) if moments else None,
            "last_moment": moment_at(max(moments)) if moments else None,
        }

    def log(self, limit: int) -> list[dict[str, Any]]:
        """The latest operations, newest first."""
        lines = sorted(self._state().operations.items(), reverse=True)
        mine = [{"number": number, **line} for number, (namespace, line) in lines if namespace == self.namespace]
        return mine[:limit]

    def revision(self) -> int:
        """Grows with every committed write."""
        return self._state().revisions.get(self.namespace, 0)

    @property
    def documents(self) -> ReferenceDocuments:
        """The files it holds, to change them inside a transaction."""

        def known(key: int) -> bool:
            return self._state().row(self.namespace, key) is not None

        return ReferenceDocuments(self.namespace, lambda: self._state().shelf, known)

    @property
    def queue(self) -> ReferenceQueue:
        """Which memories wait for a vector, to change that inside a transaction."""
        return ReferenceQueue(self.namespace, self._state)

    def runs(self, limit: int) -> list[Run]:
        """The latest runs, newest first."""
        return self._state().ledger.latest(self.namespace, limit)

    def changed_by(self, actor: str) -> list[int]:
        """Keys of the memories an actor has changed."""
        state = self._state()
        versions = ((row.key, state.versions.get(row.key, ())) for row in self._rows())
        return [key for key, rows in versions if any(version.actor == actor for version in rows)]

    def doubts(self) -> list[Doubt]:
        """Every pair in doubt, by keys."""
        return self._state().ledger.pairs(self.namespace)
