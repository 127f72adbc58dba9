"""Markdown files with YAML front matter (extra `markdown`).

Times stay texts as they are written, so that their offsets survive. Aliases are refused: a few of them can stand
for gigabytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from combray.errors import MissingExtraError
from combray.records import dataclass
from combray.transfer.formats.drafts import Drafts, plain

_FRONT = re.compile(r"\ufeff?---[ \t]*\r?\n(.*?)(?:\r?\n)?---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_TIMES = "tag:yaml.org,2002:timestamp"
_LONGEST = 64_000


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
