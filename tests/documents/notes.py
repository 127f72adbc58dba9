"""A tree of Markdown notes, the same every time."""

from __future__ import annotations

import random
from pathlib import Path

_SAID = (
    "deploy billing service waits database migration window Friday agreed PostgreSQL reports queue customers "
    "invoices import script locks tables latency night cache misses explain week team Lisbon budget travel "
    "flights certificate March rotate backup disks outage alarm"
)
_WORDS = _SAID.split()
_CHINESE = "我们决定把数据库换成新的版本因为旧的太慢了客户下周来访问需要准备发票和合同"


def note(rng: random.Random, lines: int, *, chinese: bool = False) -> str:
    """Headings, lists and sentences; lines of 40 to 110 characters."""
    written = []
    for number in range(lines):
        words = rng.choices(_CHINESE, k=30) if chinese else rng.choices(_WORDS, k=rng.randint(5, 13))
        mark = "## " if number % 12 == 0 else "- " if number % 3 else ""
        written.append(mark + ("" if chinese else " ").join(words) + f" {rng.randrange(1000)}.")
    return "\n".join(written) + "\n"


def make_notes(root: Path, files: int, *, seed: int = 5) -> None:
    """MEMORY.md, dated notes, projects in folders; every ninth in Chinese, with CRLF, BOM or no last newline."""
    rng = random.Random(seed)
    (root / "memory" / "projects").mkdir(parents=True)
    (root / "MEMORY.md").write_text(note(rng, 20), encoding="utf-8")
    for number in range(files - 1):
        text = note(rng, rng.randint(3, 50), chinese=number % 9 == 4)
        if number % 9 == 5:
            text = text.replace("\n", "\r\n")
        if number % 9 == 6:
            text = "\ufeff" + text
        if number % 9 == 7:
            text = text.rstrip("\n")
        month, day = number % 12 + 1, number % 28 + 1
        name = f"2025-{month:02}-{day:02}-n{number}.md" if number % 2 else f"projects/p{number}.md"
        (root / "memory" / name).write_bytes(text.encode())
