"""Checks of single values that a caller gave, each with an error that says what to do."""

from __future__ import annotations

from typing import Any

from combray.errors import InvalidInputError, brief


def clean_text(field: str, value: Any, longest: int) -> str:
    """A storable text. Raises InvalidInputError for a wrong type, length, NUL or lone surrogate."""
    if not isinstance(value, str):
        raise InvalidInputError(field, f"must be a text, not {show(value)}.")
    if len(value) > longest:
        raise InvalidInputError(
            field,
            f"has {len(value)} characters, at most {longest} are allowed.",
            "Split it into several memories.",
        )
    if "\x00" in value:
        raise InvalidInputError(
            field, f"holds a NUL character at position {value.index(chr(0))}.", "Take it out."
        )
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidInputError(
            field,
            f"is not valid Unicode at position {error.start} (a lone surrogate).",
            "Decode the text correctly.",
        ) from None
    return value


def one_of(field: str, value: Any, allowed: tuple[Any, ...]) -> Any:
    """The value, if it is allowed."""
    if value not in allowed:
        raise InvalidInputError(field, f"{show(value)} is not known.", f"Use one of: {', '.join(allowed)}.")
    return value


def whole(field: str, value: Any, least: int, most: int) -> int:
    """A whole number in a range."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidInputError(field, f"must be a whole number, not {show(value)}.")
    if not least <= value <= most:
        raise InvalidInputError(field, f"{brief(value)} is out of range.", f"Use {least} to {most}.")
    return value


def fraction(field: str, value: Any) -> float:
    """A number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0.0 <= value <= 1.0:
        raise InvalidInputError(field, f"must be a number from 0 to 1, not {show(value)}.")
    return float(value)


def show(value: Any) -> str:
    """A value as an error message names it: its type, and not more than a line of it."""
    return f"{type(value).__name__} {brief(value)}"
