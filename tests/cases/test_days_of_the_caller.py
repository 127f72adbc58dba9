"""Days are those of the caller's time zone (vectorize-io/hindsight#4356, vshulcz/deja-vu#767).

Also the day of an expiry (mem0ai/mem0#6931). Moments stay UTC in the store.
"""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, date, datetime
from io import StringIO
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from click.testing import CliRunner

import combray
from combray import Engine, InvalidInputError
from combray.interfaces.cli import combray as shell
from combray.values import read_zone

BOILER = "The boiler was inspected."


class Clock:
    """A clock that shows a wall time of a zone."""

    def __init__(self, zone: str, shown: str) -> None:
        self.zone = ZoneInfo(zone)
        self.set(shown)

    def set(self, shown: str) -> None:
        self.now = datetime.fromisoformat(shown).replace(tzinfo=self.zone).timestamp()

    def __call__(self) -> float:
        return self.now


def opened(zone: str, shown: str, **options: object) -> tuple[Engine, Clock]:
    clock = Clock(zone, shown)
    return combray.open(":memory:", timezone=zone, clock=clock, **options), clock  # type: ignore[arg-type]


def found(engine: Engine, query: str, **options: object) -> list[str]:
    return [hit.memory.content for hit in engine.recall(query, **options)]  # type: ignore[arg-type]


TOKYO = "Asia/Tokyo", "2026-06-02T00:30"
ANGELES = "America/Los_Angeles", "2026-06-01T22:30"
LATER = {TOKYO: "2026-06-02T10:00", ANGELES: "2026-06-02T10:00"}


@pytest.mark.parametrize("preset", ["default", "engram"])
@pytest.mark.parametrize(
    ("stored", "question", "there"),
    [
        (TOKYO, "What happened yesterday?", False),
        (TOKYO, "What happened today?", True),
        (TOKYO, "What happened on 2 June?", True),
        (TOKYO, "What happened on 1 June?", False),
        (ANGELES, "What happened on June 1?", True),
        (ANGELES, "What happened yesterday?", True),
        (TOKYO, "Was ist gestern passiert?", False),
        (TOKYO, "Was ist am 2. Juni passiert?", True),
        (TOKYO, "昨天发生了什么？", False),
        (ANGELES, "昨天发生了什么？", True),
        (ANGELES, "Was ist gestern passiert?", True),
        (ANGELES, "¿Qué pasó ayer?", True),
        (TOKYO, "Que s'est-il passé hier ?", False),
    ],
)
def test_a_question_for_a_day(stored: tuple[str, str], question: str, there: bool, preset: str) -> None:
    engine, clock = opened(*stored, preset=preset)
    with engine:
        engine.remember(BOILER)
        clock.set(LATER[stored])
        assert (BOILER in found(engine, question)) is there


def test_a_question_for_the_day_after() -> None:
    engine, clock = opened(*ANGELES)
    with engine:
        engine.remember(BOILER)
        clock.set("2026-06-03T10:00")
        assert found(engine, "What happened on June 1?") == [BOILER]
        assert found(engine, "What happened on June 2?") == []


@pytest.mark.parametrize(
    ("stored", "options", "there"),
    [
        (TOKYO, {"since": "today"}, True),
        (TOKYO, {"since": "2026-06-02"}, True),
        (TOKYO, {"until": "2026-06-02"}, False),
        (TOKYO, {"since": date(2026, 6, 2)}, True),
        (TOKYO, {"since": datetime(2026, 6, 2, 0, 30)}, True),
        (TOKYO, {"where": {"recorded_at": {"gte": "2026-06-02"}}}, True),
        (TOKYO, {"where": {"recorded_at": {"lt": "2026-06-02"}}}, False),
        (TOKYO, {"as_of": "2026-06-02"}, False),
        (ANGELES, {"since": "2026-06-02"}, False),
        (ANGELES, {"until": "2026-06-02"}, True),
        (ANGELES, {"since": "yesterday", "until": "today"}, True),
        (ANGELES, {"since": "2026-06-02T05:00Z"}, True),
        (ANGELES, {"since": "2026-06-02T06:00Z"}, False),
    ],
)
def test_filters_by_a_day(stored: tuple[str, str], options: dict[str, object], there: bool) -> None:
    engine, clock = opened(*stored)
    with engine:
        engine.remember(BOILER)
        clock.set(LATER[stored])
        assert (BOILER in found(engine, "boiler", **options)) is there


@pytest.mark.parametrize(
    ("zone", "said", "text", "day"),
    [
        ("Asia/Tokyo", "2026-06-02T00:30", "I saw the dentist yesterday.", "2026-06-01"),
        ("America/Los_Angeles", "2026-06-01T22:30", "I saw the dentist yesterday.", "2026-05-31"),
        ("Asia/Tokyo", "2026-06-02T00:30", "Ich war gestern beim Zahnarzt.", "2026-06-01"),
        ("America/Los_Angeles", "2026-06-01T22:30", "昨天我去看了牙医。", "2026-05-31"),
        # 23 and 25 hours long.
        ("Europe/Berlin", "2026-03-30T08:00", "I saw the dentist yesterday.", "2026-03-29"),
        ("Europe/Berlin", "2026-10-26T08:00", "I saw the dentist yesterday.", "2026-10-25"),
    ],
)
def test_what_a_text_says_is_a_day_there(zone: str, said: str, text: str, day: str) -> None:
    engine, _ = opened(zone, said)
    with engine:
        memory = engine.get(engine.remember(text).id)
        assert memory.occurred_from is not None
        assert memory.occurred_to is not None
        local = ZoneInfo(zone)
        start = datetime.fromisoformat(day).replace(tzinfo=local)
        assert memory.occurred_from == start
        assert memory.occurred_to.astimezone(local).date().toordinal() == start.date().toordinal() + 1
        assert memory.recorded_at == datetime.fromisoformat(said).replace(tzinfo=local)


@pytest.mark.parametrize(
    ("day", "hours", "first", "last"),
    [
        ("2026-03-29", 23, "2026-03-29T00:10", "2026-03-29T23:50"),
        ("2026-10-25", 25, "2026-10-25T00:10", "2026-10-25T23:50"),
    ],
)
def test_a_day_of_another_length_is_one_day(day: str, hours: int, first: str, last: str) -> None:
    engine, clock = opened("Europe/Berlin", first)
    with engine:
        engine.remember("The roof was painted.")
        clock.set(last)
        engine.remember("The ladder was returned.")
        clock.set(f"{day[:8]}{int(day[8:]) + 1:02}T00:20")
        engine.remember("The bill came.")
        clock.set(f"{day[:8]}{int(day[8:]) + 1:02}T12:00")
        assert sorted(found(engine, "What happened yesterday?")) == [
            "The ladder was returned.",
            "The roof was painted.",
        ]
        assert found(engine, "What happened today?")[0] == "The bill came."
        start = datetime.fromisoformat(day).replace(tzinfo=ZoneInfo("Europe/Berlin")).timestamp()
        assert clock.now > start + hours * 3600


@pytest.mark.parametrize(
    ("zone", "given", "holds", "over"),
    [
        ("America/Los_Angeles", "2026-08-13", "2026-08-12T18:00", "2026-08-14T00:00"),
        ("America/Los_Angeles", "2026-08-13", "2026-08-13T23:59", "2026-08-14T00:00"),
        ("Asia/Tokyo", "2026-08-13", "2026-08-13T23:59", "2026-08-14T00:00"),
        ("Asia/Tokyo", date(2026, 8, 13), "2026-08-13T23:59", "2026-08-14T00:00"),
        ("Asia/Tokyo", "13 August 2026", "2026-08-13T23:59", "2026-08-14T00:00"),
        ("Asia/Tokyo", "2026-08-13T12:00", "2026-08-13T11:59", "2026-08-13T12:00"),
        ("Asia/Tokyo", "2026-08-13T12:00Z", "2026-08-13T20:59", "2026-08-13T21:00"),
        ("Europe/Berlin", "2026-10-25", "2026-10-25T23:59", "2026-10-26T00:00"),
        ("Europe/Berlin", "2026-03-29", "2026-03-29T23:59", "2026-03-30T00:00"),
    ],
)
def test_a_date_of_expiry_holds_to_the_end_of_its_day(
    zone: str, given: str | date, holds: str, over: str
) -> None:
    engine, clock = opened(zone, "2026-03-01T12:00")
    with engine:
        engine.remember("The visitor badge is in drawer 3.", expires_at=given)
        clock.set(holds)
        assert found(engine, "visitor badge")
        clock.set(over)
        assert not found(engine, "visitor badge")


def test_an_expiry_in_words_is_a_day_too() -> None:
    engine, clock = opened("America/Los_Angeles", "2026-08-12T18:00")
    with engine:
        engine.remember("The visitor badge is in drawer 3.", expires_at="tomorrow")
        clock.set("2026-08-13T23:30")
        assert found(engine, "visitor badge")
        clock.set("2026-08-14T00:00")
        assert not found(engine, "visitor badge")


@pytest.mark.parametrize("zone", ["America/Los_Angeles", "Asia/Tokyo", "UTC"])
def test_a_validity_by_dates_begins_and_ends_where_the_days_begin(zone: str) -> None:
    engine, _ = opened(zone, "2026-06-01T12:00")
    with engine:
        done = engine.remember("The lift is closed.", valid_from="2026-06-10", valid_to="2026-06-12")
        memory, local = engine.get(done.id), ZoneInfo(zone)
        assert memory.valid_from == datetime(2026, 6, 10, tzinfo=local)
        assert memory.valid_to == datetime(2026, 6, 12, tzinfo=local)
        engine.update(done.id, valid_to="2026-06-14")
        assert engine.get(done.id).valid_to == datetime(2026, 6, 14, tzinfo=local)


def test_an_engine_has_its_own_zone() -> None:
    engines = [opened(*TOKYO)[0], opened(*ANGELES)[0]]
    for engine in engines:
        engine.remember(BOILER)
    assert [str(engine.recall("boiler").hits[0].memory.recorded_at)[:10] for engine in engines] == [
        "2026-06-02",
        "2026-06-01",
    ]
    for engine in engines:
        engine.close()


def test_the_store_holds_utc(tmp_path: Path) -> None:
    path, clock = str(tmp_path / "a.db"), Clock(*TOKYO)
    with combray.open(path, timezone="Asia/Tokyo", clock=clock) as engine:
        kept = engine.remember(BOILER, expires_at="2026-08-13").id
        stream = StringIO()
        engine.store.export_to(stream)
    exported = stream.getvalue()
    assert '"recorded_at":"2026-06-01T15:30:00Z"' in exported
    assert '"expires_at":"2026-08-13T15:00:00Z"' in exported
    with combray.open(path, timezone="UTC", clock=clock) as engine:
        assert engine.get(kept).recorded_at.isoformat() == "2026-06-01T15:30:00+00:00"
        assert [each for each in engine.store.doctor() if not each.ok] == []
        assert engine.remember(BOILER).action == "skipped"


def test_a_prompt_shows_the_day_there() -> None:
    engine, clock = opened(*TOKYO)
    with engine:
        engine.remember(BOILER)
        clock.set(LATER[TOKYO])
        text = engine.context("boiler").text
        assert "2026-06-02" in text
        assert "2026-06-01" not in text


def test_a_file_named_by_a_day_is_of_that_day_there(tmp_path: Path) -> None:
    (tmp_path / "2026-06-01.md").write_text("The boiler was inspected.\n")
    engine, _ = opened("America/Los_Angeles", "2026-06-02T10:00")
    with engine:
        engine.documents.index(tmp_path)
        assert found(engine, "What happened on June 1?")
        assert not found(engine, "What happened on May 31?")


def test_an_unknown_zone_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="timezone"):
        combray.open(":memory:", timezone="Mars/Olympus")


def test_the_shell_shows_the_day_of_the_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "a.db")
    with combray.open(path, timezone="Asia/Tokyo", clock=Clock(*TOKYO)) as engine:
        engine.remember(BOILER)
    shown = {}
    for zone in ("Asia/Tokyo", "America/Los_Angeles"):
        monkeypatch.setenv("COMBRAY_TIMEZONE", zone)
        shown[zone] = CliRunner().invoke(shell, ["--db", path, "recall", "boiler"]).output
    assert "2026-06-02" in shown["Asia/Tokyo"]
    assert "2026-06-01" in shown["America/Los_Angeles"]


@pytest.mark.skipif(sys.platform == "win32", reason="TZ is read on POSIX")
@pytest.mark.parametrize("named", ["Europe/Berlin", "CET-1CEST,M3.5.0,M10.5.0/3"])
@pytest.mark.slow("starts processes")
def test_by_default_the_zone_is_that_of_the_machine(named: str) -> None:
    script = (
        "from datetime import datetime; from combray.values import read_zone; zone = read_zone('');"
        "print(*(datetime.fromtimestamp(at, zone).isoformat() for at in (1774745999, 1774746000, 1792889999,"
        " 1792890000, 1792893600)), datetime(2026, 3, 29, 2, 30, tzinfo=zone).timestamp())"
    )
    environment = {**os.environ, "TZ": named, "COMBRAY_TIMEZONE": ""}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    zone = ZoneInfo("Europe/Berlin")
    moments = (1774745999, 1774746000, 1792889999, 1792890000, 1792893600)
    wanted = [datetime.fromtimestamp(at, zone).isoformat() for at in moments]
    *shown, gap = done.stdout.split()
    assert shown == wanted
    assert float(gap) == datetime(2026, 3, 29, 2, 30, tzinfo=zone).timestamp()


def test_utc_is_read_without_a_table() -> None:
    assert read_zone("UTC") is UTC


@pytest.mark.parametrize("zone", ["America/Los_Angeles", "Asia/Tokyo", "Pacific/Kiritimati", "Asia/Kathmandu"])
@pytest.mark.parametrize("given", ["9999-12-31", "9999-12-30", "0001-01-03", date.max, 0, 253402300799])
def test_the_ends_of_the_calendar_are_days_too(zone: str, given: str | date | int) -> None:
    engine, _ = opened(zone, "2026-06-01T12:00")
    with engine:
        done = engine.remember("The lease runs on.", valid_from=given)
        assert engine.get(done.id).valid_from is not None
