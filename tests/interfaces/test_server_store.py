"""The verbs of the shell on a PostgreSQL server; no password is ever shown."""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path

import psycopg
import pytest
from emptied import Emptied
from shell import Shell

from combray.testing.postgres import Server

SECRET = "s3cr3t-of-the-owl"


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(tmp_path / "home", monkeypatch)


@pytest.fixture
def location(postgres: Emptied) -> str:
    """The server's URL with a user and a password. The server trusts everybody: the password is not looked at."""
    host = postgres.url.partition("?")[2]
    return f"postgresql://postgres:{SECRET}@/postgres?{host}"


def test_a_day_with_a_server(
    shell: Shell, location: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    shown = []

    def run(*arguments: str, code: int = 0) -> str:
        result = shell.run(*arguments, "--db", location)
        shown.append(result.output)
        assert result.exit_code == code, (arguments, result.output)
        return result.stdout

    kept = json.loads(run("remember", "The safe is behind the second shelf.", "--entities", "safe"))["id"]
    gone = json.loads(run("remember", "Xylophonist Quetzalcoatl kept zwieback."))["id"]
    assert json.loads(run("recall", "Where is the safe?"))["results"][0]["insight"]["id"] == kept
    assert {each["id"] for each in json.loads(run("list"))["memories"]} == {kept, gone}
    status = json.loads(run("status"))
    assert status["writable"] is True
    assert status["location"].startswith("postgresql://postgres@")
    exported = tmp_path / "all.jsonl"
    run("export", str(exported))
    assert "second shelf" in exported.read_text(encoding="utf-8")
    run("erase", gone, "--prove", "--yes")
    assert [each["id"] for each in json.loads(run("list"))["memories"]] == [kept]
    findings = json.loads(run("doctor"))
    assert all(each["ok"] for each in findings), findings
    run("backup", str(tmp_path / "copy.db"), code=1)
    run("log")
    run("audit", "verify")
    text = "\n".join([*shown, caplog.text, *(str(each) for each in caplog.records)])
    for path in (tmp_path / "home").rglob("*"):
        if path.is_file():
            text += path.read_bytes().decode("utf-8", "replace")
    assert "second shelf" in text
    assert SECRET not in text


@pytest.mark.parametrize(
    "wrong",
    [
        f"postgresql://owl:{SECRET}@/nothing?host=/nowhere",
        f"postgresql://owl:{SECRET}@/nothing?nonsense=1",
        f"postgresql://owl:{SECRET}@/nothing?host=/nowhere&password={SECRET}",
        f"mysql://owl:{SECRET}@/nothing",
    ],
)
def test_errors_of_a_server_do_not_show_the_password(shell: Shell, wrong: str, tmp_path: Path) -> None:
    for arguments in (
        ("recall", "tea", "--db", wrong),
        ("doctor", "--db", wrong),
        ("migrate", wrong, wrong),
        ("migrate", wrong, str(tmp_path / "b.db")),
        ("migrate", str(tmp_path / "a.db"), wrong),
    ):
        result = shell.run(*arguments)
        assert result.exit_code in (1, 2)
        assert SECRET not in result.output
        assert "Traceback" not in result.output


def test_a_table_of_another_program_is_not_taken(shell: Shell, postgres_server: Server) -> None:
    with psycopg.connect(postgres_server.url(), autocommit=True) as connection:
        connection.execute("CREATE SCHEMA IF NOT EXISTS theirs")
    result = shell.run("recall", "tea", "--db", f"{postgres_server.url()}&schema=theirs")
    assert result.exit_code == 1
    assert "is not Combray's" in result.output


def test_without_the_driver_the_extra_is_named(
    shell: Shell, location: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.startswith("combray.stores.postgres")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    result = shell.run("recall", "tea", "--db", location)
    assert result.exit_code == 1
    assert "the extra postgres, which is not installed: pip install" in result.output
    assert "models test" not in result.output
    assert SECRET not in result.output
