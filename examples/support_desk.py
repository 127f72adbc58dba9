"""A support desk's memory: one namespace a customer, talks kept turn by turn, facts that change.

Run it with `python examples/support_desk.py`; it works in a folder that is gone afterwards.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import combray


def main() -> None:
    """Two customers, one talk, one fact that changes, and four questions."""
    with (
        tempfile.TemporaryDirectory() as folder,
        combray.open(str(Path(folder) / "desk.db"), namespace="customer-17") as desk,
    ):
        talk = desk.conversation("2026-03-02")
        talk.add("My printer jams when I use the thick paper.", author="Noor", occurred_at="2026-03-02T09:00")
        talk.add("Which tray do you put it in?", author="Desk", occurred_at="2026-03-02T09:01")
        talk.add("Always the lower tray.", author="Noor", occurred_at="2026-03-02T09:02")

        desk.remember("Noor's plan is Basic.", category="fact", author="Desk")
        changed = desk.remember("Noor's plan changed from Basic to Team.", category="fact", author="Desk")
        print(f"{changed.action}: {changed.reason}")

        ask(desk, "Which tray does Noor use?")
        ask(desk, "What plan does Noor have?")
        ask(desk, "When does the warranty of the scanner end?")
        ask(desk.within("customer-18"), "What plan does Noor have?")


def ask(desk: combray.Engine, question: str) -> None:
    """Print the best answer, or why there is none: a desk does not guess."""
    answer = desk.recall(question, limit=1)
    if answer.confidence < 0.2:
        print(f"{question}  Nothing: {answer.reason}.")
        return
    for hit in answer:
        print(f"{question}  {hit.memory.content}  ({hit.via}, confidence {answer.confidence:.2f})")


if __name__ == "__main__":
    main()
