"""SQL stands in one place: each statement once, all of them used, none elsewhere, each within its namespace."""

from __future__ import annotations

import ast
import re
from collections import Counter
from contextlib import closing
from pathlib import Path

from used_statements import used_statements

import combray
from combray.stores.sqlite import SqliteStore
from combray.stores.sqlite.sql import sql
from combray.stores.statements import Statements

PACKAGE = Path(combray.__file__).parent
FOLDER = PACKAGE / "stores" / "statements"
SPOKEN = re.compile(
    r"\b(SELECT\s.+\sFROM\s|SELECT\s+\w+\(|INSERT\s+(OR\s+\w+\s+)?INTO\s|UPDATE\s+\S+\s+SET\s|DELETE\s+FROM\s)",
    re.S,
)
SUBJECTS = [name for name, value in vars(sql).items() if isinstance(value, Statements)]
TABLES = {"memory", "label", "vector", "operation", "workspace", "document", "chunk", "run", "run_part"} | {
    "lease",
    "doubt",
    "embed_job",
}
"""Tables with a column `namespace`."""
WHOLE_FILE = ("erasure", "file", "settings", "upkeep")
"""Subjects that work on the whole file, or on keys that were found within a namespace."""
EVERYWHERE = ("labels.every", "labels.remove_all")


def statements(subject: str) -> dict[str, str]:
    found: Statements = getattr(sql, subject)
    names = re.findall(r"^-- name: (\w+)$", (FOLDER / f"{subject}.sql").read_text(encoding="utf-8"), re.M)
    assert len(names) == len(set(names))
    return {name: getattr(found, name) for name in names}


EVERY = {f"{subject}.{name}": text for subject in SUBJECTS for name, text in statements(subject).items()}


def plain(text: str) -> str:
    return " ".join(re.sub(r"^--.*$", "", text, flags=re.M).split())


def test_every_file_of_statements_has_its_subject() -> None:
    assert sorted(SUBJECTS) == sorted(path.stem for path in FOLDER.iterdir())


def test_every_statement_is_used_and_every_used_one_exists() -> None:
    assert used_statements("sqlite", set(SUBJECTS)) == set(EVERY)


def test_no_statement_stands_there_twice() -> None:
    counts = Counter(map(plain, EVERY.values()))
    assert [text for text, count in counts.items() if count > 1] == []


def test_no_sql_is_written_anywhere_else() -> None:
    """But for the readers of other programs' databases."""
    found = []
    others = {PACKAGE / "sessions" / f"{name}.py" for name in ("databases", "cursor", "opencode")}
    others |= {PACKAGE / "transfer" / "formats" / f"{name}.py" for name in ("databases", "langgraph", "mem0")}
    for path in set(PACKAGE.rglob("*.py")) - others:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        documented = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        texts = (
            node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
        )
        found += [
            f"{path.relative_to(PACKAGE)}:{node.lineno}"
            for node in texts
            if id(node) not in documented and SPOKEN.search(str(node.value))
        ]
    assert found == []


def test_every_statement_fits_the_schema() -> None:
    with closing(SqliteStore(":memory:")) as store, store._reading() as connection:
        connection.execute("PRAGMA writable_schema = ON")
        for name, text in EVERY.items():
            if name == "file.export":
                continue  # a function of SQLCipher
            statement = text.format(
                assignments="status = ?3, revision = ?4",
                table="label",
                met="1",
                after="1",
                order="key",
                listed="?",
            )
            numbers = [int(each) for each in re.findall(r"\?(\d+)", statement)]
            bare = len(re.findall(r"\?(?!\d)", statement))
            connection.execute(f"EXPLAIN {statement}", [None] * (max(numbers, default=0) + bare))


def test_a_statement_on_rows_of_a_namespace_says_which() -> None:
    by_key = (
        r"WHERE key (= \?|IN \(SELECT value FROM json_each\(\?\d\)\))|WHERE (id|document|number|source) = \?\d"
    )
    loose = []
    for name, text in EVERY.items():
        tables = re.findall(r"(?:FROM|JOIN|UPDATE|INTO) (\w+)", plain(text))
        if name.startswith(WHOLE_FILE) or name in EVERYWHERE or not TABLES.intersection(tables):
            continue
        within = "namespace = ?1" in text or re.search(r"INTO \w+ \((key, )?namespace,", text)
        if not (within or re.search(by_key, plain(text))):
            loose.append(name)
    assert loose == []
