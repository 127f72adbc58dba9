"""Results of a document search: passages with path, lines and snippet; and excerpts of files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, overload

from combray.language.tokens import terms
from combray.prompt.excerpt import excerpt
from combray.records import dataclass, field
from combray.types import Answer, Hit, Memory

SNIPPET = 700
"""Maximum characters of a snippet. Source: OpenClaw's SNIPPET_MAX_CHARS, see docs/explanation/documents.md."""


@dataclass(frozen=True, slots=True)
class Passage:
    """One matching chunk. Lines are those of the whole chunk, from 1, both ends inclusive.

    `snippet`: the chunk, or the part of it (at most 700 characters) with most words of the query.
    """

    path: str
    start_line: int
    end_line: int
    score: float
    snippet: str
    source: str
    citation: str
    signals: Mapping[str, float]
    memory: Memory

    def as_json(self) -> dict[str, Any]:
        """Return the fields under OpenClaw's names."""
        return {
            "path": self.path,
            "startLine": self.start_line,
            "endLine": self.end_line,
            "score": self.score,
            "snippet": self.snippet,
            "source": self.source,
            "citation": self.citation,
        }


@dataclass(frozen=True, slots=True)
class Passages(Sequence[Passage]):
    """Passages, best first. `mode`: "hybrid" or "fts-only". `reason`: the arms that answered, or why none did.

    `stale`: files changed after they were indexed; `warning` says why they were not read again.
    """

    query: str
    passages: tuple[Passage, ...]
    mode: str
    provider: str = "none"
    model: str = ""
    reason: str = ""
    stale: bool = False
    warning: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)

    @overload
    def __getitem__(self, index: int) -> Passage: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Passage]: ...
    def __getitem__(self, index: int | slice) -> Passage | Sequence[Passage]:
        return self.passages[index]

    def __len__(self) -> int:
        return len(self.passages)

    def as_json(self) -> dict[str, Any]:
        """Return the result in the format of OpenClaw's tool `memory_search`."""
        shown: dict[str, Any] = {
            "results": [each.as_json() for each in self.passages],
            "mode": self.mode,
            "provider": self.provider,
            "model": self.model,
            "citations": "on",
            "reason": self.reason,
        }
        if self.stale:
            shown["stale"] = True
        if self.warning:
            shown["warning"] = self.warning
        return shown


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines of a file. `next_line`: where to continue, None at the end. The text is empty for a missing file.

    `quarantined`: line ranges in quarantine, both ends inclusive; `withheld`: they were replaced by a note.
    """

    text: str
    path: str
    start_line: int = 0
    end_line: int = 0
    total_lines: int = 0
    next_line: int | None = None
    quarantined: tuple[tuple[int, int], ...] = ()
    withheld: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return the result in the format of OpenClaw's tool `memory_get`."""
        shown: dict[str, Any] = {
            "text": self.text,
            "path": self.path,
            "startLine": self.start_line,
            "endLine": self.end_line,
            "totalLines": self.total_lines,
        }
        if self.next_line is not None:
            shown["nextLine"] = self.next_line
        if self.quarantined:
            shown["quarantined"] = [{"startLine": first, "endLine": last} for first, last in self.quarantined]
        return shown


def passages_of(answer: Answer) -> tuple[Passage, ...]:
    """Return the chunks of an answer, best first; ties are ordered by path and line."""
    wanted = frozenset(terms(answer.query))
    found = [_passage(hit, wanted, answer.query) for hit in answer if "path" in hit.memory.metadata]
    return tuple(sorted(found, key=lambda each: (-each.score, each.path, each.start_line)))


def _passage(hit: Hit, wanted: frozenset[str], query: str) -> Passage:
    memory, place = hit.memory, hit.memory.metadata
    path, start, end = str(place["path"]), int(place["start_line"]), int(place["end_line"])
    lines = f"#L{start}" if start == end else f"#L{start}-L{end}"
    shown = snippet(memory.content, wanted, query)
    return Passage(path, start, end, hit.score, shown, memory.source, f"{path}{lines}", hit.signals, memory)


def snippet(text: str, wanted: frozenset[str], query: str = "") -> str:
    """Return at most 700 characters, from the first line from which most wanted terms follow.

    Of a longer line it is the part that answers the query, behind its beginning.
    """
    if len(text) <= SNIPPET:
        return text
    lines = text.split("\n")
    held = [wanted.intersection(terms(line)) for line in lines]
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    best, most = 0, -1
    for first in range(len(lines)):
        within = [at for at in range(first, len(lines)) if starts[at + 1] - 1 - starts[first] <= SNIPPET]
        brought = len(frozenset().union(*(held[at] for at in within or [first])))
        if brought > most:
            best, most = starts[first], brought
        if starts[-1] - starts[first] <= SNIPPET:
            break
    line = text[best:].partition("\n")[0]
    if query and len(line) > SNIPPET:
        return excerpt(line, query, SNIPPET)
    return text[best : best + SNIPPET].rstrip("\n")
