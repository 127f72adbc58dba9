"""Excerpts of files by path and line, with the lines that are in quarantine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from combray.documents.chunks import ChunkSize, NumberedLine
from combray.documents.files import TextChunk, cut
from combray.documents.passages import Excerpt
from combray.documents.trust import released
from combray.documents.verdicts import JudgeChunks
from combray.runtime import Reader

EXCERPT = 16_000
"""Maximum characters of an excerpt; a longer one names the next line."""
WITHHELD = "[withheld: this line is in quarantine]"


def excerpt(path: str, lines: list[NumberedLine], first: int, most: int) -> Excerpt:
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
