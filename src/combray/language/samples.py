"""Everyday sentences of each language about unrelated things: what a text without a connection looks like."""

from __future__ import annotations

import msgspec

from combray.language.tables import section


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    sentences: list[str] = []


_tables = section("samples", _Table)


def samples(language: str) -> list[str]:
    """Return the sentences of a language (ISO 639-1), those of English for a language without any."""
    tables = _tables()
    return (tables.get(language) or tables["en"]).sentences
