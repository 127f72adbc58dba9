"""What the shell reads: forms of arguments and options, files, standard input; and the files that it writes."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

if TYPE_CHECKING:
    from combray.verbs.declaration import Parameter

STANDARD_INPUT = "-"
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


def create_private(path: Path) -> None:
    """Create an empty file that only its owner can read. A file that exists keeps its mode."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


@contextmanager
def new_file(path: Path) -> Iterator[TextIO]:
    """A file of UTF-8 text that gets its name when it is whole, so that a failure spoils none.

    It is readable by its owner only, or has the mode of the file that it replaces.
    """
    part = path.with_name(path.name + ".part")
    part.unlink(missing_ok=True)
    try:
        create_private(part)
        with part.open("w", encoding="utf-8", newline="\n") as file:
            try:
                yield file
            except OSError as error:
                # A write that fails, on a full disk, names no file.
                error.filename = error.filename or str(path)
                raise
        if path.exists():
            part.chmod(path.stat().st_mode & 0o777)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def text_of(path: Path) -> str:
    """Return the text of a UTF-8 file; the path "-" is standard input."""
    if str(path) == STANDARD_INPUT:
        return _decoded(sys.stdin.buffer.read(), "standard input")
    return _decoded(path.read_bytes(), str(path))


def lines_of(path: Path) -> list[tuple[int, str]]:
    """Return the non-blank lines of a UTF-8 file, numbered from 1; the path "-" is standard input."""
    lines = enumerate(text_of(path).split("\n"), start=1)
    return [(number, line.strip()) for number, line in lines if line.strip()]


def _decoded(data: bytes, source: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise click.UsageError(
            f"{source} is not UTF-8 text (byte {error.start}). Convert it, for example with iconv."
        ) from error


# -- forms of declared parameters ------------------------------------------------------------------


def form_of(declared: Parameter) -> tuple[click.ParamType[Any] | None, Callable[..., Any] | None]:
    """Return click's type of a parameter, and the callback that turns the text into the engine's value."""
    bounds = declared.low, declared.high
    kind: click.ParamType[Any] | None = None
    read: Callable[[Any], Any] | None = _object if declared.type == "object" else None
    if declared.form in FORMS:
        kind, read = FORMS[declared.form]
    elif declared.choices:
        return click.Choice(declared.choices, case_sensitive=declared.form != "any case"), None
    elif declared.type == "integer":
        least, most = (None if each is None else int(each) for each in bounds)
        return click.IntRange(least, most), None
    elif declared.type == "number":
        return (click.FLOAT if bounds == (None, None) else click.FloatRange(*bounds)), None
    if read is None:
        return kind, None
    # A callback gets the context and the parameter, too.
    return kind, lambda _ctx, _parameter, value: None if value is None else read(value)


def _text(words: tuple[str, ...]) -> str | None:
    """Return the words as one text, or standard input for "-"; None without words."""
    if words == (STANDARD_INPUT,):
        return _decoded(sys.stdin.buffer.read(), "standard input").strip()
    return " ".join(words) if words else None


def _comma_list(value: str) -> list[str]:
    return [part.strip() for part in value.split(",") if part.strip()]


def _entities(value: str) -> dict[str, list[str]]:
    """Return the entities of an option such as `--entities "Kubernetes=k8s|kube, Redis"`, with their aliases."""
    found: dict[str, list[str]] = {}
    for part in value.split(","):
        name, _, others = part.partition("=")
        if name.strip():
            found[name.strip()] = [each.strip() for each in others.split("|") if each.strip()]
    return found


def _json(value: str, remedy: str = "") -> Any:
    try:
        return json.loads(value)
    except (ValueError, RecursionError) as error:
        raise click.BadParameter(f"this is not JSON ({error}).{remedy}") from None


def _object(value: str) -> dict[str, Any]:
    example = """Write it like '{"category": "decision"}'."""
    read = _json(value, f" {example}")
    if not isinstance(read, dict):
        raise click.BadParameter(f"this is not a JSON object. {example}")
    return read


def _duration(value: str) -> int:
    found = re.fullmatch(r"(\d+)([smhd])", value)
    if found is None or int(found[1]) < 1:
        raise click.BadParameter(f"{value!r} is not a duration. Use a number with s, m, h or d, such as 24h.")
    return int(found[1]) * _SECONDS[found[2]]


def _in_a_folder(path: Path) -> Path:
    """Return the path of a file to write, whose folder must exist."""
    if not path.name:
        raise click.BadParameter(f"{str(path)!r} is not a file name. Name a file to write.")
    if not path.parent.is_dir():
        raise click.BadParameter(f"the folder {path.parent} does not exist. Create it first.")
    return path


FORMS: dict[str, tuple[click.ParamType[Any] | None, Callable[[Any], Any] | None]] = {
    "words": (None, " ".join),
    "text": (None, _text),
    "some": (None, lambda values: values or None),
    "comma": (None, _comma_list),
    "entities": (None, _entities),
    "json": (None, _json),
    "duration": (None, _duration),
    "input": (click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path), None),
    "input path": (click.Path(exists=True, allow_dash=True, path_type=Path), None),
    "new file": (click.Path(dir_okay=False, path_type=Path), _in_a_folder),
    "folder": (click.Path(exists=True, file_okay=False, path_type=Path), None),
    "path": (click.Path(exists=True, path_type=Path), None),
    "existing": (click.Path(exists=True), None),
    "file": (click.Path(exists=True, dir_okay=False, path_type=Path), None),
    "any file": (click.Path(dir_okay=False, path_type=Path), None),
    "new path": (click.Path(path_type=Path), _in_a_folder),
    "output": (click.Path(dir_okay=False, allow_dash=True, path_type=Path), _in_a_folder),
}
"""Form of a declared parameter -> click's type and what reads the text."""
