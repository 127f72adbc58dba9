"""Pictures of the pipelines of preset default and of consolidation, from the stages themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from combray import presets
from combray.consolidate.nightly import NIGHTLY
from pages.drawing import Box, arrow, box, frame, picture

WIDE, TALL, GAP, EDGE, ACROSS = 150, 44, 26, 20, 5
INSIDE = "one transaction"
"""Label of the frame around stages that are stored together."""
NOTES = {
    "Validate": "check every field",
    "Guard": "secrets, injection",
    "Warn": "quality warnings",
    "ExtractEntities": "people, places, names",
    "Embed": "vector, outside any lock",
    "FindNearest": "similar memories",
    "Diff": "add, update, conflict?",
    "Settle": "final under the lock",
    "TakeSurvey": "read once per batch",
    "Write": "memory, terms, vector",
    "LinkTemporal": "edges in time",
    "LinkEntities": "edges by name",
    "LinkCausal": "edges by cause",
    "LinkSemantic": "edges by meaning",
    "RefreshImportance": "how much it matters",
    "SuggestSemantic": "pairs worth linking",
    "SuggestCausal": "pairs worth linking",
    "ReadTime": "tense, validity",
    "SuggestRevisions": "what it may change",
    "KeepRevisions": "edges to it",
    "ReadQuestion": "names, keywords",
    "ReadAliases": "other names",
    "ReadDay": "a day alone?",
    "SplitQuery": "parts of a message",
    "FollowRevisions": "what replaced it",
    "MatchEntities": "declared names",
    "RequireEvidence": "floor, confidence",
    "ShapePrior": "length, questions",
    "RequireDay": "only that day",
    "KeepStrong": "far below the best",
    "ShowSuccessors": "current for outdated",
    "ShowLater": "later statements",
    "KeepOwnText": "found by its own text",
    "EmbedQuery": "vector of the question",
    "SearchContext": "keywords + vectors",
    "ContextMatch": "words, vectors, date",
    "AuthorMatch": "who said it",
    "AnswerCue": "kind of answer",
    "WeighSignals": "sum of signals",
    "SessionPrior": "near others; sorted",
    "SetFactsBeside": "derived facts",
    "Cut": "the limit",
    "Assemble": "hits with reasons",
    "LoadFacts": "facts of the namespace",
    "GatherEvidence": "what supports a fact",
    "FadeFacts": "confidence as of now",
    "FindNear": "similar facts",
    "MergeFacts": "paraphrases",
    "Contradictions": "newer supersedes",
    "Judge": "undecided pairs",
    "DeprecateFacts": "too uncertain",
    "PromoteFacts": "memory tiers",
}
"""A few words for each stage; a new one is drawn without."""


def remember() -> str:
    """The write pipeline of preset default."""
    return _draw("How remember works: the stages of preset default", presets.load("default").remember.describe())


def recall() -> str:
    """The read pipeline of preset default."""
    return _draw("How recall works: the stages of preset default", presets.load("default").recall.describe())


def consolidation() -> str:
    """The pipeline of a run."""
    return _draw("How consolidation works: the stages of a run", NIGHTLY.describe())


def _draw(title: str, described: Sequence[dict[str, object]]) -> str:
    stages = list(_flat(described))
    columns = min(ACROSS, len(stages))
    boxes = []
    for at, (name, inside) in enumerate(stages):
        row, column = divmod(at, columns)
        x, y = EDGE + column * (WIDE + GAP), EDGE + row * (TALL + 2 * GAP)
        boxes.append(Box(x, y, WIDE, TALL, name, NOTES.get(name, ""), "#fdebd9" if inside else "#e8eef7"))
    parts = [arrow(_between(one, two)) for one, two in pairwise(boxes)]
    framed = [each for each, (_, within) in zip(boxes, stages, strict=True) if within]
    for at, (_, row_boxes) in enumerate(groupby(framed, key=lambda each: each.y)):
        row_list = list(row_boxes)
        left, right = row_list[0], row_list[-1]
        label = INSIDE if at == 0 else "… continued"
        parts.append(frame(left.x - 9, left.y - 20, right.x + WIDE - left.x + 18, TALL + 29, label))
    height = boxes[-1].y + TALL + EDGE
    return picture(title, EDGE * 2 + columns * (WIDE + GAP) - GAP, height, [*parts, *map(box, boxes)])


def _flat(described: Sequence[dict[str, object]]) -> Iterator[tuple[str, bool]]:
    """(stage, inside a transaction?)."""
    for each in described:
        within = each.get("stages")
        if isinstance(within, Sequence) and within:
            yield from ((str(inner["stage"]), True) for inner in within)
        else:
            yield str(each["stage"]), False


def _between(one: Box, two: Box) -> str:
    """A straight arrow in a row, a bent one to the next row."""
    if one.y == two.y:
        y = one.y + TALL / 2
        return f"M{one.x + WIDE:.0f} {y:.0f} L{two.x - 1:.0f} {y:.0f}"
    turn = one.y + TALL + GAP * 0.55
    return f"M{one.middle:.0f} {one.y + TALL:.0f} V{turn:.0f} H{two.middle:.0f} V{two.y - 1:.0f}"
