"""SEEDS.md 16: "`combray audit verify` finds any edit, cut or reorder"."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from logs import Kept, files, filled, opened, resealed

from combray.audit.reading import Report, verify

ENTRIES = 12
QUICK = settings(max_examples=150)


@contextmanager
def a_log(*, anchored: bool = True) -> Iterator[tuple[Path, str]]:
    """A folder with a whole log of 12 entries in several files, and what the database remembers."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        log, kept = filled(folder, ENTRIES, anchored=anchored)
        assert verify(log).ok
        assert len(files(folder)) > 2
        log.close()
        yield folder, kept.text


def checked(folder: Path, database: str, *, anchored: bool = True) -> Report:
    log = opened(folder, anchored=anchored)
    Kept(log, database)
    report = verify(log)
    log.close()
    return report


def line_at(folder: Path, number: int) -> tuple[Path, int]:
    """File and place of the entry of a number, both from 0."""
    for path in files(folder):
        count = len(path.read_bytes().splitlines())
        if number < count:
            return path, number
        number -= count
    raise AssertionError(number)


def rewrite(path: Path, lines: list[bytes]) -> None:
    path.write_bytes(b"".join(line + b"\n" for line in lines))


@QUICK
@given(number=st.integers(0, ENTRIES - 1), at=st.floats(0, 1, exclude_max=True), by=st.integers(1, 255))
def test_any_byte_that_is_changed_is_found_in_its_line(number: int, at: float, by: int) -> None:
    with a_log() as (folder, database):
        path, place = line_at(folder, number)
        lines = path.read_bytes().splitlines(keepends=True)
        spoilt = bytearray(lines[place])
        spoilt[int(at * len(spoilt))] ^= by
        lines[place] = bytes(spoilt)
        path.write_bytes(b"".join(lines))
        report = checked(folder, database)
        assert not report.ok
        first = report.findings[0]
        assert (first.file, first.line) == (str(path), place + 1) or first.kind == "truncated"
        assert first.kind in ("edited", "unreadable", "truncated")


@QUICK
@given(number=st.integers(0, ENTRIES - 1))
def test_any_line_that_is_taken_out_is_named(number: int) -> None:
    with a_log() as (folder, database):
        path, place = line_at(folder, number)
        lines = path.read_bytes().splitlines()
        del lines[place]
        rewrite(path, lines)
        finding = checked(folder, database).findings[0]
        if number == ENTRIES - 1:
            assert finding.kind == "truncated"
            assert f"ends at entry {number}, and the anchor remembers entry {number + 1}" in finding.detail
        else:
            assert finding.kind == "removed"
            assert finding.detail == f"entry {number + 1} is missing before entry {number + 2}"


@QUICK
@given(number=st.integers(0, ENTRIES - 1), behind=st.integers(0, ENTRIES - 1))
def test_any_line_that_is_there_twice_is_named(number: int, behind: int) -> None:
    with a_log() as (folder, database):
        path, place = line_at(folder, number)
        again = path.read_bytes().splitlines()[place]
        target, after = line_at(folder, behind)
        lines = target.read_bytes().splitlines()
        lines.insert(after + 1, again)
        rewrite(target, lines)
        kinds = {finding.kind for finding in checked(folder, database).findings}
        # In front of its own place the copy comes first, so what follows seems to be out of order.
        assert (kinds == {"repeated"}) if behind >= number - 1 else ({"removed", "repeated"} <= kinds)


@QUICK
@given(first=st.integers(0, ENTRIES - 1), second=st.integers(0, ENTRIES - 1))
def test_any_two_lines_that_change_places_are_named(first: int, second: int) -> None:
    first, second = sorted((first, second))
    if first == second:
        return
    with a_log() as (folder, database):
        (one, at_one), (two, at_two) = line_at(folder, first), line_at(folder, second)
        lines_one = one.read_bytes().splitlines()
        lines_two = lines_one if one == two else two.read_bytes().splitlines()
        lines_one[at_one], lines_two[at_two] = lines_two[at_two], lines_one[at_one]
        rewrite(one, lines_one)
        rewrite(two, lines_two)
        report = checked(folder, database)
        assert any(
            finding.kind == "moved" and finding.detail.startswith(f"entry {first + 1} stands behind")
            for finding in report.findings
        )


@QUICK
@given(cut=st.floats(0, 1, exclude_min=True))
def test_any_tail_that_is_cut_off_is_found_by_the_anchor(cut: float) -> None:
    with a_log() as (folder, database):
        size = sum(path.stat().st_size for path in files(folder))
        length = max(1, int(cut * size))
        for path in reversed(files(folder)):
            there = path.stat().st_size
            with path.open("r+b") as file:
                file.truncate(max(0, there - length))
            length -= min(length, there)
        report = checked(folder, database)
        kinds = {finding.kind for finding in report.findings}
        # A line cut off in the middle, in a file that is not the last, is no line either.
        assert "truncated" in kinds
        assert f"ends at entry {report.last}, and the anchor remembers entry {ENTRIES}" in " ".join(
            finding.detail for finding in report.findings
        )


def test_without_an_anchor_the_database_remembers_the_last_write() -> None:
    with a_log(anchored=False) as (folder, database):
        path = files(folder)[-1]
        lines = path.read_bytes().splitlines()
        while b'"seq":9,' not in lines[-1]:
            lines.pop()
            if not lines:
                path.unlink()
                path = files(folder)[-2]
                path.rename(folder / "a.db.audit")
                path = folder / "a.db.audit"
                lines = path.read_bytes().splitlines()
        rewrite(path, lines)
        (finding,) = checked(folder, database, anchored=False).findings
        assert finding.kind == "truncated"
        assert "the database remembers entry 10" in finding.detail


@QUICK
@given(number=st.integers(0, ENTRIES - 1))
def test_a_line_rewritten_with_all_that_follow_is_told_by_what_was_remembered(number: int) -> None:
    with a_log() as (folder, database):
        previous = ""
        for each in range(number, ENTRIES):
            path, place = line_at(folder, each)
            lines = path.read_bytes().splitlines()
            changes: dict[str, object] = {"actor": "nobody"} if each == number else {}
            kept = previous or lines[place].split(b'"previous":"')[1][:64].decode()
            lines[place], previous = resealed(lines[place], kept, **changes)
            rewrite(path, lines)
        found = {(finding.kind, finding.detail) for finding in checked(folder, database).findings}
        assert ("replaced", "entry 12 is another than the anchor remembers") in found


def test_a_line_rewritten_alone_breaks_the_next(tmp_path: Path) -> None:
    log, _ = filled(tmp_path)
    path, place = line_at(tmp_path, 1)
    lines = path.read_bytes().splitlines()
    lines[place], _ = resealed(lines[place], lines[place].split(b'"previous":"')[1][:64].decode(), actor="me")
    rewrite(path, lines)
    (finding,) = verify(log).findings
    assert (finding.kind, finding.line) == ("broken", place + 2)


def test_a_line_that_was_put_in_is_found(tmp_path: Path) -> None:
    log, _ = filled(tmp_path)
    path, place = line_at(tmp_path, 1)
    lines = path.read_bytes().splitlines()
    lines.insert(place + 1, b'{"note":"nothing to see"}')
    rewrite(path, lines)
    (finding,) = verify(log).findings
    assert (finding.kind, finding.line) == ("unreadable", place + 2)


def test_a_file_that_was_taken_away_is_found(tmp_path: Path) -> None:
    log, _ = filled(tmp_path)
    gone = files(tmp_path)[1]
    first = gone.read_bytes().split(b",")[0].split(b":")[1].decode()
    gone.unlink()
    (finding,) = verify(log).findings
    assert finding.kind == "removed"
    assert f"{first} " in finding.detail


def test_what_is_cut_off_stays_told_when_the_log_grows_again(tmp_path: Path) -> None:
    """The next head would hide what was lost, so the next write says first what is missing."""
    _, kept = filled(tmp_path, anchored=False)
    for path in files(tmp_path)[1:]:
        path.unlink()
    log = opened(tmp_path, anchored=False)
    again = Kept(log, kept.text)
    for _ in range(30):
        log.record("recall", "default")
    again.write()
    again.write()
    kinds = [(finding.kind, finding.detail) for finding in verify(log).findings]
    assert len(kinds) == 1
    assert kinds[0][0] == "removed"
    assert "entry 10 that the database remembered was gone" in kinds[0][1]


def test_a_log_that_was_deleted_is_missed(tmp_path: Path) -> None:
    _, kept = filled(tmp_path, anchored=False)
    for path in files(tmp_path):
        path.unlink()
    (finding,) = checked(tmp_path, kept.text, anchored=False).findings
    assert (finding.kind, finding.line) == ("truncated", 0)


@pytest.mark.parametrize("text", ["", "nonsense", "0" * 200])
def test_an_anchor_that_was_spoilt_fits_nothing(tmp_path: Path, text: str) -> None:
    log, _ = filled(tmp_path)
    (anchor,) = (tmp_path / "anchors").iterdir()
    anchor.write_text(text)
    assert [finding.kind for finding in verify(log).findings] == ["replaced"]


def test_an_anchor_with_only_the_end_of_a_hash_is_told_and_stays_told(tmp_path: Path) -> None:
    """Found by the fuzzer: the end of a hash stood where the hash was looked for."""
    log, _ = filled(tmp_path)
    (anchor,) = (tmp_path / "anchors").iterdir()
    seq, hashed, *rest = anchor.read_text().split()
    anchor.write_text(" ".join((seq, hashed[20:], *rest)))
    assert [finding.kind for finding in verify(log).findings] == ["replaced"]
    log.record("recall", "default")
    assert not verify(log).ok
