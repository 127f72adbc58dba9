"""Vaults of Markdown notes, as Obsidian and basic-memory keep them: one memory a note, links as edges.

Source: basic-memory 0.24.1, `markdown/schemas.py` and `markdown/plugins.py`: `- relation [[Target]] (context)`,
with quotes about a relation of several words, and no links within code.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from combray.transfer.formats.drafts import Drafts, labels
from combray.transfer.formats.frontmatter import Note, notes

_WIKI = re.compile(
    r"(?:^[ \t]*[-*+] +(?P<relation>[^\[\]\n]{1,60}?) *)?!?\[\[(?P<target>[^\[\]|#^\n]+)[^\[\]\n]*\]\]", re.M
)
_LINK = re.compile(r"\]\(<?(?P<target>[^()\s<>:]+\.md)(?:#[^()\s<>]*)?>?(?:\s+\"[^\"]*\")?\)")
_TAG = re.compile(r"(?:^|(?<=\s))#([^\W\d][\w/-]*)")
_CODE = re.compile(r"^(```|~~~).*?^\1|(?<!`)(`+)(?!`)[^\n]+?(?<!`)\2(?!`)", re.M | re.S)
_CREATED = ("created", "created_at", "date")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: ?(?:Z|[+-]\d\d:?\d\d))?)?")


def read(folder: Path) -> Drafts:
    """Read the notes of a vault. Front matter is kept in `metadata.front`, tags become tags."""
    drafts = Drafts("markdown")
    found = list(notes(folder, drafts))
    for note in found:
        front = note.front or {}
        title = str(front.get("title") or posixpath.basename(note.path))
        tags = labels(
            [*listed(front.get("tags", front.get("tag"))), *_TAG.findall(_CODE.sub("", note.body))], 1000
        )
        drafts.left("tags above 20 of a note", max(0, len(tags) - 20))
        drafts.add(
            note.path,
            note.body if note.body.strip() else title,
            f"{note.path}.md",
            context=title,
            tags=tags[:20],
            recorded_at=moment(*(front.get(name) for name in _CREATED)),
            metadata={"path": note.path, **({"front": front} if front else {})},
        )
    link(drafts, found)
    return drafts


def link(drafts: Drafts, found: list[Note]) -> None:
    """Link the notes by their wikilinks and Markdown links. A list item's words before a link are its reason."""
    names: dict[str, str] = {}
    for note in found:
        front = note.front or {}
        also = [front.get("title"), front.get("permalink"), *listed(front.get("aliases"))]
        for name in (note.path, posixpath.basename(note.path), *also):
            names.setdefault(str(name).casefold(), note.path)
    for note in found:
        body = _CODE.sub("", note.body)
        for match in _WIKI.finditer(body):
            name = match["target"].strip().removesuffix(".md").casefold()
            relation = (match["relation"] or "").strip("\"' ")
            drafts.link(note.path, names.get(name, names.get(posixpath.basename(name), name)), relation)
        for target in links(note.path, body):
            drafts.link(note.path, target)


def links(path: str, body: str) -> Iterator[str]:
    """Yield the paths of the notes that Markdown links of a note lead to."""
    for match in _LINK.finditer(body):
        target = unquote(match["target"])
        within = target if target.startswith("/") else posixpath.join(posixpath.dirname(path), target)
        yield posixpath.normpath(within).lstrip("/").removesuffix(".md")


def listed(value: Any) -> list[Any]:
    """Return a value of front matter as a list: one, or a text with commas."""
    if isinstance(value, str):
        return [each.strip() for each in value.split(",") if each.strip()]
    return value if isinstance(value, list) else [] if value is None else [value]


def moment(*values: Any) -> str | None:
    """Return the first value that is a date or time."""
    return next((each for each in values if isinstance(each, str) and _MOMENT.fullmatch(each.strip())), None)
