"""What speaks for a hit as an answer: how the question's words, vector and kind of answer meet the hit's.

Columns are in [0, 1]. `FEATURES` of a hit, and `WHOLE` of the answer as a whole, are what `scoring/answers.json`
weighs (decision 27).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from combray.errors import ModelError
from combray.language.answer_kinds import AnswerKind, asked_kind
from combray.language.asked_words import AskedWord, asked_words
from combray.language.cues import Cue, asked
from combray.language.text import passing
from combray.language.tokens import all_terms, split, terms
from combray.recall.state import Recalling
from combray.runtime import Runtime
from combray.scoring.alignment import aligned_words

Table = NDArray[np.float64]

FEATURES = (
    "exact", "soft", "least", "central", "names", "stranger", "own", "rise", "window", "keywords", "ratio",
    "number", "reason", "place", "person", "title", "when", "kind",
)  # fmt: skip
"""Of a hit. exact, soft, least, central: words of the question that it holds, as the share, and by the nearest
word: mean, lowest, and mean weighted by cosine with the question; names: share of the question's names; stranger:
said by somebody else than the question is about, who is not named; own, rise, window, keywords: cosine, how far
it is above the store's, cosine and keywords with the turns around; ratio: share of the best score; number to
kind: that kind of answer is asked for and the hit holds none."""
_MET, _KIND = FEATURES.index("ratio"), FEATURES.index("kind")
WHOLE = (
    "confidence", "store", "known", "named", "typed", "session", "missing", "no kind",
    *(f"{how} {name}" for how in ("first", "best") for name in FEATURES[:_MET]),
    *(f"{how} {name}" for how in ("first", "least") for name in FEATURES[_MET + 1 :]),
)  # fmt: skip
"""Of an answer: confidence (`Abstain`); store: its size; known: how well the embedder knows the language; named,
typed: the question holds a name, asks for a kind of answer; session: the first hit is a turn of a conversation;
missing: share of words that no hit meets; no kind: none of the first hits holds the kind; a feature of the first
hit, the best of all hits, and the least of the first `NEAREST`."""
MATCHED = 0.35
"""Cosine of two words from which one meets the other: "salary" and "pay" have 0.57, unrelated words up to 0.3."""
NEAREST = 3
_LISTED = 5
_READ = 1200
"""Characters of a hit that are read."""
_KINDS = (Cue.NUMBER, Cue.REASON, Cue.PLACE, Cue.PERSON, Cue.TITLE)
_LARGEST = 7.0
"""ln of the number of memories from which a store counts as large: about 1,100."""


@dataclass(frozen=True)
class Evidence:
    """What speaks for the hits and the answer, shapes (hits, FEATURES) and (WHOLE,).

    `unmet`: words that no hit meets; `kind`: the kind of answer that is asked for, if none of the first holds it.
    """

    hits: Table
    whole: Table
    unmet: tuple[str, ...]
    kind: AnswerKind | None


def evidence(state: Recalling, runtime: Runtime, most: int) -> Evidence:
    """Return what speaks for the first `most` of the sorted candidates; there must be one."""
    keys = state.keys[:most]
    texts = [text[:_READ] for text in state.reader.contents(keys.tolist())]
    bare = state.query if state.question is None or not state.question.bare.strip() else state.question.bare
    every = asked_words(bare)
    about = [each for each in every if not each.name]
    names = [each for each in every if each.name]
    hits = np.zeros((len(keys), len(FEATURES)))
    columns = {name: hits[:, place] for place, name in enumerate(FEATURES)}
    soft = _words_met(columns, about, texts, state, runtime)
    _names_met(columns, names, texts, state)
    _vectors_met(columns, state)
    kind = asked_kind(state.query)
    typed = _kinds_met(columns, kind, texts, state)
    best_of = soft.max(axis=1, initial=0.0)
    rows = state.columns()
    no_kind = kind is not None and hits[:_LISTED, _KIND].min() > 0
    whole = (
        state.confidence,
        math.log(max(1, 1 if state.found is None else state.found.eligible)) / _LARGEST,
        state.trust,
        float(bool(names)),
        float(typed),
        float(rows.session[0] >= 0) * float(rows.gain[0]),
        float((best_of < MATCHED).mean()) if len(best_of) else 0.0,
        float(no_kind),
    )
    met, lacked = hits[:, :_MET], hits[:, _MET + 1 :]
    parts = (whole, met[0], met.max(axis=0), lacked[0], lacked[:NEAREST].min(axis=0))
    unmet = tuple(each.word for each, best in zip(about, best_of, strict=True) if best < MATCHED)
    return Evidence(hits, np.concatenate(parts), unmet, kind if no_kind else None)


def _words_met(
    columns: dict[str, Table],
    about: Sequence[AskedWord],
    texts: Sequence[str],
    state: Recalling,
    runtime: Runtime,
) -> Table:
    """Fill the columns of words, and return how well each hit meets each word: shape (words, hits)."""
    # Split once for stems and words.
    reads = [passing(text) for text in texts]
    stems = [set(all_terms(each)) for each in reads]
    exact = np.array([[float(word.term in held) for held in stems] for word in about]).reshape(
        len(about), len(texts)
    )
    if not about:
        return exact
    soft, weight = exact, np.ones(len(about))
    if runtime.words is not None:
        held = [split(each).words for each in reads]
        try:
            counts, vectors = runtime.words.rows([word for each in held for word in each])
            known, own = runtime.words.rows([each.word for each in about])
        except ModelError:
            # The embedder's failure was reported where the question was embedded.
            return exact
        ends = np.cumsum([len(each) for each in held])
        sizes = np.diff(np.concatenate(([0], np.concatenate(([0], np.cumsum(counts)))[ends])))
        soft = exact.copy()
        soft[known] = np.maximum(exact[known], aligned_words(own, vectors, sizes.tolist()))
        if state.vector is not None and own.shape[1:] == state.vector.shape:
            # A word that moves the question's vector little says little: "thing", "use".
            weight = np.full(len(about), _SLIGHT)
            weight[known] = np.maximum(own @ state.vector, _SLIGHT)
    columns["exact"][:] = exact.mean(axis=0)
    columns["soft"][:] = soft.mean(axis=0)
    columns["least"][:] = soft.min(axis=0)
    columns["central"][:] = weight / weight.sum() @ soft
    return np.round(soft, _DECIMALS)


_SLIGHT = 0.05
_DECIMALS = 6


def _names_met(
    columns: dict[str, Table], names: Sequence[AskedWord], texts: Sequence[str], state: Recalling
) -> None:
    rows = state.columns()
    author = rows.author[: len(texts)]
    if names:
        said_by = [rows.author_names[code] if code >= 0 else "" for code in author]
        held = [{*terms(text), *terms(name)} for text, name in zip(texts, said_by, strict=True)]
        columns["names"][:] = [sum(each.term in some for each in names) / len(names) for some in held]
    subject = None if state.question is None else state.question.subject
    if subject is not None and subject in rows.author_names:
        folded = subject.casefold()
        told = np.array([folded in text.casefold() for text in texts])
        # A text without an author was not said by somebody else.
        columns["stranger"][:] = (author != rows.author_names.index(subject)) & (author >= 0) & ~told


def _vectors_met(columns: dict[str, Table], state: Recalling) -> None:
    count = len(columns["own"])
    if len(state.scores):
        columns["ratio"][:] = np.clip(state.scores[:count] / max(float(state.scores[0]), 1e-9), 0.0, 1.0)
    found = state.found
    if found is None or not len(found.keys):
        return
    keys = state.keys[:count]
    places = np.minimum(np.searchsorted(found.keys, keys), len(found.keys) - 1)
    known = found.keys[places] == keys
    for name, column in (("own", "own"), ("window", "window"), ("context", "keywords")):
        if name in found.scores:
            columns[column][:] = np.where(known, found.scores[name][places], 0.0)
    if "own" in found.scores:
        every = found.scores["own"]
        rise = (columns["own"] - every.mean()) / (every.std() + _SLIGHT)
        columns["rise"][:] = np.clip(rise, -1.0, 6.0) / 6.0


def _kinds_met(
    columns: dict[str, Table], closed: AnswerKind | None, texts: Sequence[str], state: Recalling
) -> bool:
    """Fill the columns of kinds of answers, and return whether a coarse kind is asked for."""
    rows, count = state.columns(), len(texts)
    kind = asked(state.query)
    for cue in _KINDS:
        if kind is cue:
            columns[str(cue.name).lower()][:] = (rows.cues[:count] & cue.value) == 0
    if state.question is not None and state.question.asks_date:
        columns["when"][:] = ~rows.times[:count]
    if closed is not None:
        columns["kind"][:] = [not closed.held(text) for text in texts]
    return kind is not None
