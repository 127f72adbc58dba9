"""Speed of indexing Markdown: chunks a second, one changed file, a look at files that did not change.

    python -m bench.documents [--chunks 10000] [--embedder wordllama]

Notes are made from a fixed seed: headings, lists and sentences of a small vocabulary, 1,500 characters a chunk.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path

import combray

_SAID = (
    "the deploy of billing service waits for Ann because database migration needs a window on Friday we agreed "
    "to keep PostgreSQL and move reports to a queue customers asked about invoices in PDF while the import "
    "script still locks tables Ben measured latency at night and found that cache misses explain most of it "
    "next week team meets in Lisbon budget for travel is approved but flights are not booked yet remember to "
    "renew certificate before March rotate backup disks write down what went wrong with the outage"
)
_WORDS = _SAID.split()
_PER_FILE = 8


def note(rng: random.Random, lines: int) -> str:
    """One file of Markdown with that many lines of about 80 characters."""
    written = []
    for number in range(lines):
        sentence = " ".join(rng.choices(_WORDS, k=13))
        mark = "## " if number % 24 == 0 else "- " if number % 3 else ""
        written.append(f"{mark}{sentence} {rng.randrange(10_000)}.")
    return "\n".join(written) + "\n"


def make_tree(folder: Path, chunks: int) -> int:
    """Files of about eight chunks each in memory/; how many files."""
    rng = random.Random(7)
    (folder / "memory").mkdir(parents=True)
    files = max(1, chunks // _PER_FILE)
    for number in range(files):
        # A chunk brings 1,600 - 320 new characters: about 16 lines of 80.
        (folder / "memory" / f"note-{number:05}.md").write_text(note(rng, 15 * _PER_FILE), encoding="utf-8")
    return files


def measure(chunks: int, embedder: str) -> dict[str, float]:
    """Figures of one run, by name."""
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        root, store = Path(folder) / "notes", Path(folder) / "notes.db"
        figures["files"] = make_tree(root, chunks)
        with combray.open(store, embedder=embedder) as engine:
            engine.remember("The first embedding loads the model.")
            report = engine.documents.index(root)
            figures["chunks"] = report.chunks
            figures["seconds for all"] = report.seconds
            figures["chunks a second"] = report.chunks / report.seconds
            figures["ms, nothing changed"] = engine.documents.index(root).seconds * 1000
            engine.documents.search("When is the outage?")
            taken = []
            for number in range(5):
                changed = root / "memory" / f"note-{number:05}.md"
                lines = changed.read_text(encoding="utf-8").splitlines()
                lines[len(lines) // 2] = f"Version {number} of this line."
                changed.write_text("\n".join(lines) + "\n", encoding="utf-8")
                taken.append(engine.documents.index(root).seconds * 1000)
            figures["ms, one file changed"] = sorted(taken)[2]
            started = time.perf_counter()
            for _ in range(20):
                engine.documents.search("Which customers asked about invoices?")
            figures["ms a search"] = (time.perf_counter() - started) * 50
        return figures


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--embedder", default="wordllama")
    arguments = parser.parse_args()
    for name, value in measure(arguments.chunks, arguments.embedder).items():
        print(f"{name:>34}  {value:,.1f}")


if __name__ == "__main__":
    main()
