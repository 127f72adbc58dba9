"""Ids are UUIDv7 (RFC 9562, 5.7)."""

from __future__ import annotations

import threading
import uuid
from datetime import UTC, datetime, timedelta

from combray.values import new_id

MOMENT = datetime(2024, 5, 1, 12, 0, 0, 123_000, tzinfo=UTC)


def test_layout() -> None:
    made = uuid.UUID(new_id(MOMENT))
    assert made.version == 7
    assert made.variant == uuid.RFC_4122
    # The first 48 bits are unix milliseconds.
    assert made.int >> 80 == 1_714_564_800_123


def test_ids_of_one_millisecond_ascend() -> None:
    ids = [new_id(MOMENT) for _ in range(20_000)]
    assert ids == sorted(ids)
    assert len(set(ids)) == len(ids)
    assert {uuid.UUID(each).int >> 80 for each in ids} == {1_714_564_800_123}
    assert {uuid.UUID(each).version for each in ids} == {7}
    assert {uuid.UUID(each).variant for each in ids} == {uuid.RFC_4122}


def test_ids_sort_by_the_moment_recorded() -> None:
    later = new_id(MOMENT + timedelta(milliseconds=1))
    assert new_id(MOMENT) < later
    assert new_id(datetime(1999, 1, 1, tzinfo=UTC)) < new_id(MOMENT)


def test_moments_before_1970_and_far_ahead() -> None:
    assert uuid.UUID(new_id(datetime(1, 1, 1, tzinfo=UTC))).int >> 80 == 0
    far = uuid.UUID(new_id(datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)))
    assert (far.version, far.int >> 80) == (7, 253_402_300_799_000)


def test_threads_never_share_an_id() -> None:
    made: list[str] = []

    def make() -> None:
        made.extend([new_id(MOMENT) for _ in range(2_000)])

    threads = [threading.Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(made)) == 8_000
