"""Texts that Combray writes as whole files: the skill, the rule, and hooks in JavaScript."""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).parent


def text_of(name: str, **values: str) -> str:
    """Return a text of this folder; `@@NAME@@` in it is replaced by the value of that name."""
    text = (_HERE / name).read_text(encoding="utf-8")
    for key, value in values.items():
        text = text.replace(f"@@{key.upper()}@@", value)
    return text


def script(name: str, call: str, options: str, **values: str) -> str:
    """Return a script that calls hooks. `call`, `options`: JSON lists of the words around the hook's name."""
    return text_of(name, calling=text_of("calling.js", call=call, options=options), **values)
