"""Pages of lists: the engine gives a list from its beginning, and a cursor says where the page before ended.

A cursor holds the query's digest, the place of the last item, and a hash of the item's id. The next page begins
behind that item, wherever it is by then, so what is written in between neither repeats nor skips items that stay.
If the item is gone, the page begins at its place. `GET /v1/memories` has cursors of the store's own.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import typing
from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec

from combray.engine.settling import Pairs
from combray.errors import InvalidInputError
from combray.records import dataclass
from combray.server.results import PagePart, types_of
from combray.values import show
from combray.verbs.declaration import Parameter, Verb

MOST = 1_000
"""Items of a page."""
_NEW = 1_000
"""Items that may have come before the last one since its page."""
_FURTHEST = 10_000_000
AFTER = Parameter("after", "The cursor of the page before.", default="")
LIMIT = Parameter("limit", "Items of a page.", type="integer", default=MOST, low=1, high=MOST)
_NAMES = ("id", "seq", "number", "name", "memory", "new", "old", "first", "second", "path")
"""Fields that say which item it is, whatever else of it changes."""


@cache
def paged(verb: Verb) -> bool:
    """Whether a verb returns a list that may grow."""
    return any(typing.get_origin(each) is list for each in types_of(verb))


@dataclass(frozen=True, slots=True)
class PageRequest:
    """Which part of a list a request wants."""

    asked: str
    limit: int
    place: int = 0
    last: str = ""

    @classmethod
    def of(cls, path: str, namespace: str, arguments: dict[str, Any], own: Parameter | None) -> PageRequest:
        """Take the cursor out of the arguments, and let the engine give enough. `own`: the verb's limit.

        Raises InvalidInputError for a cursor that is forged, or of another list.
        """
        after = str(arguments.pop("after", "") or "")
        limit = int(arguments.pop("limit", None) or (own or LIMIT).default)
        named = json.dumps([path, namespace, arguments], sort_keys=True, default=str)
        asked = hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        place, last = _opened(after, asked) if after else (0, "")
        if own is not None:
            wanted = place + limit + 1 + (_NEW if after else 0)
            arguments["limit"] = min(wanted, int(own.high or _FURTHEST))
        return cls(asked, limit, place, last)

    def __call__(self, found: list[Any]) -> PagePart:
        """Return the page of a list."""
        start = self._start(found) if self.last else 0
        items = found[start : start + self.limit]
        more = start + self.limit < len(found)
        cursor = _closed(self.asked, start + len(items), _identity(items[-1])) if more and items else None
        extra = {"due": found.due} if isinstance(found, Pairs) else {}
        return PagePart(items, cursor, extra)

    def _start(self, found: list[Any]) -> int:
        """Return the place behind the last item: it is sought from its old place on, then before that."""
        old = self.place - 1
        for place in (*range(max(0, old), len(found)), *range(min(old, len(found)) - 1, -1, -1)):
            if _identity(found[place]) == self.last:
                return int(place + 1)
        return int(min(max(0, old), len(found)))


def _identity(item: Any) -> str:
    return hashlib.sha256(json.dumps(_naming(item), default=str).encode("utf-8", "replace")).hexdigest()[:16]


def _naming(item: Any) -> Any:
    if isinstance(item, (str, int, Mapping)):
        return item
    found = {name: _naming(value) for name in _NAMES if (value := getattr(item, name, None)) is not None}
    return found or msgspec.to_builtins(item, enc_hook=str)


def _closed(asked: str, place: int, last: str) -> str:
    return base64.urlsafe_b64encode(json.dumps([asked, place, last]).encode()).decode().rstrip("=")


def _opened(cursor: str, asked: str) -> tuple[int, str]:
    try:
        plain = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        belongs, place, last = json.loads(plain)
        if type(place) is not int or not 0 < place < _FURTHEST or not isinstance(last, str):
            raise ValueError
    except (ValueError, TypeError, RecursionError, binascii.Error):
        remedy = "Give the cursor of the page before."
        raise InvalidInputError("after", f"{show(cursor)} is not a cursor.", remedy) from None
    if belongs != asked:
        raise InvalidInputError(
            "after", "is the cursor of another list.", "Keep the path, namespace and arguments as they were."
        )
    return place, last
