"""Results of a document search: passages with path, lines and snippet; and excerpts of files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, overload

from combray.documents.chunks import ChunkSize, NumberedLine
from combray.documents.files import TextChunk, cut
from combray.documents.trust import JudgeChunks, released
from combray.language.tokens import terms
from combray.prompt.excerpt import excerpt as answering_part
from combray.records import dataclass, field
from combray.runtime import Reader
from combray.types import Answer, Hit, Memory

SNIPPET = 700
"""Maximum characters of a snippet. Source: OpenClaw's SNIPPET_MAX_CHARS, see docs/explanation/documents.md."""
EXCERPT = 16_000
"""Maximum characters of an excerpt; a longer one names the next line."""
WITHHELD = "[withheld: this line is in quarantine]"


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
        return answering_part(line, query, SNIPPET)
    return text[best : best + SNIPPET].rstrip("\n")


def excerpt_of(path: str, lines: list[NumberedLine], first: int, most: int) -> Excerpt:
    """Return at most `most` lines from number `first` on, as many as fit; a single longer line is truncated."""
    total = lines[-1][0] if lines else 0
    wanted = [each for each in lines if each[0] >= first][:most]
    taken: list[NumberedLine] = []
    size = 0
    for number, text in wanted:
        if taken and size + len(text) + 1 > EXCERPT:
            break
        taken.append((number, text[:EXCERPT]))
        size += len(text) + 1
    if not taken:
        return Excerpt("", path, total_lines=total)
    last = taken[-1][0]
    rest = [number for number, _ in lines if number > last]
    text = "\n".join(text for _, text in taken)
    return Excerpt(text, path, taken[0][0], last, total, rest[0] if rest else None)


def kept_apart(
    shown: Excerpt,
    lines: list[NumberedLine],
    stored: Sequence[tuple[int, str]],
    reader: Reader,
    judging: JudgeChunks,
    size: ChunkSize,
) -> Excerpt:
    """Add the line ranges that are in quarantine to the excerpt.

    `stored`: key and text hash of the file's indexed chunks, which are of `size`. Text that is newer than the
    index is judged here, because an excerpt shows the current file.
    """
    if not shown.text:
        return shown
    chunks = cut(lines, size)
    inside = [at for at, each in enumerate(chunks) if _overlaps(each, shown)]
    wanted = {chunks[at].hash for at in inside}
    hashes = {key: text_hash for key, text_hash in stored if text_hash in wanted}
    bad = sorted(memory.id for memory in reader.memories(hashes) if memory.trust == "quarantined")
    # Keys without a memory (in a modified store) are skipped.
    quarantined = {hashes[key] for key in reader.keys_of(bad).values()}
    apart = {at for at in inside if chunks[at].hash in quarantined}
    known = {text_hash for _, text_hash in stored}
    new = [at for at in inside if chunks[at].hash not in known]
    verdicts = judging.judge(shown.path, [each.chunk for each in chunks], new)
    caught = {at for at, each in verdicts.items() if each is not None and each.trust == "quarantined"}
    free = released(reader, [chunks[at].hash for at in caught])
    apart.update(at for at in caught if chunks[at].hash not in free)
    ranges = [
        (max(chunk.start_line, shown.start_line), min(chunk.end_line, shown.end_line))
        for chunk in (chunks[at].chunk for at in sorted(apart) if _overlaps(chunks[at], shown))
    ]
    return replace(shown, quarantined=_joined(ranges))


def withheld(shown: Excerpt, lines: list[NumberedLine]) -> Excerpt:
    """Replace each quarantined line of the excerpt by a note."""
    if not shown.quarantined:
        return shown
    numbers = [number for number, _ in lines if shown.start_line <= number <= shown.end_line]
    texts = zip(numbers, shown.text.split("\n"), strict=True)
    apart = {number for first, last in shown.quarantined for number in range(first, last + 1)}
    text = "\n".join(WITHHELD if number in apart else text for number, text in texts)
    return replace(shown, text=text, withheld=True)


def _overlaps(each: TextChunk, shown: Excerpt) -> bool:
    return each.chunk.start_line <= shown.end_line and each.chunk.end_line >= shown.start_line


def _joined(ranges: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Merge ranges that touch or overlap."""
    joined: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(joined[-1][1], last))
        else:
            joined.append((first, last))
    return tuple(joined)
