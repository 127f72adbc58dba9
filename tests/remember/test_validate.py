"""The default trust of a text: one constant, whichever way the text comes in."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

import combray
from combray import Memory
from combray.forms.remembering import Remembering
from combray.interfaces.cli import combray as shell
from combray.interfaces.mcp.calls import Calls
from combray.remember.validate import Validate
from combray.runtime.documents import Workspace
from combray.types import DEFAULT_TRUST, TRUSTS

NOW = datetime(2024, 5, 1, tzinfo=UTC)


def test_the_default_trust_is_the_highest() -> None:
    assert DEFAULT_TRUST == TRUSTS[0] == "owner"


def test_a_memory_a_folder_and_the_check_of_fields_have_the_default_trust() -> None:
    assert Memory(id="a", namespace="n", content="c", recorded_at=NOW).trust == DEFAULT_TRUST
    assert Workspace("/notes").trust == DEFAULT_TRUST
    with combray.open(":memory:", embedder="none") as engine:
        state = Validate()(Remembering("n", [{"content": "c"}], NOW.timestamp()), engine.runtime)
    assert state.drafts[0].memory.trust == DEFAULT_TRUST


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
def test_every_way_in_stores_the_default_trust(
    tmp_path: Path, embedder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in os.environ if name.startswith("COMBRAY_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("COMBRAY_HOME", str(tmp_path))
    path = str(tmp_path / "a.db")
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "MEMORY.md").write_text("# Tea\n\nThe kettle is blue.\n")
    (tmp_path / "old.jsonl").write_text(json.dumps({"content": "The garden has a pond"}) + "\n")
    store = ("--db", path, "--embedder", embedder)
    for words in (("remember", "Ann sings"), ("import", str(tmp_path / "old.jsonl")), ("index", str(notes))):
        done = CliRunner().invoke(shell, [*words, *store])
        assert done.exit_code == 0, done.output
    with combray.open(path, embedder=embedder) as engine:
        engine.remember("Bob paints")
        engine.remember_many(["Zoe moved to Lisbon", {"content": "Cid drinks tea"}])
        engine.conversation("one").add("Hello there")
        Calls(engine).remember("The user swims", source="user")
        page = engine.list(limit=1000)
        assert page.total >= 8
        assert {each.trust for each in page} == {DEFAULT_TRUST}
        # An agent names who said it; without a name it was the agent itself.
        said = Calls(engine).remember("The user probably likes water").structured_content
        assert said is not None
        assert engine.get(said["id"]).trust == "agent"
