"""Leave one author out: the texts of each author, judged by weights that were trained without that author."""

from __future__ import annotations

from collections.abc import Iterator

from bench.guard.samples import Sample, other_authors, training
from bench.guard.training import SHIPPED, Bag, bag, fit
from combray.guard.context import WordVectors
from combray.guard.disguises import read
from combray.guard.injection import found_in
from combray.guard.weights import Weights, model, raised, score

AUTHORS = {"": "second", "d": "fourth", "e": "fifth", "f": "sixth", "g": "seventh"}
"""Authors by their letter in `texts/more-authors.jsonl`; "": those of `texts/second-author*.jsonl`."""
KINDS = ("direct", "indirect", "latent", "lookalike", "ordinary")
POISON = {False: ("direct", "indirect"), True: ("direct",)}
"""Labels that are attacks for third-party texts, and for the owner's (True)."""


def author(sample: Sample) -> str | None:
    """Return the letter of a sample's author; None for texts of no such author."""
    file, _, rest = sample.source.partition(", ")
    if file.startswith("second-author"):
        return ""
    return rest.removeprefix("author ")[0] if file == "more-authors" else None


def kind(sample: Sample) -> str:
    """Return what a text is: a label, or one of its parts (planted rules are "latent")."""
    named = sample.source.rpartition(", ")[2]
    if named in KINDS:
        return named
    return "lookalike" if sample.label == "harmless" else sample.label


def left_out(vectors: WordVectors) -> Iterator[tuple[str, str, int, float, float]]:
    """Yield (author, kind, texts, share quarantined as untrusted, share quarantined as the owner's).

    Both tables of weights are trained without the author. The biases are moved as far as those of the shipped
    weights, and the weights of distances are the shipped ones.
    """
    samples = [each for each in training() if each.label != "task"]
    bags = [bag(each.text) for each in samples]
    whole = {owner: fit(samples, bags, POISON[owner], owner=owner).bias for owner in POISON}
    shipped = {False: model().outside.bias, True: model().owner.bias}
    for letter, name in AUTHORS.items():
        others = [at for at, each in enumerate(samples) if author(each) != letter]
        tables = {
            owner: _without(samples, bags, others, owner=owner, shift=shipped[owner] - whole[owner])
            for owner in POISON
        }
        mine = [each for each in other_authors() if author(each) == letter]
        judged = [(kind(each), *_quarantined(each.text, tables, vectors)) for each in mine]
        for sort in KINDS:
            found = [(untrusted, owner) for what, untrusted, owner in judged if what == sort]
            if found:
                shares = [sum(column) / len(found) for column in zip(*found, strict=True)]
                yield name, sort, len(found), shares[0], shares[1]


def _without(samples: list[Sample], bags: list[Bag], others: list[int], *, owner: bool, shift: float) -> Weights:
    made = fit([samples[at] for at in others], [bags[at] for at in others], POISON[owner], owner=owner)
    return Weights(made.bias + shift, made.weights)


def _quarantined(text: str, tables: dict[bool, Weights], vectors: WordVectors) -> tuple[bool, bool]:
    context = model().context
    worst = attack = 0.0
    for view in found_in(read(text), vectors=vectors):
        for each in view:
            far = 0.0 if each.far is None or context is None else raised(each.far, context.weights)
            worst = max(worst, score(each.present, tables[False], far))
            attack = max(attack, score(each.present, tables[True]))
    owner = attack >= SHIPPED.owner
    return owner or worst >= SHIPPED.untrusted, owner
