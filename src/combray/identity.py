"""Ids: UUIDv7 (RFC 9562, 5.7), so that ids sort by the time a memory was recorded."""

from __future__ import annotations

import os
import threading
import uuid
from datetime import datetime

_lock = threading.Lock()
_last = 0
_COUNTER_BITS = 12 + 14


def new_id(recorded: datetime) -> str:
    """A new id. Ids made by one process in one millisecond still ascend (method 1 of RFC 9562, 6.2)."""
    global _last
    milliseconds = max(0, int(recorded.timestamp() * 1000))
    with _lock:
        # A random start within the millisecond, then counting: 2^25 ids fit behind it.
        floor = (milliseconds << _COUNTER_BITS) | int.from_bytes(os.urandom(4)) >> (32 - _COUNTER_BITS + 1)
        same = _last >> _COUNTER_BITS == milliseconds
        _last = _last + 1 if same else floor
        value = _last
    milliseconds, counter = value >> _COUNTER_BITS, value & ((1 << _COUNTER_BITS) - 1)
    high, low = counter >> 14, counter & 0x3FFF
    tail = int.from_bytes(os.urandom(6))
    number = (milliseconds & (1 << 48) - 1) << 80 | 7 << 76 | high << 64 | 2 << 62 | low << 48 | tail
    return str(uuid.UUID(int=number))
