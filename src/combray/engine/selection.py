"""Which memories a call means: ids, or a filter whose number of matches the caller confirms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, TypedDict

from combray.errors import InvalidInputError, NotFoundError, brief
from combray.runtime import Order, Reader
from combray.types import Status, Where
from combray.where import Condition, fields_of, joined, one_of_texts, parse

if TYPE_CHECKING:
    from combray.audit.erasure import Certificate

_EVERY = 2**62
_SHOWN = 3


class Several(TypedDict, total=False):
    """What a change of several memories takes beside their ids.

    `where` selects by a filter instead; it needs `confirm`, the count that `dry_run` reports.
    """

    where: Where | None
    dry_run: bool
    confirm: int | None


class SeveralErased(Several, total=False):
    """What an erasure of several memories takes beside their ids."""

    derived: bool
    prove: bool
    also: Sequence[str | PathLike[str]]


@dataclass(frozen=True, slots=True)
class Changed:
    """What a call on several memories did, or with `dry_run` would do. Ids in the order of recording."""

    ids: tuple[str, ...]
    count: int
    dry_run: bool = False
    certificate: Certificate | None = None
    """The proof of an erasure, if it was asked for."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Ids, or a condition, as one call gives them."""

    ids: tuple[str, ...]
    condition: Condition | None
    confirm: int | None

    def keys(self, reader: Reader, namespace: str) -> list[int]:
        """The keys of what is selected, as the reader sees it. Raises NotFoundError for an unknown id."""
        if self.condition is not None:
            return reader.page(self.condition, Order(descending=False), _EVERY)
        found = reader.keys_of(self.ids)
        missing = [each for each in self.ids if each not in found]
        if missing:
            more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
            named = ", ".join(repr(each) for each in missing[:_SHOWN])
            raise NotFoundError(f"no memory {named}{more} in namespace {namespace!r}; nothing was changed")
        return list(dict.fromkeys(found[each] for each in self.ids))

    def check(self, count: int) -> None:
        """Raise InvalidInputError if the caller has not confirmed how many memories a filter matches."""
        if self.confirm == count or (self.confirm is None and self.condition is None):
            return
        given = "is not given" if self.confirm is None else f"is {brief(self.confirm)}"
        what = "the filter matches" if self.condition is not None else "the ids name"
        raise InvalidInputError(
            "confirm",
            f"{given}, but {what} {count} memories. Nothing was changed.",
            f"Look at them with a dry run, then give confirm={count}.",
        )


def selection(
    ids: Sequence[str] | None, where: Where | None, confirm: int | None, statuses: tuple[Status, ...], now: float
) -> Selection:
    """What a call means. A filter that does not name `status` selects only memories of the given statuses."""
    if (ids is None) == (where is None):
        raise InvalidInputError(
            "ids", "and where are both given." if where else "and where are both missing.", "Give one of the two."
        )
    if ids is not None:
        if isinstance(ids, (str, bytes)) or not isinstance(ids, Sequence) or not ids:
            raise InvalidInputError("ids", f"must be a list of ids, not {brief(ids)}.", "Name at least one.")
        if wrong := [each for each in ids if not isinstance(each, str)]:
            raise InvalidInputError("ids", f"{brief(wrong[0])} is not a text.", "Give ids as texts.")
        return Selection(tuple(each.strip() for each in ids), None, confirm)
    condition = parse(where, now)
    if condition is None:
        raise InvalidInputError(
            "where", "is empty and matches every memory.", 'Name a field, or say {"id": {"exists": true}}.'
        )
    if statuses and "status" not in fields_of(condition):
        condition = joined(one_of_texts("status", statuses), condition)
    return Selection((), condition, confirm)
