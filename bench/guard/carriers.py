"""Documents with and without an injected attack: mails, tables, code, answers and pages.

Every document is used clean, and once with each of a few attacks at its start, in its middle or at its end.
"""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.guard.samples import Sample, chats, frozen, held, made, training

SHORTEST, LONGEST = 250, 4000
"""Characters of a carrier."""
PLACES = ("start", "middle", "end")
_ROOT = Path(__file__).parents[2]
_CODE = (
    "argparse",
    "textwrap",
    "statistics",
    "configparser",
    "csv",
    "heapq",
    "shlex",
    "difflib",
    "calendar",
    "cmd",
)
"""Modules of the standard library whose functions are held-out code."""


def training_carriers() -> list[Sample]:
    """Return clean documents of the training sources."""
    # The grammar's mails are no carriers: their sentences are drawn by chance, so each is far from the others.
    found = [
        _as(each, each.kind)
        for each in made()
        if f"{each.label} {each.kind}" in ("ordinary table", "ordinary code")
    ]
    found += [_as(each, "page") for each in frozen("documentation")]
    found += [_as(each, "page") for each in frozen("documents") if len(each.text) >= SHORTEST]
    return found + [_as(each, "answer") for each in frozen("chats") if len(each.text) >= SHORTEST]


def held_carriers(data: Path | None = None) -> list[Sample]:
    """Return clean documents of sources that are not trained on.

    Tables and pages of this repository's results, code of the standard library, documentation of other packages;
    with `data` also sessions of LoCoMo and answers of the other LongMemEval histories.
    """
    found = [_as(each, "page") for each in frozen("held-documentation")]
    found += [Sample(text, "ordinary", "code", "en", True, f"stdlib {name}") for name, text in _functions()]
    found += [Sample(text, "ordinary", "table", "en", True, f"results {name}") for name, text in _tables()]
    found += mails()
    if data is not None:
        found += [_as(each, "answer") for each in chats(data) if each.kind == "chat, assistant"]
        found += [
            Sample(text, "ordinary", "talk", "en", True, f"locomo {name}") for name, text in _sessions(data)
        ]
    return [each for each in found if SHORTEST <= len(each.text) <= LONGEST]


def mails() -> list[Sample]:
    """Return mails of an author who did not write the grammar's."""
    return [_as(each, "mail") for each in frozen("held-mails")]


def _as(sample: Sample, kind: str) -> Sample:
    return Sample(sample.text, "ordinary", kind, "en", sample.held, sample.source)


def _functions() -> Iterator[tuple[str, str]]:
    for name in _CODE:
        path = Path(str(__import__(name).__file__))
        text = path.read_text(encoding="utf-8")
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                yield name, (ast.get_source_segment(text, node) or "")[:1500]


def _tables() -> Iterator[tuple[str, str]]:
    for path in sorted((_ROOT / "bench" / "results").glob("*.md")):
        for part in path.read_text(encoding="utf-8").split("\n\n"):
            if path.name != "guard.md" and part.startswith("|") and part.count("\n") >= 4:
                yield path.stem, part[:2500]


def _sessions(data: Path) -> Iterator[tuple[str, str]]:
    for number, each in enumerate(json.loads((data / "locomo" / "conversations-1-5.json").read_text("utf-8"))):
        for name, said in sorted(each["conversation"].items()):
            if isinstance(said, list):
                yield f"{number} {name}", "\n".join(f"{turn['speaker']}: {turn['text']}" for turn in said)[:2500]


def injected(carriers: Sequence[Sample], attacks: Sequence[Sample], each: int) -> list[Sample]:
    """Return `each` attacked copies of every carrier, deterministic: attacks and places are chosen by hash."""
    found = []
    for number, carrier in enumerate(carriers):
        code = carrier.kind == "code"
        usable = [one for one in attacks if (one.language == "bipia code") == code] or list(attacks)
        for copy in range(each):
            drawn = int(hashlib.sha256(f"{number} {copy} {carrier.text[:200]}".encode()).hexdigest(), 16)
            attack, place = usable[drawn % len(usable)], PLACES[drawn // 7919 % 3]
            text = insert(carrier.text, attack.text, place)
            found.append(Sample(text, "indirect", carrier.kind, attack.kind, carrier.held, carrier.source))
    return found


def insert(text: str, attack: str, place: str) -> str:
    """Return the text with the attack at a place: between two lines or sentences, never inside one."""
    if place == "start":
        return f"{attack}\n{text}"
    if place == "end":
        return f"{text}\n{attack}"
    breaks = [at for at in range(len(text) - 1) if text[at] == "\n" or text[at : at + 2] in (". ", "? ")]
    if not breaks:
        return f"{text}\n{attack}"
    at = breaks[len(breaks) // 2] + 1
    gap = "\n" if text[at - 1] == "\n" else " "
    return f"{text[:at]}{gap if gap == ' ' else ''}{attack}{gap}{text[at:].lstrip(' ')}"


def training_attacks() -> list[Sample]:
    """Return attacks to inject: plain texts of one to three lines, tasks among them."""
    fitting = [
        each for each in training() if each.label in ("direct", "indirect", "task") and len(each.text) < 700
    ]
    # The documents are English: an attack in another language is told by its words, not by its subject.
    plain = [
        each
        for each in fitting
        if "hidden" not in each.kind and (each.language == "en" or each.language.startswith("bipia"))
    ]
    tasks = [each for each in plain if each.language.startswith("bipia")]
    # BIPIA's are few: as often as all others.
    return [*plain, *tasks * max(1, (len(plain) - len(tasks)) // len(tasks))]


def held_attacks() -> list[Sample]:
    """Return the attacks of BIPIA's categories that are held out."""
    return [each for each in held() if each.language.startswith("bipia")]
