"""Which memories were put into the prompts of a session, so that none is put in twice.

The store keeps the keys of memories under a hash of the session's name: no text and no id. Keys are never used
again, so the key of an erased memory names nothing. At most `SESSIONS` sessions of `MOST` memories are kept; the
one used longest ago gives way.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Sequence

import numpy as np

from combray.errors import StoreBusyError, StoreError
from combray.records import dataclass
from combray.runtime import Reader, Store, Writer
from combray.runtime.calls import briefly, step

LOG = logging.getLogger(__name__)

SHOWN = "note what is shown"
"""The step within the transaction that notes it: a follower that raises there has nothing noted."""
SESSIONS = 32
MOST = 2_000
"""Memories remembered of a session; after that the first ones may be shown again."""
_INDEX = "shown"
_Places = dict[str, tuple[int, int]]
"""By session, the one used last at the end: the slot of its keys, and the highest number that a line had."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What the prompts of a session held: ids and texts, oldest first, and the highest number of a line."""

    ids: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    number: int = 0


def shown_before(reader: Reader, session: str) -> Shown:
    """Return what was shown in the session and still exists."""
    place, number = _places(reader).get(_name(session), (-1, 0))
    if place < 0:
        return Shown()
    keys = np.array(_keys(reader, place), dtype=np.int64)
    return Shown(tuple(filter(None, reader.ids(keys))), tuple(filter(None, reader.contents(keys))), number)


def add_shown(store: Store, namespace: str, session: str, ids: Sequence[str], number: int) -> None:
    """Add what is shown now, up to line `number`. If that cannot be written, a later prompt may repeat it."""

    def extended(tx: Writer, place: int) -> str:
        step(SHOWN)
        new = tx.keys_of(ids).values()
        return ",".join(map(str, list(dict.fromkeys([*_keys(tx, place), *new]))[-MOST:]))

    if ids:
        _change(store, namespace, session, extended, number)


def forget_shown(store: Store, namespace: str, session: str) -> bool:
    """Forget what was shown: the prompt was compacted, and what it held may be lost. Numbers go on.

    Return False if another process writes, so that it must be done later.
    """
    known = _name(session) in _places(store.reader(namespace))
    return not known or _change(store, namespace, session, lambda _tx, _place: "", 0)


def _change(store: Store, namespace: str, session: str, value: Callable[[Writer, int], str], number: int) -> bool:
    """Change what is kept of a session. Return False if another process writes: a read does not wait for it."""
    if not store.writable:
        return True
    try:
        with briefly(), store.transaction(namespace) as tx:
            places = _places(tx)
            place, highest = places.pop(_name(session), (-1, 0))
            if place < 0:
                free = set(range(SESSIONS)) - {slot for slot, _ in places.values()}
                place = min(free) if free else places.pop(next(iter(places)))[0]
                tx.keep(_slot(place), "")
            places[_name(session)] = place, max(number, highest)
            tx.keep(_slot(place), value(tx, place))
            tx.keep(_INDEX, json.dumps(places))
    except StoreBusyError:
        LOG.debug("what was shown in a session was not stored: another process writes")
        return False
    except StoreError:
        LOG.warning("what was shown in a session could not be stored", exc_info=True)
    return True


def _places(reader: Reader) -> _Places:
    text = reader.kept(_INDEX)
    return {name: (slot, number) for name, (slot, number) in json.loads(text).items()} if text else {}


def _keys(reader: Reader, place: int) -> list[int]:
    return [int(each) for each in reader.kept(_slot(place)).split(",") if each]


def _name(session: str) -> str:
    return hashlib.sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _slot(place: int) -> str:
    return f"{_INDEX}:{place}"
