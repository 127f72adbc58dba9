"""Consoles and pipes whose code page lacks letters, and locales that are not UTF-8."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tiers import nightly

pytestmark = pytest.mark.slow("starts processes")

TEXT = "Züge nach 里斯本 😀 © Đà Nẵng"


def called(folder: Path, *words: str, given: str = "", options: tuple[str, ...] = (), **more: str) -> bytes:
    """What a verb prints, with variables added to the environment."""
    environment = {**os.environ, "COMBRAY_HOME": str(folder), "COMBRAY_EMBEDDER": "none", **more}
    done = subprocess.run(
        [sys.executable, *options, "-m", "combray", *words],
        input=given.encode("utf-8"),
        capture_output=True,
        env=environment,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
    return done.stdout + done.stderr if options else done.stdout


@pytest.mark.parametrize("page", ["cp936", "ascii", *nightly(["cp437", "cp1252"], "each lacks less than ASCII")])
def test_json_is_whole_on_every_code_page(tmp_path: Path, page: str) -> None:
    called(tmp_path, "remember", TEXT, PYTHONIOENCODING=page)
    found = json.loads(called(tmp_path, "search", "Züge", PYTHONIOENCODING=page).decode(page))
    assert found[0]["content"] == TEXT


def test_files_and_streams_are_utf_8_whatever_the_locale(tmp_path: Path) -> None:
    """Python warns of each file that it opens with the encoding of the locale: https://peps.python.org/pep-0597/."""
    watched = ("-X", "warn_default_encoding", "-W", "always::EncodingWarning")
    notes = tmp_path / "notes.txt"
    notes.write_text(f"{TEXT}\n", encoding="utf-8")
    said = b"".join(
        (
            called(tmp_path, "remember", "--file", str(notes), options=watched),
            called(tmp_path, "recall", "Züge", options=watched),
            called(tmp_path, "export", options=watched),
            called(tmp_path, "audit", "verify", options=watched),
        )
    ).decode("utf-8")
    ours = [line for line in said.splitlines() if "EncodingWarning" in line and f"combray{os.sep}" in line]
    assert ours == []
    assert TEXT in said
