"""The date table of each language (`<code>/dates.json`). The package documentation describes its keys."""

from __future__ import annotations

from typing import Any

import msgspec

from combray.language.tables import section


class NumberTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The number words of a language; `NumberWords` in lexer.py describes the keys."""

    units: dict[str, int] = {}
    multipliers: dict[str, int] = {}
    joiners: list[str] = []
    concatenated: list[int] = []


class DateTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The date table of one language, as written."""

    script: str
    words: dict[str, dict[str, Any] | list[str]]
    rules: list[list[Any]]
    always: bool = False
    letters: str = ""
    fold_accents: bool = False
    variants: dict[str, str] = {}
    orders: tuple[str, ...] = ("dmy", "ymd")
    numbers: NumberTable = NumberTable()
    cues: list[str] = []
    forward: list[str] = []
    forward_endings: list[str] = []
    weak: list[str] = []
    modals: list[str] = []
    introducers: list[str] = []
    anchors: list[str] = []
    patterns: list[str] = []
    distances: list[str] = []
    stop: list[str] = []


date_tables = section("dates", DateTable)
