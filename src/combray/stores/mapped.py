"""Arrays in one file that every process maps: opening it reads nothing, and all processes share its pages.

The file is a header and the arrays, each at the start of a page and with room to grow. It is written under
another name and renamed when it is whole. A process may change its arrays: the changes are its own and never
reach the file.
"""

from __future__ import annotations

import mmap
import os
import struct
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from combray.records import dataclass, known

_MAGIC = b"COMBRAY\x01"
_PAGE = 4096
_FRONT = struct.Struct("<8sII")
"""Magic, length of the header, its CRC."""


class _Place(msgspec.Struct, array_like=True):
    dtype: str
    width: int
    room: int
    offset: int


class _Header(msgspec.Struct):
    size: int
    about: dict[str, Any]
    arrays: dict[str, _Place]


@dataclass(frozen=True, slots=True)
class Mapped:
    """What a file holds: `about` is what its writer said of it. Rows of an array that are not used are zeros."""

    about: dict[str, Any]
    arrays: dict[str, NDArray[Any]]


def write(path: Path, about: Mapping[str, Any], arrays: Mapping[str, tuple[NDArray[Any], int]]) -> None:
    """Write arrays of one or two dimensions, each with its room in rows, and flush them to the disk.

    Raises OSError. The file is readable by its owner only.
    """
    places: dict[str, _Place] = {}
    # The places' own digits make the header longer: it gets pages enough for any.
    start = _pages(4096 + 128 * len(arrays) + 2 * len(msgspec.json.encode(about)))
    end = start
    for name, (array, room) in arrays.items():
        width = array.shape[1] if array.ndim == 2 else 0
        places[name] = _Place(array.dtype.str, width, room, end)
        end += _pages(room * max(width, 1) * array.dtype.itemsize)
    header = msgspec.json.encode(_Header(end, dict(about), places))
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    with path.open("r+b") as file:
        file.write(_FRONT.pack(_MAGIC, len(header), zlib.crc32(header)) + header)
        for name, (array, _) in arrays.items():
            file.seek(places[name].offset)
            file.write(np.ascontiguousarray(array).data)
        file.truncate(end)
        file.flush()
        os.fsync(file.fileno())


def read(path: Path) -> Mapped | None:
    """Map a file; None if there is none, or it is not whole, or another version wrote it."""
    with suppress(OSError, ValueError, TypeError, msgspec.MsgspecError, struct.error), path.open("rb") as file:
        magic, length, checksum = _FRONT.unpack(file.read(_FRONT.size))
        text = file.read(length)
        if magic != _MAGIC or zlib.crc32(text) != checksum:
            return None
        header = msgspec.json.decode(text, type=known(_Header))
        if os.fstat(file.fileno()).st_size != header.size:
            return None
        whole = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
        return Mapped(header.about, {name: _array(whole, place) for name, place in header.arrays.items()})
    return None


def _array(whole: mmap.mmap, place: _Place) -> NDArray[Any]:
    count = place.room * max(place.width, 1)
    if not count:
        return np.zeros((0, place.width) if place.width else 0, dtype=place.dtype)
    array = np.frombuffer(whole, dtype=place.dtype, count=count, offset=place.offset)
    return array.reshape(place.room, place.width) if place.width else array


def _pages(size: int) -> int:
    return -(-size // _PAGE) * _PAGE
