"""Distillation: facts that a language model finds in the episodes since the last run.

Source: docs/explanation/consolidation.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Literal

import msgspec
import numpy as np

from combray.consolidate.candidates import USER, Episode, FactCandidate, KnownFacts
from combray.consolidate.distil_model import facts_by_model
from combray.consolidate.evidence import independent, origin
from combray.consolidate.runs import by_key
from combray.consolidate.state import FRESH, Planning
from combray.consolidate.steps import Distil, Support
from combray.errors import ModelError
from combray.language.entities import extract, names
from combray.language.indexing import with_hash
from combray.language.savings import is_agent
from combray.language.scopes import scope_set, scopes_of
from combray.records import dataclass
from combray.runtime import Arrival, Filter, Reader, Runtime, Vectors
from combray.scoring.confidence import grown
from combray.scoring.density import available, density_clusters
from combray.scoring.leaders import clusters_by_leader
from combray.types import TRUSTS, Memory
from combray.values import new_id

Method = Literal["auto", "density", "leaders"]


def clusters(vectors: Vectors, method: Method, *, least: int, similar_from: float) -> list[list[int]]:
    """Return groups of at least `least` row numbers, each ascending. Other rows are in no group.

    "auto" is "density" if its extra is installed. Leaders are the rows with the most neighbours (cosine of at
    least `similar_from`); ties go to the first.
    """
    if method == "density" or (method == "auto" and available()):
        return density_clusters(vectors, least)
    near = [np.flatnonzero(vectors @ row >= similar_from) for row in vectors]
    order = sorted(range(len(near)), key=lambda place: (-len(near[place]), place))
    rank = {place: at for at, place in enumerate(order)}
    found = clusters_by_leader(
        len(order), lambda at: (rank[place] for place in near[order[at]].tolist()), lambda _, __: True
    )
    groups = [sorted(order[at] for at in group) for group in found]
    return sorted(group for group in groups if len(group) >= least)


SOURCE = "consolidation"
_ALL_RUNS = 10_000_000


@dataclass(frozen=True)
class DistilFacts:
    """Extracts facts from episodes that no run has read. Without a language model it does nothing.

    The model reads up to `model_episodes` episodes in one call (one for each scope), the largest clusters first.
    Of more episodes the rest is not read later; the run reports how many. A failed call is repeated by the next
    run. The evidence of a fact is the episodes that state it. One episode gives a confidence of `alone`, two give
    `shared`, and each further one adds to it (`scoring/confidence.py`). A known fact gets evidence instead of a
    duplicate. A run makes at most `most` facts; the next run continues.
    """

    needs = ("facts",)
    leaves_process = True
    most: int = 200
    most_episodes: int = 5000
    trusts: tuple[str, ...] = ("owner", "agent")
    clustering: Method = "auto"
    cluster_least: int = 3
    cluster_from: float = 0.6
    alone: float = 0.65
    shared: float = 0.7
    model_episodes: int = 50

    def __call__(self, state: Planning, runtime: Runtime) -> Planning:
        reader = runtime.store.reader(state.namespace)
        state.seen = max((run.seen for run in reader.runs(_ALL_RUNS)), default=0)
        if runtime.language_model is None or state.weight >= state.most:
            return state
        # Trusted episodes after the last one read, in the order of writing.
        keys = reader.scan(Filter(kinds=("episode",), trusts=self.trusts))
        fresh = np.sort(keys[keys > state.seen])[: self.most_episodes].tolist()
        episodes = [Episode(key, episode) for key, episode in by_key(reader, fresh).items()]
        if not episodes:
            return state
        chosen = self._chosen(reader, state, episodes)
        candidates: list[FactCandidate] = []
        try:
            # A model sees one scope at a time: a fact never rests on episodes of two.
            for scope in dict.fromkeys(scope_set(each.episode.tags) for each in chosen):
                inside = [each for each in chosen if scope_set(each.episode.tags) == scope]
                candidates += facts_by_model(runtime.language_model, inside, state.now)
        except (ModelError, msgspec.MsgspecError) as error:
            state.degraded.append(f"no facts from the language model ({error}); the next run asks again")
            return state
        state.seen = episodes[-1].key
        said = sum(not is_agent(each.episode.author or "") for each in episodes)
        if said > len(chosen):
            state.degraded.append(f"the language model read {len(chosen)} of {said} new episodes")
        self._plan(state, runtime, reader, sorted(candidates, key=lambda each: each.first.key))
        return state

    def _chosen(self, reader: Reader, state: Planning, episodes: Sequence[Episode]) -> list[Episode]:
        """Return the episodes that the model reads, in order: whole clusters first, then the others."""
        groups = self._clustered(reader, state, episodes)
        wanted = {each.key: each for each in (*(each for group in groups for each in group), *episodes)}
        said = [each for each in wanted.values() if not is_agent(each.episode.author or "")]
        return sorted(said[: self.model_episodes], key=lambda each: each.key)

    def _clustered(self, reader: Reader, state: Planning, episodes: Sequence[Episode]) -> list[list[Episode]]:
        """Return clusters of similar episodes, the largest first."""
        if not state.model:
            return []
        vectors, has = reader.vectors(state.model, np.array([each.key for each in episodes], dtype=np.int64))
        there = [each for each, has_one in zip(episodes, has, strict=True) if has_one]
        found = clusters(vectors[has], self.clustering, least=self.cluster_least, similar_from=self.cluster_from)
        groups = [[there[place] for place in group] for group in found]
        return sorted(groups, key=lambda group: (-len(group), group[0].key))

    def _plan(
        self, state: Planning, runtime: Runtime, reader: Reader, candidates: Sequence[FactCandidate]
    ) -> None:
        vectors: Sequence[np.ndarray | None] = [None] * len(candidates)
        if runtime.embedder is not None and candidates:
            try:
                vectors = list(runtime.embedder.embed([each.text for each in candidates]))
            except ModelError as error:
                state.degraded.append(f"new facts have no vectors ({error}); words are compared")
        known = KnownFacts(state, reader)
        made = 0
        for place, (candidate, vector) in enumerate(zip(candidates, vectors, strict=True)):
            key = known.find(candidate, vector)
            if key is not None:
                evidence = state.facts[key].evidence
                said = [(each.key, each.episode) for each in candidate.said if each.episode.id not in evidence]
                new = independent(state.facts[key], said, reader)
                if new and key < FRESH:
                    step = Support(key, tuple(each for each, _ in new), candidate.latest.timestamp())
                    state.take(step, "said again", {each: episode.id for each, episode in new})
                continue
            if known.is_hidden(candidate):
                continue
            new_key, count = FRESH + made, len(candidate.said)
            fact = state.facts[new_key] = self._fact(state, candidate)
            detail = f"said in {count} episode{'s' if count > 1 else ''}, confidence {fact.confidence:.2f}"
            if made >= self.most or not state.take(Distil(new_key), detail):
                del state.facts[new_key]
                state.skipped += len(candidates) - place
                state.seen = candidate.first.key - 1
                return
            state.fresh[new_key] = Arrival(fact, {} if vector is None else {state.model: vector})
            known.add(new_key, fact)
            made += 1

    def _fact(self, state: Planning, candidate: FactCandidate) -> Memory:
        """Return the fact as it is stored: hidden until its plan is applied."""
        now = datetime.fromtimestamp(state.now, UTC)
        evidence = tuple(each.episode.id for each in candidate.said)
        support = len({origin(each.episode) for each in candidate.said})
        trust = max((each.episode.trust for each in candidate.said), key=TRUSTS.index)
        subject = [candidate.subject] if candidate.subject != USER else []
        found = [*subject, *extract(candidate.text), *names(candidate.text)]
        by_fold = {name.casefold(): name for name in reversed(found)}
        slot = {name: getattr(candidate, name) for name in ("subject", "attribute", "value", "single")}
        fact = Memory(
            id=new_id(now),
            namespace=state.namespace,
            content=candidate.text,
            category="fact",
            confidence=self.alone if support == 1 else grown(self.shared, support - 2),
            status="forgotten",
            tags=scopes_of(candidate.first.episode.tags),
            entities=tuple(reversed(by_fold.values())),
            source=SOURCE,
            trust=trust,
            recorded_at=now,
            occurred_from=candidate.begins,
            valid_from=candidate.begins,
            evidence=evidence,
            # Erasing one of the episodes erases the fact.
            metadata={name: given for name, given in slot.items() if given} | {"distilled_from": list(evidence)},
        )
        return with_hash(fact)
