"""The texts: what the guard is trained on, all of it in `texts/`, and what is held out.

Training texts are fixed files and grammars (`texts/SOURCES.md`), so the shipped weights can be made again. Every
text names its source: an author's kind of text, a package, a family of templates. Splits divide sources, never
the texts of one source. Held out: `texts/held-*`, `texts/voices.jsonl`, and what `--data` adds (LoCoMo, the other
LongMemEval histories), which never goes into training.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.guard.grammar import families
from bench.guard.hiding import ANY, LATIN_ONLY

_TEXTS = Path(__file__).parent / "texts"
TASKS = (
    "Information Retrieval",
    "Content Creation",
    "Learning and Tutoring",
    "Language Translation",
    "Programming Help",
)
"""Categories of BIPIA whose texts are tasks and questions, which steer nothing: not trained on."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A text, what it is, its kind, language and part.

    `label`: "direct", "indirect", "harmless", "ordinary" or "chat".
    `source`: who wrote it, or what made it; splits divide sources.
    """

    text: str
    label: str
    kind: str
    language: str
    held: bool
    source: str = ""


def training() -> list[Sample]:
    """Return all texts that are trained on: everything in `texts/` that is not held out."""
    written = [*own(), *other_authors(), *made(), *bipia()]
    return [*written, *frozen("documents"), *frozen("documentation"), *frozen("chats")]


def held() -> list[Sample]:
    """Return the texts in `texts/` that are held out."""
    return [*frozen("held-documentation"), *frozen("held-mails")]


def own() -> list[Sample]:
    """The own texts; every direct attack, and much of the harmless, once more in a disguise."""
    return [sample for name in _FILES for sample in _file(name)]


_FILES = ("direct", "indirect", "harmless")


def _file(name: str) -> Iterator[Sample]:
    for at, (language, kind, text) in enumerate(_lines(_TEXTS / f"{name}.txt")):
        source = f"own {name}, {kind} {at // 12}"
        yield Sample(text, name, kind, language, False, source)
        if name == "direct" or kind in ("work", "life"):
            # What is harmless stays harmless when it is encoded.
            among = (*ANY, *LATIN_ONLY) if language == "en" else ANY
            disguise = among[at % len(among)]
            yield Sample(disguise(text), name, f"hidden: {disguise.__name__}", language, False, source)


def _lines(path: Path) -> Iterator[tuple[str, str, str]]:
    language = kind = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            language, kind = line[2:].split(" ", 1)
        elif line.strip():
            yield language, kind, line


def other_authors() -> list[Sample]:
    """Texts of authors who had not seen the guard; seen, then trained on (bench/results/guard.md)."""
    names = ("second-author", "second-author-b", "more-authors", "packages")
    return [sample for name in names for sample in blind(_TEXTS / f"{name}.jsonl")]


def blind(path: Path) -> list[Sample]:
    """Return texts of a JSONL file: rows of "class", "language", "disguise" and "text"."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    return [
        Sample(
            row["text"],
            _LABELS.get(row["class"], row["class"]),
            row.get("disguise") or "plain",
            row.get("language", "en"),
            False,
            f"{path.stem}, {row.get('carrier', '')}",
        )
        for row in rows
    ]


_LABELS = {"harmless_like": "harmless"}


def made() -> list[Sample]:
    """Return the texts of the grammars, a source a template."""
    return [
        Sample(text, label, family, language, False, f"grammar {family} {language}, {template}")
        for name in ("attacks", "harmless")
        for label, family, language, texts in families(_TEXTS / f"grammar-{name}.txt")
        for template, text in texts
    ]


def bipia() -> list[Sample]:
    """BIPIA's attack texts of the training halves, category by category."""
    return [
        Sample(text, "indirect", category, f"bipia {name}", False, f"bipia {category}")
        for name in ("text", "code")
        for category, texts in json.loads((_TEXTS / f"bipia-{name}.json").read_text(encoding="utf-8")).items()
        for text in texts
        if category not in TASKS
    ]


def frozen(name: str) -> list[Sample]:
    """Return the rows of a fixed file of ordinary texts."""
    rows = [json.loads(line) for line in (_TEXTS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    aside = name.startswith("held-")
    return [
        Sample(row["text"], row["class"], row["kind"], "en", aside, f"{name} {row['source']} {at // 40}")
        for at, row in enumerate(rows)
    ]


def locomo(data: Path) -> list[Sample]:
    """Turns of people who talk; never trained on (CC BY-NC)."""
    read = json.loads((data / "locomo" / "conversations-1-5.json").read_text(encoding="utf-8"))
    said = [turn["text"] for each in read for part in each["conversation"].values() for turn in _turns(part)]
    return [Sample(text, "ordinary", "LoCoMo turns", "en", True, "locomo") for text in said if text]


def _turns(part: object) -> list[dict[str, str]]:
    return part if isinstance(part, list) else []


def chats(data: Path) -> list[Sample]:
    """Turns of users with an assistant, of the histories that are not in `texts/chats.jsonl`."""
    read = json.loads((data / "longmemeval" / "three-contexts.json").read_text(encoding="utf-8"))[1:]
    turns = [turn for each in read for session in each["haystack_sessions"] for turn in session]
    said = [(f"chat, {turn['role']}", turn["content"]) for turn in turns if turn["content"].strip()]
    return [Sample(text, "chat", kind, "en", True, "longmemeval") for kind, text in said]
