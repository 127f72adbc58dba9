"""What speaks for a memory being what a request asks for: identifiers, names, words and meaning."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from combray.engine.namespace import Namespace
from combray.errors import ModelError
from combray.language.folding import fold
from combray.language.lexicon import matcher
from combray.language.requests import Request
from combray.language.tokens import content_terms
from combray.types import Memory

MOST_POSSIBLE = 10
"""Similar memories that a preview shows."""
_COVERED = 0.99
"""Share of the weighted terms of a description that a certain match holds."""
_LEAST_COVERED = 0.3
"""The same for a possible match."""
_ABOVE = 1.0
"""Standard deviations above the mean cosine of the namespace from which a memory is a possible match."""
_LEAST_COSINE = 0.2


@dataclass(slots=True)
class Judged:
    """Keys of certain matches with the reason; keys of possible ones with reason and score, best first."""

    certain: dict[int, str] = field(default_factory=dict)
    possible: dict[int, tuple[str, float]] = field(default_factory=dict)


def judge(space: Namespace, wanted: Request, memories: Mapping[int, Memory]) -> Judged:
    """Sort the memories of a namespace by what a request asks for."""
    judged = Judged()
    texts = {key: " \n ".join(_texts(memory)) for key, memory in memories.items()}
    hints: dict[int, tuple[str, float]] = {}
    spelt = {name: _spellings(space, name) for name in wanted.names}
    for key, text in texts.items():
        if why := _holds(space, wanted, key, text):
            judged.certain[key] = why
        elif hint := _hints(wanted, text):
            hints[key] = (hint, 0.9)
    if not wanted.identifiers:
        _described(wanted, spelt, texts, judged, hints)
    for key, score in _similar(space, wanted, list(memories)).items():
        if key not in judged.certain:
            known = hints.get(key, ("", 0.0))
            hints[key] = (known[0] or "similar in meaning", max(known[1], score))
    best = sorted(hints.items(), key=lambda each: (-each[1][1], memories[each[0]].id))
    judged.possible = dict(each for each in best[:MOST_POSSIBLE] if each[0] not in judged.certain)
    return judged


def _spellings(space: Namespace, name: str) -> tuple[str, ...]:
    """Return the spellings under which a name is known in the namespace."""
    del space
    return (name,)


def _texts(memory: Memory) -> Iterator[str]:
    """Yield every text of a memory that a caller can have put an identifier or a name into."""
    yield from (memory.content, memory.context, memory.slot or "", *memory.tags, *memory.entities)
    yield from _strings(memory.metadata)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple, dict)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _strings(each)
    elif isinstance(value, int) and not isinstance(value, bool):
        yield str(value)


def _holds(space: Namespace, wanted: Request, key: int, text: str) -> str:
    for each in wanted.identifiers:
        if each.held_by(text):
            return f"holds {each.text}"
    if wanted.identifiers:
        for version in space.reader.history(key):
            before = " \n ".join(_strings(version.before))
            if before and any(each.held_by(before) for each in wanted.identifiers):
                return "an earlier version holds the identifier"
    return ""


def _hints(wanted: Request, text: str) -> str:
    return next((f"ends like {each.text}" for each in wanted.identifiers if each.hinted_by(text)), "")


def _described(
    wanted: Request,
    spelt: Mapping[str, tuple[str, ...]],
    texts: Mapping[int, str],
    judged: Judged,
    hints: dict[int, tuple[str, float]],
) -> None:
    """Judge by the names and the words of a description."""
    patterns = [matcher([fold(each) for each in spellings]) for spellings in spelt.values()]
    terms = {key: frozenset(content_terms(text)) for key, text in texts.items()}
    weights = _weights(wanted.terms, terms)
    total = sum(weights.values())
    for key, text in texts.items():
        folded = fold(text)
        named = sum(pattern.search(folded) is not None for pattern in patterns)
        share = sum(weights[each] for each in weights if each in terms[key]) / total if total else 1.0
        whole_name = named == len(patterns)
        if whole_name and share >= _COVERED:
            judged.certain[key] = f"names {wanted.names[0]}" if wanted.names else f"says {wanted.topic}"
        elif named or (share >= _LEAST_COVERED and wanted.terms):
            hints[key] = ("names it" if named else "shares its words", 0.5 + 0.4 * share)
        elif patterns and _shares_a_word(wanted, folded):
            hints[key] = ("shares a part of the name", 0.4)


def _shares_a_word(wanted: Request, folded: str) -> bool:
    parts = [part for name in wanted.names for part in fold(name).split() if len(part) > 2]
    return len(parts) > len(wanted.names) and matcher(parts).search(folded) is not None


def _weights(wanted: tuple[str, ...], terms: Mapping[int, frozenset[str]]) -> dict[str, float]:
    """Return inverse document frequencies of the terms of a description."""
    n = len(terms)
    return {each: math.log(1 + n / (1 + sum(each in held for held in terms.values()))) for each in wanted}


def _similar(space: Namespace, wanted: Request, keys: list[int]) -> dict[int, float]:
    """Return cosines of the memories that stand out from the namespace; nothing without an embedder."""
    embedder = space.runtime.embedder
    if embedder is None or not keys:
        return {}
    try:
        vector = embedder.embed([wanted.topic])[0]
    except ModelError:
        return {}
    cosines = space.reader.similarity(embedder.name, vector, np.array(keys, dtype=np.int64))
    least = max(_LEAST_COSINE, float(cosines.mean() + _ABOVE * cosines.std()))
    return {key: float(cosine) for key, cosine in zip(keys, cosines, strict=True) if cosine >= least}
