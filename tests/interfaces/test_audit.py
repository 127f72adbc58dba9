"""`combray audit` and `combray erase --prove`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from shell import Shell

from combray.engine.audit import AuditTrail


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(tmp_path, monkeypatch)


def log_of(shell: Shell) -> Path:
    return shell.folder / "default.db.audit"


def test_the_latest_entries_newest_first(shell: Shell) -> None:
    memory_id = shell.remember("Alice moved to Berlin")
    shell.run("recall", "Alice")
    entries = shell.json("audit")
    assert [(entry["operation"], entry["ids"]) for entry in entries] == [
        ("recall", [memory_id]),
        ("remember", [memory_id]),
    ]
    assert [entry["seq"] for entry in shell.json("audit", "show", "--limit", "1")] == [2]
    assert [entry["seq"] for entry in shell.json("audit", "show", "--operation", "remember")] == [1]
    assert [entry["seq"] for entry in shell.json("audit", "show", "--query", "Alice")] == [2]
    assert [entry["seq"] for entry in shell.json("audit", "show", "--id", memory_id[:20])] == [2, 1]
    nothing = shell.run("audit", "show", "--namespace", "other")
    assert (nothing.exit_code, nothing.stdout) == (1, "[]\n")
    assert "no entry matches" in nothing.stderr


def test_entries_as_a_table(shell: Shell) -> None:
    memory_id = shell.remember("Alice moved to Berlin")
    shell.run("get", "00000000-0000")
    shown = shell.in_terminal("audit", width=120)
    assert "get: refused" in shown
    assert memory_id[:13] in shown


def test_a_whole_log_is_told_to_be_whole(shell: Shell) -> None:
    shell.remember("Alice moved to Berlin")
    report = shell.json("audit", "verify")
    assert (report["ok"], report["entries"], report["findings"]) == (True, 1, [])
    assert "The audit log is intact: 1 entries in 1 file." in shell.in_terminal("audit", "verify")


def test_a_changed_line_is_named_with_exit_code_1(shell: Shell) -> None:
    for number in range(3):
        shell.remember(f"Alice saw film {number}")
    path = log_of(shell)
    path.write_bytes(path.read_bytes().replace(b'"seq":2,', b'"seq":9,'))
    result = shell.run("audit", "verify")
    assert result.exit_code == 1
    (finding,) = json.loads(result.stdout)["findings"]
    assert (finding["line"], finding["kind"], finding["file"]) == (2, "edited", str(path))


def test_a_log_that_ends_too_early_is_told_by_the_database(shell: Shell) -> None:
    for number in range(3):
        shell.remember(f"Alice saw film {number}")
    path = log_of(shell)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:2]))
    result = shell.run("audit", "verify")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["findings"][0]["kind"] == "truncated"


def test_the_end_of_what_was_only_read_is_told_by_an_anchor(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "anchors").mkdir()
    monkeypatch.setenv("COMBRAY_AUDIT_ANCHOR", str(tmp_path / "anchors"))
    memory_id = shell.remember("Alice moved to Berlin")
    for _ in range(2):
        shell.run("get", memory_id)
    path = log_of(shell)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:2]))
    (finding,) = json.loads(shell.run("audit", "verify").stdout)["findings"]
    assert finding["detail"] == "ends at entry 2, and the anchor remembers entry 3"


def test_the_log_is_written_out_as_it_stands(shell: Shell, tmp_path: Path) -> None:
    shell.remember("Alice moved to Berlin")
    out = tmp_path / "out.jsonl"
    told = shell.json("audit", "export", str(out))
    assert (told["entries"], out.read_bytes()) == (1, log_of(shell).read_bytes())
    assert shell.run("audit", "export", str(out)).exit_code == 2


def test_an_export_of_the_log_that_fails_leaves_no_part_of_a_file(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell.remember("Alice moved to Berlin")
    whole = AuditTrail.lines

    def torn(audit: AuditTrail) -> Iterator[str]:
        yield from whole(audit)
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(AuditTrail, "lines", torn)
    assert shell.run("audit", "export", str(tmp_path / "out.jsonl")).exit_code != 0
    assert list(tmp_path.glob("out.jsonl*")) == []


def test_an_erasure_is_proved_and_the_proof_shown_again(shell: Shell) -> None:
    shell.remember("Alice adopted a dog")
    memory_id = shell.remember("Quetzalcoatl kept zwieback")
    certificate = shell.json("erase", memory_id, "--yes", "--prove")
    assert certificate["clean"]
    assert certificate["id"] == memory_id
    (again,) = shell.json("audit", "certificate", memory_id)
    assert (again["seq"], again["commitment"]) == (certificate["seq"], certificate["commitment"])
    assert "salt" not in again
    assert "proof of erasure" in shell.in_terminal("audit", "certificate", memory_id, width=140)
    assert shell.run("audit", "certificate", "00000000").exit_code == 1


def test_a_copy_that_still_holds_it_is_named(shell: Shell, tmp_path: Path) -> None:
    memory_id = shell.remember("Quetzalcoatl kept zwieback")
    shell.run("backup", str(tmp_path / "copy.db"))
    certificate = shell.json("erase", memory_id, "--yes", "--prove")
    assert certificate["clean"]
    assert {each["file"] for each in certificate["copies"]} == {str(tmp_path / "copy.db")}


def test_without_an_audit_the_verb_says_so(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    shell.remember("Alice moved to Berlin")
    monkeypatch.setenv("COMBRAY_AUDIT", "false")
    result = shell.run("audit")
    assert result.exit_code == 1
    assert "switched off" in result.stderr
