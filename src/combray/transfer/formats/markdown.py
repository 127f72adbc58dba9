"""Vaults of Markdown notes, as Obsidian and basic-memory keep them: one memory a note, links as edges.

Source: basic-memory 0.24.1, `markdown/schemas.py` and `markdown/plugins.py`: `- relation [[Target]] (context)`,
with quotes about a relation of several words, and no links within code.

Front matter is YAML (extra `markdown`). Times stay texts as they are written, so that their offsets survive.
Aliases are refused: a few of them can stand for gigabytes.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from combray.errors import MissingExtraError
from combray.records import dataclass
from combray.transfer.formats.drafts import Drafts, labels, plain

_FRONT = re.compile(r"\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_TIMES = "tag:yaml.org,2002:timestamp"
_LONGEST = 64_000
_WIKI = re.compile(
    r"(?:^[ \t]*[-*+] +(?P<relation>[^\[\]\n]{1,60}?) *)?!?\[\[(?P<target>[^\[\]|#^\n]+)[^\[\]\n]*\]\]", re.M
)
_LINK = re.compile(r"\]\(<?(?P<target>[^()\s<>:]+\.md)(?:#[^()\s<>]*)?>?(?:\s+\"[^\"]*\")?\)")
_TAG = re.compile(r"(?:^|(?<=\s))#([^\W\d][\w/-]*)")
_CODE = re.compile(r"^(```|~~~).*?^\1|(?<!`)(`+)(?!`)[^\n]+?(?<!`)\2(?!`)", re.M | re.S)
_CREATED = ("created", "created_at", "date")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: ?(?:Z|[+-]\d\d:?\d\d))?)?")


@dataclass(frozen=True, slots=True)
class Note:
    """A Markdown file. `path` is relative to the folder, with `/` and without `.md`. `front` may be missing."""

    path: str
    front: dict[str, Any] | None
    body: str


def notes(folder: Path, drafts: Drafts) -> Iterator[Note]:
    """Yield the Markdown files below a folder, hidden ones excepted. Unreadable ones become problems."""
    for each in sorted(folder.rglob("*")):
        within = each.relative_to(folder)
        if any(part.startswith(".") for part in within.parts) or not each.is_file():
            continue
        if each.suffix.lower() != ".md":
            drafts.left("files that are not Markdown")
            continue
        try:
            yield _note(within.with_suffix("").as_posix(), each.read_bytes().decode("utf-8"))
        except UnicodeDecodeError as error:
            drafts.problem(within.as_posix(), f"byte {error.start + 1} is not UTF-8.", "Save the file as UTF-8.")
        except (OSError, ValueError) as error:
            drafts.problem(within.as_posix(), f"cannot be read: {error}.", "Fix the front matter.")


def _note(path: str, text: str) -> Note:
    found = _FRONT.match(text)
    if found is None:
        return Note(path, None, text.removeprefix("\ufeff").strip("\r\n"))
    front = loaded(found[1])
    if not isinstance(front, dict):
        raise ValueError("the front matter is not a mapping")
    return Note(path, front, text[found.end() :].strip("\r\n"))


def loaded(text: str) -> Any:
    """Return the value of a YAML text. Raises ValueError."""
    yaml, loader, _ = _yaml()
    if len(text) > _LONGEST:
        raise ValueError(f"the front matter has {len(text)} characters, at most {_LONGEST} are allowed")
    try:
        return plain(yaml.load(text, loader) or {})
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from None
    except RecursionError:
        raise ValueError("the front matter is nested too deeply") from None


def dumped(front: dict[str, Any], body: str) -> str:
    """Return a Markdown file with front matter."""
    yaml, _, dumper = _yaml()
    head = yaml.dump(front, Dumper=dumper, allow_unicode=True, sort_keys=False, width=10_000)
    return f"---\n{head}---\n\n{body}\n" if body else f"---\n{head}---\n"


@cache
def _yaml() -> tuple[Any, Any, Any]:
    """Return PyYAML, and a loader and a dumper that take times for texts. Raises MissingExtraError."""
    try:
        yaml: Any = import_module("yaml")
    except ImportError:
        raise MissingExtraError("Front matter", "markdown") from None

    def compose_node(loader: Any, parent: Any, index: Any) -> Any:
        if loader.check_event(yaml.events.AliasEvent):
            raise yaml.YAMLError("aliases are not supported")
        return yaml.SafeLoader.compose_node(loader, parent, index)

    def increase_indent(dumper: Any, flow: bool = False, indentless: bool = False) -> Any:  # noqa: ARG001
        return yaml.SafeDumper.increase_indent(dumper, flow, False)

    untimed = {
        kind: {
            first: [each for each in listed if each[0] != _TIMES]
            for first, listed in kind.yaml_implicit_resolvers.items()
        }
        for kind in (yaml.SafeLoader, yaml.SafeDumper)
    }
    loader = type(
        "Loader",
        (yaml.SafeLoader,),
        {"compose_node": compose_node, "yaml_implicit_resolvers": untimed[yaml.SafeLoader]},
    )
    dumper = type(
        "Dumper",
        (yaml.SafeDumper,),
        {
            "increase_indent": increase_indent,
            "yaml_implicit_resolvers": untimed[yaml.SafeDumper],
            "ignore_aliases": lambda *_: True,
        },
    )
    return yaml, loader, dumper


# -- a vault -------------------------------------------------------------------------------------


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
    # A path names its note, whatever others are called.
    names = {note.path.casefold(): note.path for note in found}
    for note in found:
        front = note.front or {}
        also = [front.get("title"), front.get("permalink"), *listed(front.get("aliases"))]
        for name in (posixpath.basename(note.path), *also):
            if name is not None:
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
