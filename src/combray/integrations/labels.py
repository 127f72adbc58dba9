"""Labels of a framework, such as the id of a user, as parts of a namespace's name. Needs no framework."""

from __future__ import annotations

import re
from urllib.parse import unquote

_UNSAFE = re.compile(r"[%/\s]")


def label(text: str) -> str:
    """Return a label as a part of a namespace's name: no slash, no white space, only printable characters."""
    return "".join(_escaped(each) for each in text)


def _escaped(character: str) -> str:
    if character.isprintable() and not _UNSAFE.match(character):
        return character
    return "".join(f"%{each:02X}" for each in character.encode("utf-8", "surrogatepass"))


def named(name: str) -> tuple[str, ...]:
    """Return the labels that a namespace's name was made of, without the root's."""
    return tuple(unquote(each, errors="surrogatepass") for each in name.split("/")[1:])
