"""PostgreSQL's statements: all of them used, none twice, each within its namespace, each fits the schema."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from emptied import Emptied
from used_statements import used_statements

import combray
from combray.stores.postgres import PostgresStore
from combray.stores.postgres.sql import sql
from combray.stores.statements import Statements

STORES = Path(combray.__file__).parent / "stores"
SHARED_FOLDER, OWN_FOLDER = STORES / "statements", STORES / "postgres" / "statements"
SUBJECTS = [name for name, value in vars(sql).items() if isinstance(value, Statements)]
SHARED = {"namespace", "model", "setting"}
"""Tables without rows of one namespace."""
WHOLE_STORE = (
    "erasure.rows_left",
    "erasure.tables",
    "erasure.table_rows",
    "erasure.rewrite",
    "upkeep.",
    "server.",
    "near.",
)
"""Statements of the tables' owner, and `every` and `remove_all` of the indexes."""


def named(file: Path) -> dict[str, str]:
    """Return the statements of a file as they stand there."""
    parts = re.split(r"^-- name: (\w+)$", file.read_text(encoding="utf-8"), flags=re.M)[1:]
    assert len(parts[::2]) == len(set(parts[::2]))
    return dict(zip(parts[::2], parts[1::2], strict=True))


USED = used_statements("postgres", set(SUBJECTS))
EVERY = {
    name: str(getattr(getattr(sql, name.partition(".")[0]), name.partition(".")[2])) for name in sorted(USED)
}


def plain(text: str) -> str:
    return " ".join(re.sub(r"^\s*--.*$", "", text, flags=re.M).split())


def test_every_file_of_statements_has_its_subject() -> None:
    files = {path.stem for folder in (SHARED_FOLDER, OWN_FOLDER) for path in folder.iterdir()}
    assert sorted(SUBJECTS) == sorted(files)


def test_every_statement_of_its_own_is_used() -> None:
    assert {f"{file.stem}.{name}" for file in OWN_FOLDER.iterdir() for name in named(file)} <= USED


def test_no_statement_stands_there_twice() -> None:
    counts = Counter(map(plain, EVERY.values()))
    assert [text for text, count in counts.items() if count > 1] == []


def test_no_statement_of_its_own_is_that_of_sqlite() -> None:
    for file in OWN_FOLDER.iterdir():
        shared = named(SHARED_FOLDER / file.name) if (SHARED_FOLDER / file.name).exists() else {}
        for name, text in named(file).items():
            assert plain(text) != plain(re.sub(r"\?(?=\d)", "$", shared.get(name, ""))), f"{file.stem}.{name}"


def test_a_statement_on_rows_of_a_namespace_says_which() -> None:
    loose = []
    for name, text in EVERY.items():
        tables = set(re.findall(r"(?:FROM|JOIN|UPDATE|INTO) ([a-z_]+)", plain(text))) - SHARED
        everywhere = name.endswith((".every", ".remove_all", "_texts", "_held", "erasure.names"))
        if name.startswith(WHOLE_STORE) or everywhere or "memory_key" in text:
            continue
        if tables - {"unnest", "due", "taken", "given"} and not re.search(
            r"namespace = \$1|INTO \w+ (AS \w+ )?\(namespace,|INTO chunk \(key, namespace", text
        ):
            loose.append(name)
    assert loose == []


def test_every_statement_fits_the_schema(postgres: Emptied, postgres_store: PostgresStore) -> None:
    with postgres_store._owning() as session:
        for place, (name, text) in enumerate(EVERY.items()):
            if name.startswith(("server.", "near.")) or name == "erasure.rewrite":
                continue  # not all of them can be prepared; openings and `test_postgres_near.py` run them
            statement = text.format(
                assignments="revision = 1", table="label", met="true", after="true", order="key"
            )
            marked = statement.replace("sort = ?", "sort = $2").replace("ANY(?", "ANY($3")
            session.connection.execute(f"PREPARE one_{place} AS {marked}".encode())
