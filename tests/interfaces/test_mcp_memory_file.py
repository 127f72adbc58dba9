"""The JSONL file of the reference memory server: moving in, going back, and other programs beside."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from agent import connected, process, text
from shell import Shell
from test_mcp_profiles import ANA, KNOWS

BO = {"name": "Bo", "entityType": "person", "observations": ["sails", "naïve — “quoted”\nsecond line"]}


def written(*items: dict[str, Any]) -> str:
    """A file as the reference server writes it: JSON without blanks, no newline at the end."""
    return "\n".join(json.dumps(each, ensure_ascii=False, separators=(",", ":")) for each in items)


FILE = written({"type": "entity", **ANA}, {"type": "entity", **BO}, {"type": "relation", **KNOWS})


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
def test_a_file_moves_in_and_goes_back_byte_for_byte(tmp_path: Path, embedder: str) -> None:
    path = tmp_path / "memory.jsonl"
    path.write_text(FILE, encoding="utf-8")
    with connected(tmp_path / "a.db", "official", embedder=embedder, memory_file=path) as agent:
        assert agent.done("read_graph") == {"entities": [ANA, BO], "relations": [KNOWS]}
        assert path.read_text(encoding="utf-8") == FILE
        agent.done("add_observations", observations=[{"entityName": "Ana", "contents": ["x"]}])
        longer = FILE.replace('"lives in Porto"', '"lives in Porto","x"')
        assert path.read_text(encoding="utf-8") == longer
        agent.done("delete_observations", deletions=[{"entityName": "Ana", "observations": ["x"]}])
        assert path.read_text(encoding="utf-8") == FILE
    assert (tmp_path / "memory.jsonl.before-combray").read_text(encoding="utf-8") == FILE


def test_what_another_program_adds_to_the_file_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "memory.jsonl"
    with connected(tmp_path / "a.db", "official", embedder="none", memory_file=path) as agent:
        agent.done("create_entities", entities=[ANA])
        more = {"type": "entity", **BO}
        path.write_text(f"{path.read_text(encoding='utf-8')}\n{written(more)}", encoding="utf-8")
        assert agent.done("open_nodes", names=["Bo"])["entities"] == [BO]
        agent.done("delete_entities", entityNames=["Bo"])
        assert path.read_text(encoding="utf-8") == written({"type": "entity", **ANA})


def test_two_servers_on_one_file_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "memory.jsonl"
    options = ("--tools", "official", "--embedder", "none", f"--memory-file={path}")
    with process(tmp_path / "a.db", *options) as one, process(tmp_path / "a.db", *options) as two:
        one.done("create_entities", entities=[{**ANA, "observations": []}])

        def write(at: int) -> None:
            server = (one, two)[at % 2]
            server.done("add_observations", observations=[{"entityName": "Ana", "contents": [f"fact {at}"]}])

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(write, range(20)))
        (ana,) = one.done("read_graph")["entities"]
    (line,) = path.read_text(encoding="utf-8").splitlines()
    assert sorted(ana["observations"]) == sorted(f"fact {at}" for at in range(20))
    assert json.loads(line) == {"type": "entity", **ana}


def test_a_line_of_another_format_is_named(tmp_path: Path) -> None:
    path = tmp_path / "memory.jsonl"
    with connected(tmp_path / "a.db", "official", embedder="none", memory_file=path) as agent:
        path.write_text(f"{FILE}\n{{broken", encoding="utf-8")
        said = text(agent.call("read_graph"))
    assert "line 4" in said
    assert path.read_text(encoding="utf-8") == f"{FILE}\n{{broken"


def test_the_shell_imports_and_exports_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shell = Shell(tmp_path, monkeypatch)
    path, copy = tmp_path / "memory.jsonl", tmp_path / "copy.jsonl"
    path.write_text(FILE, encoding="utf-8")
    options = ("--db", str(tmp_path / "a.db"))
    for _ in range(2):
        assert shell.run("import", str(path), "--format", "server-memory", *options).exit_code == 0
    assert shell.run("export", str(copy), "--format", "server-memory", *options).exit_code == 0
    assert copy.read_text(encoding="utf-8") == FILE


def test_an_export_of_the_graph_says_what_it_leaves_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shell = Shell(tmp_path, monkeypatch)
    shell.run("remember", "Ana rides to work.")
    done = shell.run("export", str(tmp_path / "graph.jsonl"), "--format", "server-memory")
    assert done.exit_code == 0
    assert done.stderr.startswith("1 memory not written: server-memory holds only the graph")
