"""The contracts of .importlinter hold here, and each of them would notice a wrong import."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LINT = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"

WRONG = {
    "rooms": ("recall/keep.py", "import combray.engine"),
    "acyclic": ("documents/files.py", "if TYPE_CHECKING:\n    import combray.documents.placement"),
    "wiring": ("engine/engine.py", "import combray.stores.sqlite"),
    "interfaces": ("interfaces/cli/store.py", "import combray.recall.search"),
    "stages": ("recall/query.py", "import os"),
    "stages-deep": ("values.py", "import urllib.request"),
    "stage-clock": ("remember/write.py", "import time"),
    "pure": ("language/tokens.py", "import random"),
    "postgres": ("engine/lists.py", "import psycopg"),
    "stores": ("stores/postgres/sql.py", "import combray.stores.sqlite.sql"),
    "designs": ("designs/mnemo/preset.py", "import combray.designs.mnemon.search"),
    "database": ("engine/lists.py", "import sqlite3"),
    "terminal": ("transfer/imports.py", "import rich.progress"),
    "mcp": ("engine/asyncio.py", "import mcp"),
    "network": ("engine/store.py", "import httpx2"),
    "watching": ("engine/documents.py", "import watchfiles"),
    "web": ("engine/documents.py", "import starlette"),
    "frameworks": ("engine/store.py", "import langchain_core"),
    "model-libraries": ("recall/query.py", "import tokenizers"),
}
"""Contract -> a file and an import in it that breaks the contract."""


def contracts() -> dict[str, str]:
    """Identifier -> name."""
    config = (ROOT / ".importlinter").read_text(encoding="utf-8")
    return dict(re.findall(r"^\[importlinter:contract:([\w-]+)\]\nname = (.+)$", config, re.MULTILINE))


def lint(source: Path, config_folder: Path) -> str:
    """What import-linter says about the package in a source folder; one line a contract."""
    environment = {**os.environ, "PYTHONPATH": str(source), "COLUMNS": "300"}
    done = subprocess.run(
        [sys.executable, "-c", LINT],
        cwd=config_folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "Contracts:" in done.stdout, done.stdout + done.stderr
    assert (done.returncode == 0) == ("BROKEN" not in done.stdout)
    return done.stdout


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the package that may be spoilt."""
    shutil.copy(ROOT / ".importlinter", tmp_path)
    shutil.copytree(
        ROOT / "src" / "combray", tmp_path / "src" / "combray", ignore=shutil.ignore_patterns("__pycache__")
    )
    return tmp_path


def test_every_contract_is_kept() -> None:
    said = lint(ROOT / "src", ROOT)
    assert f"{len(contracts())} kept, 0 broken" in said, said


def test_every_contract_notices_a_wrong_import(copy: Path) -> None:
    assert set(WRONG) == set(contracts())
    for place, statement in WRONG.values():
        path = copy / "src" / "combray" / place
        path.write_text(path.read_text(encoding="utf-8") + f"\n{statement}\n", encoding="utf-8")
    said = lint(copy / "src", copy)
    for name in contracts().values():
        assert f"{name} BROKEN" in said, said


def test_a_room_without_a_place_is_noticed(copy: Path) -> None:
    (copy / "src" / "combray" / "attic.py").write_text('"""A room."""\n', encoding="utf-8")
    assert f"{contracts()['rooms']} BROKEN" in lint(copy / "src", copy)
