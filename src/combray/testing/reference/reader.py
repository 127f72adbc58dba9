"""Reading one namespace of the reference store, always by looking at every row."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from combray.runtime import (
    SHAPE_WORDS,
    Arm,
    Doubt,
    EntityArm,
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
from combray.testing.reference import formulas
from combray.testing.reference.state import (
    NamespaceRows,
    ReferenceDocuments,
    ReferenceQueue,
    Row,
    StoreState,
    moment_at,
    seconds,
)
from combray.types import EDGE_TYPES, LIVE_STATUSES, STATUSES, TIERS, Edge, Memory, Version
from combray.where import Condition, matches

MIN_PREFIX = 8


def _integers(values: Iterable[int]) -> Keys:
    return np.array(list(values), dtype=np.int64)


def _end(moment: datetime | None) -> float:
    return math.nan if moment is None else seconds(moment)


def _floats(values: Iterable[float]) -> Scores:
    return np.array(list(values), dtype=np.float64)


def _flags(values: Iterable[bool]) -> NDArray[np.bool_]:
    return np.array(list(values), dtype=np.bool_)


def _best(scores: Mapping[int, float], limit: int) -> Ranked:
    order = sorted(scores, key=lambda key: (-scores[key], key))[: max(limit, 0)]
    return Ranked(_integers(order), _floats(scores[key] for key in order))


class ReferenceReader:
    """Implements `runtime.Reader`. Reads see `state`; retrieval sees `committed`."""

    def __init__(
        self, namespace: str, state: Callable[[], StoreState], committed: Callable[[], StoreState]
    ) -> None:
        self.namespace = namespace
        self._state = state
        self._committed = committed
        self.documents = ReferenceDocuments(self._space)
        self.queue = ReferenceQueue(self._space)

    def _space(self) -> NamespaceRows:
        return self._state().spaces.get(self.namespace) or NamespaceRows()

    def _committed_space(self) -> NamespaceRows:
        return self._committed().spaces.get(self.namespace) or NamespaceRows()

    def _filtered(self, where: Filter) -> dict[int, Row]:
        return {key: row for key, row in self._committed_space().rows.items() if formulas.passes(row, where)}

    # -- retrieval -------------------------------------------------------------------------------

    def search(self, arms: Mapping[str, Arm], where: Filter, limit: int) -> Found:
        eligible = {key for key, row in self._filtered(where).items() if row.shown}
        scores = {name: self._score(arm, eligible) for name, arm in arms.items()}
        lists = {}
        for name, arm in arms.items():
            if not isinstance(arm, KeywordArm) or arm.listed:
                least = arm.minimum if isinstance(arm, MomentArm) else 0.0
                listed = {key: score for key, score in scores[name].items() if key in eligible and score >= least}
                lists[name] = _best({key: score for key, score in listed.items() if score > 0}, limit)
        union = sorted({int(key) for each in lists.values() for key in each.keys})
        aligned = {name: _floats(found[key] for key in union) for name, found in scores.items()}
        models = [arm.model for arm in arms.values() if isinstance(arm, VectorArm)][:1]
        codes = self._committed_space().vectors
        vectorless = sum(not any(codes.get((model, key), b"")) for model in models for key in eligible)
        return Found(_integers(union), lists, aligned, len(eligible), vectorless)

    def _score(self, arm: Arm, eligible: set[int]) -> dict[int, float]:
        stored = list(self._committed_space().rows.values())
        rows = [row for row in stored if row.shown]
        if isinstance(arm, RecencyArm):
            return formulas.recency(rows, eligible)
        if isinstance(arm, KeywordArm):
            scores = formulas.keyword(rows, arm, stored) if arm.terms else {row.key: 0.0 for row in rows}
        elif isinstance(arm, VectorArm):
            scores = formulas.vector(rows, arm, self._codes(arm.model, rows, len(arm.vector)))
        elif isinstance(arm, EntityArm):
            scores = formulas.naming(rows, arm)
        else:
            scores = formulas.moments(rows, arm)
        return {key: round(score, DECIMALS) for key, score in scores.items()}

    def _codes(self, model: str, rows: Sequence[Row], dimensions: int) -> dict[int, bytes]:
        """Codes of the rows that have one. Raises InvalidInputError for a query of another length."""
        known, codes = self._committed().models.get(model), self._committed_space().vectors
        if rows and known is not None:
            formulas.check_dimensions(model, known, dimensions)
        return {row.key: codes[model, row.key] for row in rows if (model, row.key) in codes}

    def eligible(self, keys: Keys, where: Filter) -> NDArray[np.bool_]:
        found = self._filtered(where)
        return _flags(int(key) in found for key in keys)

    def covered(self, model: str, where: Filter) -> tuple[int, int]:
        found, codes = self._filtered(where), self._committed_space().vectors
        return sum((model, key) in codes for key in found), len(found)

    def scan(self, where: Filter, *, newest_first: bool = False, limit: int | None = None) -> Keys:
        found = sorted(
            self._filtered(where).values(), key=lambda row: (row.moment, row.key), reverse=newest_first
        )
        return _integers(row.key for row in found[:limit])

    def nearest(self, model: str, vectors: Vectors, where: Filter, limit: int, minimum: float) -> list[Ranked]:
        shown = [row for row in self._committed_space().rows.values() if row.shown]
        codes = self._codes(model, shown, vectors.shape[1])
        codes = {key: code for key, code in codes.items() if any(code) and key in self._filtered(where)}
        answers = []
        for query in map(formulas.coded, vectors):
            cosines = {key: round(formulas.cosine(code, query), DECIMALS) for key, code in codes.items()}
            near = {key: cosine for key, cosine in cosines.items() if cosine >= minimum}
            answers.append(_best(near if any(query) else {}, limit))
        return answers

    def similarity(self, model: str, vector: NDArray[np.float32], keys: Keys) -> Scores:
        codes = [self._space().vectors.get((model, int(key))) for key in keys]
        if any(code is not None for code in codes):
            formulas.check_dimensions(model, self._state().models[model], len(vector))
        query = formulas.coded(vector)
        return _floats(0.0 if code is None else round(formulas.cosine(code, query), DECIMALS) for code in codes)

    def vectors(self, model: str, keys: Keys) -> tuple[Vectors, NDArray[np.bool_]]:
        codes = [self._space().vectors.get((model, int(key))) for key in keys]
        rows = np.zeros((len(codes), self._state().models.get(model, 1)), dtype=np.float32)
        for place, code in enumerate(codes):
            if code is not None:
                rows[place] = formulas.decoded(code)
        return rows, _flags(code is not None for code in codes)

    def tokens(self, model: str, keys: Keys) -> list[NDArray[np.int8] | None]:
        codes = [self._space().tokens.get((model, int(key))) for key in keys]
        dimensions = self._state().models.get(model, 1)
        return [
            None if code is None else np.frombuffer(code, dtype=np.int8).reshape(-1, dimensions) for code in codes
        ]

    def page(
        self, condition: Condition | None, order: Order, limit: int, after: Place | None = None
    ) -> list[int]:
        found: dict[tuple[Any, str], int] = {}
        for row in self._space().rows.values():
            value = getattr(row.memory, order.field)
            if isinstance(value, datetime):
                value = round(seconds(value) * 1_000_000)
            if matches(condition, row.memory):
                found[value, row.memory.id] = row.key
        # The place is sorted in among the rows; the page is what follows it.
        places = set(found) if after is None else {*found, (after.value, after.id)}
        valued = sorted((each for each in places if each[0] is not None), reverse=order.descending)
        every = [*valued, *sorted((each for each in places if each[0] is None), reverse=order.descending)]
        if after is not None:
            start = every.index((after.value, after.id))
            every = every[start if after.inclusive else start + 1 :]
        return [found[each] for each in every if each in found][:limit]

    def count(self, condition: Condition | None) -> int:
        return sum(matches(condition, row.memory) for row in self._space().rows.values())

    # -- rows and texts --------------------------------------------------------------------------

    def rows(self, keys: Keys) -> Rows:
        space = self._committed_space()
        rows, every = [space.row(int(key)) for key in keys], list(space.rows.values())
        authors = sorted({row.memory.author for row in every if row.memory.author is not None})
        sessions = sorted({row.memory.session for row in every if row.memory.session is not None})
        shown = {row.memory.author for row in every if row.shown}

        def codes(names: list[str], values: Iterable[str | None]) -> Keys:
            return _integers(-1 if value is None else names.index(value) for value in values)

        return Rows(
            keys=_integers(row.key for row in rows),
            author=codes(authors, (row.memory.author for row in rows)),
            author_names=tuple(name if name in shown else "" for name in authors),
            session=codes(sessions, (row.memory.session for row in rows)),
            position=_integers(-1 if row.memory.position is None else row.memory.position for row in rows),
            words=_integers(row.entry.words for row in rows),
            moment=_floats(row.moment for row in rows),
            recorded=_floats(seconds(row.memory.recorded_at) for row in rows),
            importance=_floats(row.memory.importance for row in rows),
            confidence=_floats(row.memory.confidence for row in rows),
            tier=_integers(TIERS.index(row.memory.tier) for row in rows),
            asks=_flags(row.entry.asks for row in rows),
            times=_flags(row.entry.times for row in rows),
            cues=_integers(row.entry.cues for row in rows),
            status=_integers(STATUSES.index(row.memory.status) for row in rows),
            valid_from=_floats(_end(row.memory.valid_from) for row in rows),
            valid_to=_floats(_end(row.memory.valid_to) for row in rows),
            happened=_floats(_end(row.memory.occurred_from if row.memory.said_at else None) for row in rows),
            happened_to=_floats(_end(row.memory.occurred_to if row.memory.said_at else None) for row in rows),
            gain=_floats(formulas.session_gain(formulas.conversation(every, row), SHAPE_WORDS) for row in rows),
        )

    def _known(self, keys: Iterable[int]) -> list[Memory | None]:
        rows = [self._space().rows.get(int(key)) for key in keys]
        return [None if row is None else row.memory for row in rows]

    def ids(self, keys: Keys) -> list[str]:
        return ["" if memory is None else memory.id for memory in self._known(keys)]

    def accesses(self, keys: Keys) -> Scores:
        return _floats(0 if memory is None else memory.access_count for memory in self._known(keys))

    def memories(self, keys: Iterable[int]) -> list[Memory]:
        return [memory for memory in self._known(keys) if memory is not None]

    def contents(self, keys: Iterable[int]) -> list[str]:
        return ["" if memory is None else memory.content for memory in self._known(keys)]

    def keys_of(self, ids: Sequence[str]) -> dict[str, int]:
        known = {row.memory.id: key for key, row in self._space().rows.items()}
        found = {}
        for wanted in ids:
            starting = [key for each, key in known.items() if each.startswith(wanted)]
            if wanted in known:
                found[wanted] = known[wanted]
            elif len(wanted) >= MIN_PREFIX and len(starting) == 1:
                found[wanted] = starting[0]
        return found

    def neighbours(self, keys: Keys, before: int, after: int) -> list[list[int]]:
        known = self._committed_space().rows
        found: list[list[int]] = []
        for key in map(int, keys):
            turns = formulas.conversation(list(known.values()), known[key]) if key in known else []
            order = [turn.key for turn in turns]
            place = order.index(key) if key in order else 0
            found.append([*order[max(place - before, 0) : place], *order[place + 1 : place + 1 + after]])
        return found

    def profile(self) -> Profile:
        rows = list(self._filtered(Filter()).values())
        return Profile(
            memories=len(rows),
            authors=tuple(sorted({row.memory.author for row in rows if row.memory.author is not None})),
            with_session=sum(row.memory.session is not None for row in rows) / max(len(rows), 1),
        )

    # -- graph -----------------------------------------------------------------------------------

    def links(self, keys: Iterable[int], types: Sequence[str] = ()) -> list[Link]:
        hidden = {key for key, row in self._committed_space().rows.items() if not row.shown}
        wanted = set(map(int, keys))
        return [
            Link(source, target, edge.type, edge.weight, edge.subtype, edge.reason, edge.created_by)
            for source, target, edge in self._edges(types)
            if wanted & {source, target} and not hidden & {source, target}
        ]

    def joined(self, keys: Iterable[int], types: Sequence[str] = ()) -> list[tuple[int, int, str]]:
        return list(dict.fromkeys((each.source, each.target, each.type) for each in self.links(keys, types)))

    def links_to(self, keys: Iterable[int], types: Sequence[str] = ()) -> list[Link]:
        wanted = set(map(int, keys))
        return [link for link in self.links(wanted, types) if link.target in wanted]

    def edges(self, types: Sequence[str] = ()) -> list[Edge]:
        return [edge for _, _, edge in self._edges(types)]

    def _edges(self, types: Sequence[str]) -> list[tuple[int, int, Edge]]:
        edges = [(source, target, edge) for (source, target, *_), edge in self._space().edges.items()]
        edges.sort(key=lambda each: (*each[:2], EDGE_TYPES.index(each[2].type), each[2].subtype))
        return [each for each in edges if not types or each[2].type in types]

    # -- counts, histories, logs -------------------------------------------------------------------

    def _entities(self) -> Counter[str]:
        return Counter(name for row in self._space().rows.values() if row.live for name in row.entities)

    def known_entities(self, candidates: Iterable[str]) -> set[str]:
        named = self._entities()
        return {each for each in candidates if each.casefold() in named}

    def names(self, names: Iterable[str] = (), canonicals: Iterable[str] = ()) -> list[tuple[str, str]]:
        by_name, by_canonical = set(names), set(canonicals)
        stated = {each[:2] for row in self._space().rows.values() if row.teaches for each in row.entry.names}
        return sorted(each for each in stated if each[0] in by_name or each[1] in by_canonical)

    def aliases(self, limit: int) -> list[tuple[str, str, str, int]]:
        stated = [
            (canonical, name, key, origin)
            for key, row in self._space().rows.items()
            for name, canonical, origin in (row.entry.names if row.teaches else ())
            if name != canonical
        ]
        return [(canonical, name, origin, key) for canonical, name, key, origin in sorted(stated)[:limit]]

    def entity_counts(self, limit: int = 20) -> list[tuple[str, int]]:
        return sorted(self._entities().items(), key=lambda each: (-each[1], each[0]))[:limit]

    def kept(self, name: str) -> str:
        return self._space().kept.get(name, "")

    def history(self, key: int) -> list[Version]:
        return list(self._space().versions.get(key, ()))

    def status(self) -> dict[str, Any]:
        space = self._space()
        memories = [row.memory for row in space.rows.values()]
        live = [memory for memory in memories if memory.status in LIVE_STATUSES]
        moments = [row.moment for row in space.rows.values()]
        return {
            "by_status": dict(Counter(memory.status for memory in memories)),
            "by_kind": dict(Counter(memory.kind for memory in live)),
            "by_category": dict(Counter(memory.category for memory in live)),
            "edges": dict(Counter(edge.type for edge in space.edges.values())),
            "vectors": dict(Counter(model for model, _ in space.vectors)),
            "token_vectors": {
                model: {"memories": len(codes), "bytes": sum(map(len, codes))}
                for model in {model for model, _ in space.tokens}
                if (codes := [code for (name, _), code in space.tokens.items() if name == model])
            },
            "operations": len(space.operations),
            "first_moment": moment_at(min(moments)) if moments else None,
            "last_moment": moment_at(max(moments)) if moments else None,
        }

    def log(self, limit: int, *, after: int | None = None) -> list[dict[str, Any]]:
        lines = self._space().operations
        if after is None:
            return lines[::-1][:limit]
        return [each for each in lines if each["number"] > after][:limit]

    def revision(self) -> int:
        return self._space().revision

    def runs(self, limit: int) -> list[Run]:
        return sorted(self._space().runs.values(), key=lambda run: (run.started, run.id), reverse=True)[:limit]

    def changed_by(self, actor: str) -> list[int]:
        histories = sorted(self._space().versions.items())
        return [key for key, versions in histories if any(version.actor == actor for version in versions)]

    def doubts(self) -> list[Doubt]:
        return [doubt for _, doubt in sorted(self._space().doubts.items())]
