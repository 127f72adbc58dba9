"""Pairs of statements with what is true of them: our own by rules, and Breaking NLI.

Relations: "duplicate" (the same said again), "detail" (the same and more), "update" (a new value of a
property that has one), "contradiction" (both cannot be true), "other" (both can be true).
"""

from __future__ import annotations

import json
import re
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.quality.sets import QuestionSet

STATEMENTS = Path(__file__).with_name("statements.jsonl")
AUTHORS = {each.stem: each for each in sorted(Path(__file__).with_name("authors").glob("*.jsonl"))}
"""Pairs by authors who had not seen the code, by the author's letter."""
NEGATIONS = Path(__file__).with_name("negations.tsv")
RELATIONS = ("duplicate", "detail", "update", "contradiction", "other")
_NLI = {"contradiction": "contradiction", "entailment": "duplicate", "neutral": "other"}
_AUTHORS = {"paraphrase": "duplicate", "duplicate": "duplicate", "contradiction": "contradiction"}
_AUXILIARY = re.compile(r"\b(is|are|was|were|can|could|will|would|should|has|have|had)\b(?! not|n't)")
_NUMBER = re.compile(r"(?<![\d.,:/-])\d{1,4}(?![\d.,:/-]\d)")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True, slots=True)
class Pair:
    """An old and a new statement, their relation, and the rule or category they come from."""

    old: str
    new: str
    relation: str
    kind: str

    @property
    def source(self) -> str:
        """Where it is from: "statements", "negated", "sentences", "nli" or "author" and a letter."""
        origin, marked, _ = self.kind.partition(":")
        return origin if marked else "statements"


def statement_pairs(path: Path = STATEMENTS) -> Iterator[Pair]:
    """Eight pairs from each of our statements, by the rules named in `kind`."""
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    texts = [f"{each['subject']} {each['verb']} {each['value']}." for each in records]
    for place, (each, old) in enumerate(zip(records, texts, strict=True)):
        subject, verb, value, changed = (each[name] for name in ("subject", "verb", "value", "changed"))
        number = any(char.isdigit() for char in changed)
        yield Pair(old, old.rstrip(".").lower(), "duplicate", "spelling")
        yield Pair(old, f"{each['paraphrase']}.", "duplicate", "paraphrase")
        yield Pair(old, f"{old.rstrip('.')} {each['detail']}.", "detail", "added detail")
        kind = "changed number" if number else "changed name"
        yield Pair(old, f"{subject} {verb} {changed}.", "update", kind)
        yield Pair(old, f"{each['reworded']}.", "update", "reworded update")
        yield Pair(old, f"{subject} {each['negated']} {value}.", "contradiction", "negation")
        yield Pair(old, f"{each['other']} {verb} {value}.", "other", "other subject")
        yield Pair(old, texts[(place + 1) % len(texts)], "other", "unrelated")


def negation_pairs(path: Path = NEGATIONS) -> Iterator[Pair]:
    """Our pairs of plain negations, restatements and swapped roles; every even line is held out ("unseen")."""
    for place, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        relation, old, new = line.split("\t")
        tongue = "en" if old.isascii() else "zh"
        yield Pair(old, new, relation, f"negated: {('seen', 'unseen')[place % 2]} {tongue}")


def author_pairs(letters: Iterable[str] = tuple(AUTHORS)) -> Iterator[Pair]:
    """Pairs of independent authors; more general texts and different ones are "other"."""
    for letter in letters:
        for line in AUTHORS[letter].read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            kind = f"author {letter}: {record['relation']}"
            relation = _AUTHORS.get(record["relation"], "other")
            yield Pair(record["first"], record["second"], relation, kind)


def sentence_pairs(questions: QuestionSet, most: int, seed: int = 0) -> list[Pair]:
    """Pairs from the sentences of real turns, at most `most` of each rule, drawn by the seed."""
    found: dict[str, list[Pair]] = defaultdict(list)
    for collection in questions.collections:
        sentences = [s for item in collection.items for s in _SENTENCE.split(item.text) if _usable(s)]
        authors = sorted({item.author for item in collection.items if item.author})
        for place, old in enumerate(sentences):
            for pair in _by_rules(old, authors, sentences[place + 1 : place + 2]):
                found[pair.kind].append(pair)
    return [pair for kind in sorted(found) for pair in sample(found[kind], most, seed)]


def _usable(sentence: str) -> bool:
    return 5 <= len(sentence.split()) <= 25 and sentence.isascii() and not sentence.endswith("?")


def _by_rules(old: str, authors: list[str], following: Sequence[str]) -> Iterator[Pair]:
    yield Pair(old, old.rstrip(".!").lower(), "duplicate", "sentences: spelling")
    negated = _AUXILIARY.sub(r"\1 not", old, count=1)
    if negated != old and not re.search(r"\b(not|never|no)\b|n't", old):
        yield Pair(old, negated, "contradiction", "sentences: negation")
    number = _NUMBER.search(old)
    if number:
        changed = f"{old[: number.start()]}{int(number[0]) + 1}{old[number.end() :]}"
        yield Pair(old, changed, "contradiction", "sentences: changed number")
    for author, other in zip(authors, authors[1:] + authors[:1], strict=True):
        if author != other and re.search(rf"\b{re.escape(author)}\b", old):
            renamed = re.sub(rf"\b{re.escape(author)}\b", other, old)
            yield Pair(old, renamed, "other", "sentences: changed name")
            break
    yield from (Pair(old, new, "other", "sentences: next one") for new in following if new != old)


def breaking_nli(path: Path, most: int | None, seed: int = 0) -> list[Pair]:
    """Breaking NLI (Glockner et al., ACL 2018) from its zip, at most `most` pairs of a category and label.

    An entailment by a synonym says nothing new, so it counts as a duplicate.
    """
    with zipfile.ZipFile(path) as archive:
        lines = archive.read("data/dataset.jsonl").decode("utf-8").splitlines()
    groups: dict[str, list[Pair]] = defaultdict(list)
    for line in lines:
        record = json.loads(line)
        label = record["gold_label"]
        kind = f"nli: {record['category']}, {label}"
        groups[kind].append(Pair(record["sentence1"], record["sentence2"], _NLI[label], kind))
    return [pair for kind in sorted(groups) for pair in sample(groups[kind], most, seed)]


def sample(pairs: Iterable[Pair], most: int | None, seed: int) -> list[Pair]:
    """At most `most` of them, drawn without replacement, in their order."""
    listed = list(pairs)
    if most is None or len(listed) <= most:
        return listed
    places = np.random.default_rng(seed).permutation(len(listed))[:most]
    return [listed[place] for place in sorted(places.tolist())]
