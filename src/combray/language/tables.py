"""The loader of the language tables: a folder per language, with named sections in a few JSON files.

`language/<code>/phrases.json` holds sections by name, `language/<code>/<section>.json` one large section; `code`
is a lower-case ISO 639 code. Every section is optional. The module that uses a section declares its type, so a
table is checked when it is first read. To add a language see docs/howto/add-a-language.md.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from combray.errors import InvalidInputError
from combray.language.caches import forget_tables, from_tables
from combray.records import known

T = TypeVar("T")

SECTIONS = (
    "aliases", "dates", "expansion", "frames", "guard", "names", "noise",
    "pronouns", "quality", "questions", "replacements", "revisions", "samples", "savings", "script",
    "tense", "topics", "trivial", "words",
)  # fmt: skip
"""Keys of `phrases.json`, and names of further files without `.json`."""
_SEVERAL = "phrases.json"

_PACKAGED = Path(__file__).parent
_code = re.compile("[a-z]{2,3}").fullmatch
_folders: list[Path] = [_PACKAGED]


def _languages_in(folder: Path) -> list[Path]:
    return sorted(each for each in folder.iterdir() if _code(each.name) and each.is_dir())


@from_tables
def _files() -> dict[str, list[Path]]:
    """Return the files of each section, those of an added folder last. One listing serves all sections."""
    found: dict[str, list[Path]] = {}
    for folder in (each for added in _folders for each in _languages_in(added)):
        for path in folder.glob("*.json"):
            for name in _parts(path) if path.name == _SEVERAL else (path.stem,):
                found.setdefault(name, []).append(path)
    return found


@from_tables
def _parts(path: Path) -> dict[str, msgspec.Raw]:
    """Return the sections of a file of several, unread. Each is in no other file of its folder."""
    parts = _decoded(path, path.read_bytes(), dict[str, msgspec.Raw])
    for name in parts:
        if name not in SECTIONS:
            raise InvalidInputError(
                f"language table {_named(path)}: {name!r}", "is not a section.", f"Use {', '.join(SECTIONS)}."
            )
        if path.with_name(f"{name}.json").exists():
            raise InvalidInputError(
                f"language table {_named(path)}: {name!r}",
                f"is also in {name}.json.",
                "Keep a section in one file of a language.",
            )
    return parts


def _named(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


def _decoded(path: Path, data: bytes | msgspec.Raw, shape: type[T]) -> T:
    try:
        # The only type that msgspec does not know is a pattern.
        return msgspec.json.decode(data, type=known(shape), dec_hook=lambda _, text: re.compile(text))
    except (msgspec.MsgspecError, UnicodeDecodeError, re.error) as error:
        raise InvalidInputError(
            f"language table {_named(path)}",
            f"cannot be read: {error}.",
            f"Compare {path} with combray/language/en/{path.name}.",
        ) from error


def section(name: str, shape: type[T]) -> Callable[[], dict[str, T]]:
    """Return a function that gives a section of every language that has it, by code, in order of code.

    The files are read on the first call. The function raises InvalidInputError, which names the file and the
    key, if a file is not valid JSON, has an unknown key or a value of the wrong type.
    """

    @from_tables
    def read() -> dict[str, T]:
        found: dict[str, T] = {}
        for path in _files().get(name, ()):
            data = _parts(path)[name] if path.name == _SEVERAL else path.read_bytes()
            found[path.parent.name] = _decoded(path, data, shape)
        return dict(sorted(found.items()))

    return read


_scripts = section("script", str)


@from_tables
def by_script() -> dict[str, str]:
    """Return the language that most texts of a script are in, by `scripts.script`: its table says so."""
    return {script: code for code, script in _scripts().items()}


def default() -> str:
    """Return the language of a text that speaks for none."""
    return by_script()["latin"]


def english_first(codes: Iterable[str]) -> list[str]:
    """The codes in order, English in front: where two languages are equally likely, English is preferred."""
    return sorted(codes, key=lambda code: (code != default(), code))


def filled(pattern: str, macros: Sequence[str]) -> str:
    """Return a pattern with the macros of its table: `{name}` stands for "name=REGULAR EXPRESSION".

    A macro may use those above it.
    """
    for name, _, value in reversed([each.partition("=") for each in macros]):
        pattern = pattern.replace(f"{{{name}}}", f"(?:{value})")
    return pattern


def phrase_lists(name: str, keys: str) -> Callable[[str], list[str]]:
    """Return a function that gives the phrases of every language under a key of a section.

    For sections whose values are all lists of phrases. `keys` are the keys that they may have, in one text.
    """
    fields: Any = [(key, list[str], []) for key in keys.split()]
    tables = section(name, msgspec.defstruct(name, fields, frozen=True, forbid_unknown_fields=True))
    return lambda key: [phrase for table in tables().values() for phrase in getattr(table, key)]


def add_folder(folder: Path) -> list[str]:
    """Use the languages of one more folder in this process; return their codes.

    The folder holds one folder per language. A section that it holds replaces the shipped section of the same
    language. Raises InvalidInputError if the folder holds no language or a file that is not a section.
    """
    if not folder.is_dir():
        raise InvalidInputError(
            "language folder", f"{folder} is not a folder.", "Pass a folder of language folders."
        )
    found = _languages_in(folder)
    if not found:
        raise InvalidInputError(
            "language folder", f"{folder} holds no language.", "Put each language into a folder such as eo/."
        )
    for path in (path for each in found for path in each.glob("*.json")):
        if path.name == _SEVERAL:
            _parts(path)
        elif path.stem not in SECTIONS:
            known = ", ".join(SECTIONS)
            raise InvalidInputError(
                f"language table {_named(path)}", "is not a section.", f"Use {_SEVERAL}, or {known}."
            )
    if folder not in _folders:
        _folders.append(folder)
        forget_tables()
    return [each.name for each in found]


def remove_folder(folder: Path) -> None:
    """Undo `add_folder`; a folder that was never added is ignored."""
    if folder in _folders[1:]:
        _folders.remove(folder)
        forget_tables()


@from_tables
def fingerprint() -> str:
    """A checksum of the files of all added folders; "" if none was added.

    The keyword index depends on the tables, so a store rebuilds it when this changes.
    """
    total = 0
    paths = (path for folder in _folders[1:] for path in sorted(folder.glob("*/*.json")))
    for path in paths:
        total = zlib.crc32(f"{path.parent.name}/{path.name}".encode() + path.read_bytes(), total)
    return f"{total:08x}" if len(_folders) > 1 else ""
