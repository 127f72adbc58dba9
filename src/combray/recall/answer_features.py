"""What speaks for a hit as an answer: how the question's words, names, vector and kinds of answer meet the hit's.

Columns are in [-1, 1]. `FEATURES` of a hit, and `WHOLE` of the answer as a whole, are what `scoring/answers.json`
weighs (decision 27).
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from combray.errors import ModelError
from combray.language.answer_kinds import AnswerKind, asked_kinds, voice
from combray.language.asked_words import AskedWord, asked_words
from combray.language.caches import keyed_by_text
from combray.language.dates.direction import is_ahead
from combray.language.families import conflict, exclusive_words, families, families_of
from combray.language.folding import is_unspaced, runs
from combray.language.scripts import language
from combray.language.text import candidate_of, fold_of, fold_words, question_of
from combray.language.tokens import all_terms, split, terms
from combray.recall.state import Recalling
from combray.runtime import Rows, Runtime
from combray.scoring.alignment import aligned_words

Table = NDArray[np.float64]

FEATURES = (
    "exact", "soft", "least", "central", "rest", "covered", "names", "named", "lacks", "may lack", "typed",
    "joint", "self", "focus", "conflict", "stranger", "aside", "own", "window", "keywords", "ratio",
)  # fmt: skip
"""Of a hit. exact: share of the question's words that it holds; soft, least, central: by the nearest word, mean,
lowest, and mean weighted by cosine with the question; rest: central without the words that ask for a kind;
covered: share of words that it meets; names: share of the question's names; named, typed: the question holds a
name, asks for a kind; lacks, may lack: a kind is asked for and the hit holds none (`AnswerKind.open` for the
second); joint: topic and kind in one; self: "I" in both; focus: the noun behind "which" is not met; conflict:
"July" where the question has "June"; stranger: said by somebody else than the question is about, who is not
named; aside: another hit holds more of the question's names; own, window, keywords: cosine, and cosine and
keywords with the turns around; ratio: share of the best score."""
GLOBAL = (
    "confidence", "margin", "store", "known", "named", "typed", "words", "missing", "lacking", "unheld",
    "unnamed", "owner", "self", "some", "method", "top own", "top central", "top covered", "top keywords",
)  # fmt: skip
"""Of an answer: confidence (`Abstain`), also as a share of the doubtful one; store: its size; known: how well the
embedder knows the language; words: how many the question has, in Chinese half of its characters and pairs;
missing: share that no hit meets; lacking: no first hit holds the kind; unheld: no hit with a name of the question
does; unnamed: no hit holds a name of the question; owner to method: `Voice`; top: the highest of all hits."""
BEST = ("rest", "joint", "lacks", "may lack", "conflict", "focus", "own", "names", "least", "aside")
"""Features of the hit with the highest log-odds that count for the answer."""
WHOLE = ("hit", *GLOBAL, *(f"best {name}" for name in BEST))
"""Of an answer: log-odds of its best hit, `GLOBAL`, `BEST`."""
MATCHED = 0.45
"""Match of two words from which one is met: "salary" and "pay" have a cosine of 0.57, unrelated ones to 0.3."""
COVERED = 0.5
FAMILY = 0.75
"""Match of two words of one family, or of one and a compound of it."""
_LISTED = 5
_READ = 1200
"""Characters of a hit that are read."""
_LARGEST = 7.0
"""ln of the number of memories from which a store counts as large: about 1,100."""
_LONG = 8
_SLIGHT = 0.05
_DECIMALS = 6
_KEPT = 2048
_COMPOUND, _LONGER = 4, 3
"""Letters of a word that ends or starts a German compound, and how much longer that is."""


class _Read(NamedTuple):
    """What is read from a text once: its index terms, their families, its words."""

    terms: frozenset[str]
    families: frozenset[int]
    words: tuple[str, ...]


@keyed_by_text
@functools.lru_cache(maxsize=_KEPT)
def _read(text: str) -> _Read:
    read = candidate_of(text)
    held = frozenset(all_terms(read))
    return _Read(held, families_of(held), split(read).words)


@keyed_by_text
@functools.lru_cache(maxsize=_KEPT)
def _about_self(text: str) -> bool:
    said = voice(text)
    return said.own or said.self


class AnswerEvidence(msgspec.Struct, frozen=True):
    """What speaks for the hits and the answer, shapes (hits, FEATURES) and (GLOBAL,).

    `unmet`: words that no hit meets; `kind`: the kind of answer that is asked for, if none of the first holds it
    or, with `unheld`, none of those that hold a name of the question.
    """

    hits: Table
    whole: Table
    met: Table
    """How well each hit meets each word of the question, shape (words, hits)."""
    unmet: tuple[str, ...]
    kind: AnswerKind | None
    unheld: bool
    turns: bool
    """Whether the first hit is a turn of a conversation with short turns."""

    def taken(self, order: NDArray[np.int64]) -> AnswerEvidence:
        """Return the evidence with the hits in another order."""
        return msgspec.structs.replace(self, hits=self.hits[order], met=self.met[:, order])

    def adds(self, best: int) -> NDArray[np.bool_]:
        """Return which hits meet a word that a hit does not: they may answer another part of the question."""
        found: NDArray[np.bool_] = np.any((self.met >= FAMILY) & (self.met[:, [best]] < MATCHED), axis=0)
        return found

    def answer(self, odds: Table) -> Table:
        """Return the row of `WHOLE`, given the log-odds of the hits."""
        best = self.hits[int(np.argmax(odds))]
        return np.concatenate(([min(max(float(odds.max()), -_CAP), _CAP) / _SCALE], self.whole, best[_BEST]))


_BEST = [FEATURES.index(name) for name in BEST]
_CAP, _SCALE = 12.0, 5.0
SHORT_TURNS = 0.5
"""Gain of the first hit's session from which its turns are short, and so its neighbours answer with it."""


def evidence(state: Recalling, runtime: Runtime, most: int) -> AnswerEvidence:
    """Return what speaks for the first `most` of the sorted candidates; there must be one."""
    keys = state.keys[:most]
    texts = [text[:_READ] for text in state.contents(keys.tolist())]
    reads = [_read(text) for text in texts]
    bare = state.query if state.question is None or not state.question.bare.strip() else state.question.bare
    every = asked_words(bare)
    about = [each for each in every if not each.name]
    names = [each for each in every if each.name]
    hits = np.zeros((len(keys), len(FEATURES)))
    columns = {name: hits[:, place] for place, name in enumerate(FEATURES)}
    kinds = asked_kinds(state.query)
    lacking = _kinds_met(columns, kinds, texts, state)
    # What an idiom means asks for the kind too: "for a living", a job.
    phrases = [*kinds.values(), *(asked_kinds(bare).values() if kinds and bare != state.query else ())]
    asking = {word for _, words in phrases for word in _asking(words)}
    soft = _words_met(columns, about, reads, asking, state, runtime)
    _names_met(columns, names, reads, texts, state)
    _vectors_met(columns, state)
    columns["named"][:], columns["typed"][:] = bool(names), bool(kinds)
    rest = sum(each.word not in asking for each in about)
    topic = columns["soft"]
    if rest or names:
        topic = (columns["rest"] * rest + columns["names"] * len(names)) / (rest + len(names))
    columns["joint"][:] = topic * (1.0 - columns["lacks"]) * (1.0 - 0.5 * columns["may lack"])
    said = voice(state.query)
    mine = said.own or said.self
    columns["self"][:] = [float(_about_self(text)) for text in texts] if mine else 0.5
    asked = exclusive_words(state.query)
    if asked:
        columns["conflict"][:] = [conflict(asked, exclusive_words(text)) for text in texts]
    best_of = soft.max(axis=1, initial=0.0).tolist()
    unmet = tuple(each.word for each, best in zip(about, best_of, strict=True) if best < MATCHED)
    closed = any(not each.open for each, _ in kinds.values())
    whole = (
        state.confidence,
        min(2.0, state.confidence / max(state.doubtful, 1e-6)) / 2.0,
        math.log(max(1, 1 if state.found is None else state.found.eligible)) / _LARGEST,
        state.trust,
        float(bool(names)),
        float(bool(kinds)),
        min(len(about) / (2 if is_unspaced(state.query) else 1), _LONG) / _LONG,
        len(unmet) / len(about) if about else 0.0,
        float(columns["lacks"][:_LISTED].min()),
        float(columns["lacks"][columns["names"] > 0 if names else slice(None)].min(initial=1.0)) * float(closed),
        float(bool(names) and columns["names"].max() == 0.0),
        *map(float, said),
        *(float(columns[name].max()) for name in ("own", "central", "covered", "keywords")),
    )
    about_names = columns["names"] > 0
    # A memory may call what the question names by another name.
    unheld = not state.named and bool(about_names.any()) and any(lacks[about_names].all() for _, lacks in lacking)
    among = about_names if unheld else np.arange(len(keys)) < _LISTED
    kind = next((each for each, lacks in lacking if lacks[among].all()), None)
    rows = state.columns()
    return AnswerEvidence(hits, np.array(whole), soft, unmet, kind, unheld, in_conversation(rows))


DATED = frozenset(("time", "date", "year"))
"""Kinds that the day on which a memory happened is one of."""


def dated_notes(state: Recalling, most: int) -> NDArray[np.bool_]:
    """Return which of the first candidates say when by the day on which they happened, whatever their text says.

    These are notes whose time somebody stated (imported with a date, or a file named after one) and which hold
    every word that the question asks about. Turns are read elsewhere. Of what lies ahead ("when is my
    appointment") the day on which something was noted says nothing.
    """
    happened = np.zeros(len(state.keys[:most]), dtype=np.bool_)
    asking = {word for _, words in asked_kinds(state.query).values() for word in _asking(words)}
    wanted = {each.term for each in asked_words(state.query) if each.word not in asking}
    if not wanted or is_ahead(state.query, (0, 0)):
        return happened
    for place, memory in enumerate(state.reader.memories(state.keys[:most].tolist())):
        stated = memory.session is None and memory.occurred_from is not None
        happened[place] = stated and wanted <= _read(memory.content[:_READ]).terms
    return happened


def in_conversation(rows: Rows) -> bool:
    """Return whether the first hit is a turn of a conversation with short turns; there must be a hit."""
    return bool(rows.session[0] >= 0 and rows.gain[0] >= SHORT_TURNS)


def _asking(words: str) -> Sequence[str]:
    """Return the words that ask for a kind: all of a short phrase, the ends of a long one."""
    listed = runs(words)
    return listed if len(listed) <= _PHRASE else (*listed[:2], listed[-1])


_PHRASE = 3


def _words_met(
    columns: dict[str, Table],
    about: Sequence[AskedWord],
    reads: Sequence[_Read],
    asking: set[str],
    state: Recalling,
    runtime: Runtime,
) -> Table:
    """Fill the columns of words, and return how well each hit meets each word: shape (words, hits)."""
    if not about:
        columns["rest"][:] = 1.0
        return np.zeros((0, len(reads)))
    exact = np.array([[word.term in each.terms for each in reads] for word in about], dtype=np.float64)
    table, weight = exact.copy(), np.ones(len(about))
    if runtime.words is not None:
        try:
            # The words of the question among those of the hits: new ones are encoded at once.
            asked_for = tuple([each.word for each in about])
            (most, *sizes), vectors = runtime.words.of_texts([asked_for, *[each.words for each in reads]])
            known, _ = runtime.words.rows(asked_for)
            own, vectors = vectors[:most], vectors[most:]
        except ModelError:
            # The embedder's failure was reported where the question was embedded.
            known = np.zeros(len(about), dtype=np.bool_)
        if known.any():
            table[known] = np.maximum(table[known], aligned_words(own, vectors, sizes))
            if state.vector is not None and own.shape[1:] == state.vector.shape:
                # A word that moves the question's vector little says little: "thing", "use".
                weight = np.full(len(about), _SLIGHT)
                weight[known] = np.maximum(own @ state.vector, _SLIGHT)
    _families_met(table, about, reads, language(state.query) == "de")
    asked = [place for place, word in enumerate(about) if word.word in asking]
    if asked:
        held = 1.0 - np.maximum(columns["lacks"], columns["may lack"])
        table[asked] = np.maximum(table[asked], FAMILY * held)
    table = table.round(_DECIMALS)
    count = len(about)
    columns["exact"][:] = np.add.reduce(exact, axis=0) / count
    columns["soft"][:] = np.add.reduce(table, axis=0) / count
    columns["least"][:] = np.minimum.reduce(table, axis=0)
    columns["central"][:] = weight / weight.sum() @ table
    columns["covered"][:] = np.add.reduce(table >= COVERED, axis=0) / count
    if not asked:
        columns["rest"][:] = columns["central"]
    else:
        rest = [place for place in range(count) if place not in asked]
        columns["rest"][:] = weight[rest] / weight[rest].sum() @ table[rest] if rest else 1.0
    focus = _focus(state.query, about, asking)
    if focus is not None:
        columns["focus"][:] = 1.0 - table[focus]
    return table


def _families_met(table: Table, about: Sequence[AskedWord], reads: Sequence[_Read], compounds: bool) -> None:
    """Raise the matches of words that a hit meets by a word of their family or by a compound."""
    for place, word in enumerate(about):
        kin = families(word.term)
        if kin or compounds:
            met = [
                not kin.isdisjoint(each.families) or (compounds and _in_compound(word.term, each.terms))
                for each in reads
            ]
            table[place, met] = np.maximum(table[place, met], FAMILY)


def _focus(question: str, about: Sequence[AskedWord], asking: set[str]) -> int | None:
    """Return the place of the noun behind "which", if it asks for no kind."""
    listed = runs(fold_of(question_of(question)))
    behind = {after for before, after in itertools.pairwise(listed) if before in _WHICH} - asking
    return next((place for place, each in enumerate(about) if each.word in behind), None)


_WHICH = frozenset(("what", "which", "many", "much", "whose", "of"))


def _in_compound(term: str, held: frozenset[str]) -> bool:
    least = len(term) + _LONGER
    return len(term) >= _COMPOUND and any(
        len(each) >= least and (each.startswith(term) or each.endswith(term)) for each in held
    )


def _names_met(
    columns: dict[str, Table],
    names: Sequence[AskedWord],
    reads: Sequence[_Read],
    texts: Sequence[str],
    state: Recalling,
) -> None:
    rows = state.columns()
    author = rows.author[: len(reads)]
    if names:
        said_by = [set(terms(rows.author_names[code])) if code >= 0 else set() for code in author]
        columns["names"][:] = [
            sum(each.term in read.terms or each.term in by for each in names) / len(names)
            for read, by in zip(reads, said_by, strict=True)
        ]
        columns["aside"][:] = columns["names"].max() - columns["names"]
    subject = None if state.question is None else state.question.subject
    if subject is not None and subject in rows.author_names:
        folded = subject.casefold()
        told = np.array([folded in text.casefold() for text in texts])
        # A text without an author was not said by somebody else.
        columns["stranger"][:] = (author != rows.author_names.index(subject)) & (author >= 0) & ~told


def _vectors_met(columns: dict[str, Table], state: Recalling) -> None:
    count = len(columns["own"])
    if len(state.scores):
        columns["ratio"][:] = np.minimum(
            np.maximum(state.scores[:count] / max(float(state.scores[0]), 1e-9), 0.0), 1.0
        )
    found = state.found
    if found is None or not len(found.keys):
        return
    keys = state.keys[:count]
    places = np.minimum(np.searchsorted(found.keys, keys), len(found.keys) - 1)
    known = found.keys[places] == keys
    for name, column in (("own", "own"), ("window", "window"), ("context", "keywords")):
        if name in found.scores:
            columns[column][:] = np.where(known, found.scores[name][places], 0.0)


def _kinds_met(
    columns: dict[str, Table], kinds: dict[str, tuple[AnswerKind, str]], texts: Sequence[str], state: Recalling
) -> list[tuple[AnswerKind, Table]]:
    """Fill the columns of kinds, and return which hits lack each kind that is not open."""
    found: list[tuple[AnswerKind, Table]] = []
    if not kinds:
        return found
    asked = fold_words(question_of(state.query))
    happened = dated_notes(state, len(texts)) if any(kind.name in DATED for kind, _ in kinds.values()) else None
    for kind, _ in kinds.values():
        lacks = np.array([not kind.held(text, asked) for text in texts], dtype=np.float64)
        if happened is not None and kind.name in DATED:
            lacks[happened] = 0.0
        column = columns["may lack" if kind.open else "lacks"]
        np.maximum(column, lacks, out=column)
        if not kind.open:
            found.append((kind, lacks))
    return found
