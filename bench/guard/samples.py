"""The texts: own ones, BIPIA's training halves, LoCoMo, documents and docstrings; and how they are split.

Own texts: those of `texts/NAME.txt` are for training and tuning, those of `texts/held-NAME.txt` are held out
(bench/results/guard.md says what was seen when). A disguised text is in the part of the text under it. BIPIA:
whole categories are held out (HELD_CATEGORIES), chosen before training. Ordinary text: LoCoMo is not trained on,
its conversations 1 and 2 were looked at for tuning; of documents and docstrings every second one is held out.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.guard.hiding import ANY, LATIN_ONLY

_TEXTS = Path(__file__).parent / "texts"
_ROOT = Path(__file__).parents[2]
HELD_CATEGORIES = frozenset(
    (
        "Content Creation",
        "Learning and Tutoring",
        "Homophonic Substitution",
        "Anagramming",
        "Social Interaction",
        "Persuasion",
        "Malware Distribution",
        "Memory Scanning",
        "Environment Variable Analysis",
        "Sending Out Spam Emails",
        "Network Propagation",
        "Cryptocurrency Mining",
    )
)


@dataclass(frozen=True, slots=True)
class Sample:
    """A text, what it is ("direct", "indirect", "harmless", "ordinary"), its kind, language and part."""

    text: str
    label: str
    kind: str
    language: str
    held: bool

    @property
    def poison(self) -> bool:
        """Whether it should not be recalled when it comes from outside."""
        return self.label in ("direct", "indirect")


def own() -> list[Sample]:
    """The own texts; every direct attack, and much of the harmless, once more in a disguise."""
    return [sample for name in _FILES for sample in _file(name)]


_FILES = tuple(f"{part}{label}" for part in ("", "held-") for label in ("direct", "indirect", "harmless"))


def _file(name: str) -> Iterator[Sample]:
    held, label = name.startswith("held-"), name.removeprefix("held-")
    for at, (language, kind, text) in enumerate(_lines(_TEXTS / f"{name}.txt")):
        yield Sample(text, label, kind, language, held)
        if label == "direct" or kind in ("work", "life"):
            # What is harmless stays harmless when it is encoded.
            among = (*ANY, *LATIN_ONLY) if language == "en" else ANY
            disguise = among[at % len(among)]
            yield Sample(disguise(text), label, f"hidden: {disguise.__name__}", language, held)


def _lines(path: Path) -> Iterator[tuple[str, str, str]]:
    language = kind = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            language, kind = line[2:].split(" ", 1)
        elif line.strip():
            yield language, kind, line


def second_author() -> list[Sample]:
    """Texts of somebody who had not seen the guard; seen, then trained on (bench/results/guard.md)."""
    return [sample for name in ("second-author", "second-author-b") for sample in blind(_TEXTS / f"{name}.jsonl")]


def blind(path: Path) -> list[Sample]:
    """Lines of {"class", "language", "text", "disguise"}; the kind is the disguise."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [
        Sample(
            row["text"],
            _LABELS.get(row["class"], row["class"]),
            row.get("disguise") or "plain",
            row["language"],
            False,
        )
        for row in rows
    ]


_LABELS = {"harmless_like": "harmless"}


def bipia(data: Path) -> list[Sample]:
    """BIPIA's attack texts of the training halves, category by category."""
    made = []
    for name in ("text", "code"):
        path = data / "injections" / f"bipia-{name}-train.json"
        for category, texts in json.loads(path.read_text(encoding="utf-8")).items():
            made += [
                Sample(text, "indirect", category, f"bipia {name}", category in HELD_CATEGORIES) for text in texts
            ]
    return made


def locomo(data: Path) -> list[Sample]:
    """Turns of people who talk."""
    made = []
    conversations = json.loads((data / "locomo" / "conversations-1-5.json").read_text(encoding="utf-8"))
    for number, each in enumerate(conversations):
        talk = each["conversation"]
        turns = [turn for name, said in talk.items() if isinstance(said, list) for turn in said]
        made += [
            Sample(turn["text"], "ordinary", "LoCoMo turns", "en", number >= 2) for turn in turns if turn["text"]
        ]
    return made


def documents() -> list[Sample]:
    """Paragraphs of this project's documents, and docstrings of its code."""
    paths = sorted((*_ROOT.glob("*.md"), *_ROOT.glob("docs/**/*.md")))
    paragraphs = [
        part
        for path in paths
        if path.name != "guard.md"
        for part in path.read_text(encoding="utf-8").split("\n\n")
        if len(part) > 30
    ]
    docstrings = [text for path in sorted(_ROOT.glob("src/**/*.py")) for text in _docstrings(path)]
    made = [Sample(text, "ordinary", "documents", "en", at % 2 == 1) for at, text in enumerate(paragraphs)]
    return made + [
        Sample(text, "ordinary", "docstrings", "en", at % 2 == 1) for at, text in enumerate(docstrings)
    ]


def _docstrings(path: Path) -> Iterator[str]:
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, kinds) and (text := ast.get_docstring(node)):
            yield text


def chats(data: Path) -> list[Sample]:
    """Turns of users with an assistant, who do order it about: harmless from the owner only."""
    made = []
    contexts = json.loads((data / "longmemeval" / "three-contexts.json").read_text(encoding="utf-8"))
    for number, each in enumerate(contexts):
        for session in each["haystack_sessions"]:
            made += [
                Sample(turn["content"], "chat", f"chat, {turn['role']}", "en", number > 0)
                for turn in session
                if turn["content"].strip()
            ]
    return made
