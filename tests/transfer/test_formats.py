"""Files of other tools: what each becomes, what has no place, and what happens to bad files."""

from __future__ import annotations

import json
import pickle
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tiers import nightly

import combray
from combray.errors import InvalidInputError
from combray.interfaces.cli import combray as shell
from combray.transfer import ImportReport, read_file
from combray.transfer.formats import FORMATS, READ, WRITTEN, detect
from combray.transfer.formats.drafts import LONGEST, split
from combray.verbs.parameters import READ_FORM, WRITTEN_FORM

GOLDEN = Path(__file__).parent / "golden"
KNOWN = {
    "mem0": GOLDEN / "of_mem0",
    "graphiti": GOLDEN / "graphiti.json",
    "langgraph": GOLDEN / "langgraph.sqlite",
    "letta": GOLDEN / "letta.af",
    "markdown": GOLDEN / "vault",
    "okf": GOLDEN / "okf",
}


def imported(engine: combray.Engine, path: Path, **options: Any) -> ImportReport:
    """Import a file or folder as it is detected."""
    names = options.pop("names", None)
    return engine.store.import_from(read_file(path, names=names), dry_run=False, **options)


def by_text(engine: combray.Engine) -> dict[str, combray.Memory]:
    return {each.content: each for each in engine.list(limit=100)}


@pytest.fixture
def engine() -> combray.Engine:
    return combray.open(":memory:", embedder="none", timezone="UTC")


def test_the_shell_names_the_formats_of_the_table() -> None:
    assert READ_FORM.choices == ("auto", *READ)
    assert WRITTEN_FORM.choices is not None
    assert set(WRITTEN_FORM.choices) == set(WRITTEN)
    assert set(FORMATS) == {*READ, *WRITTEN}


@pytest.mark.parametrize("form", KNOWN)
def test_a_format_is_detected_and_a_second_import_finds_everything_stored(
    engine: combray.Engine, form: str
) -> None:
    assert detect(KNOWN[form]) == form
    dry = engine.store.import_from(read_file(KNOWN[form]))
    assert engine.list(limit=1).total == 0
    first = imported(engine, KNOWN[form])
    assert (first.shape, first.problems) == (form, ())
    assert first.memories == dry.memories == engine.list(limit=1).total > 0
    again = imported(engine, KNOWN[form])
    assert (again.memories, again.skipped) == (0, first.memories)
    assert engine.list(limit=1).total == first.memories


@pytest.mark.parametrize("path", ["of_mem0", "of_mem0/qdrant", "of_mem0/export.json"])
def test_the_files_of_mem0(engine: combray.Engine, path: str) -> None:
    report = imported(engine, GOLDEN / path)
    found = by_text(engine)
    assert set(found) == {"Priya owns the billing service", "The office closes at six", "Bob likes chess and go"}
    bob, priya, office = (found[each] for each in sorted(found))
    assert (office.trust, office.source) == ("agent", "agent")
    assert (priya.author, priya.metadata["team"]) == ("priya", "web")
    assert "scope:user:ann" in priya.tags
    assert set(bob.tags) >= {"scope:user::42ob", "scope:agent:desk"}
    assert priya.recorded_at.year == 2026
    wanted = ["earlier states in history.db (6)", "vectors of another model (3)"] if "json" not in path else []
    assert list(report.left) == wanted


def test_graphiti(engine: combray.Engine) -> None:
    report = imported(engine, KNOWN["graphiti"])
    fact = by_text(engine)["Ana lived in Lisbon."]
    assert (str(fact.valid_from)[:10], str(fact.valid_to)[:10]) == ("2020-05-01", "2026-01-10")
    assert set(fact.entities) >= {"Ana", "Lisbon"}
    assert fact.evidence == ("44444444-4444-4444-8444-444444444444",)
    assert fact.metadata["attributes"] == {"rented": True}
    said = by_text(engine)["I left Lisbon in January."]
    assert (said.kind, said.metadata["episode_metadata"]) == ("episode", {"channel": "web"})
    assert by_text(engine)["Ana: A nurse in Lisbon."].metadata["attributes"] == {"shift": "night"}
    assert set(report.left) == {
        "episodes that the file does not have (1)",
        "nodes without a summary (1)",
        "the field 'communities' (1)",
        "vectors of another model (2)",
    }


def test_zep_names_the_ends_of_a_fact_and_who_spoke(engine: combray.Engine, tmp_path: Path) -> None:
    path = tmp_path / "zep.json"
    edge = {"uuid": "e1", "fact": "Ana lives in Lisbon.", "episode_uuids": ["p1"], "source_node_name": "Ana"}
    said = {"uuid": "p1", "content": "I live in Lisbon.", "role": "user", "role_name": "Ana", "graph_uuid": "g1"}
    said["reference_time"] = "2026-02-01T08:00:00Z"
    path.write_text(json.dumps({"edges": [edge], "episodes": [said]}))
    assert imported(engine, path).left == ()
    found = by_text(engine)
    turn, fact = found["I live in Lisbon."], found["Ana lives in Lisbon."]
    assert (turn.author, turn.trust, turn.occurred_from is not None) == ("Ana", "owner", True)
    assert ("Ana" in fact.entities, fact.evidence) == (True, (turn.id,))


def test_an_episode_alone_is_read(engine: combray.Engine, tmp_path: Path) -> None:
    path = tmp_path / "added.json"
    path.write_text(
        json.dumps({"episode": {"uuid": "p1", "content": "Tea."}, "edges": [{"fact": "Ana likes tea."}]})
    )
    imported(engine, path)
    assert set(by_text(engine)) == {"Tea.", "Ana likes tea."}


def test_a_langgraph_store(engine: combray.Engine) -> None:
    report = imported(engine, KNOWN["langgraph"])
    found = by_text(engine)
    assert found["Ann drinks tea."].metadata["namespace"] == ["users", "ann"]
    assert found['{"role":"nurse","since":2021}'].metadata["value"] == {"role": "nurse", "since": 2021}
    assert found["Ann is in Rome."].metadata["value"]["mood"] == "glad"
    assert found["Ann is in Rome."].expires_at is not None
    assert report.left == ("times to live that a read renews (1)",)


def test_letta(engine: combray.Engine) -> None:
    report = imported(engine, KNOWN["letta"])
    found = by_text(engine)
    block = found["The user has a cat called Mia."]
    assert (block.metadata["block"], block.metadata["id"]) == ("human", "block-0")
    said = [found[each] for each in ("My cat is called Mia.", "What a name!", "She is three.")]
    assert [(each.kind, each.author, each.trust, each.session) for each in said] == [
        ("episode", "user", "owner", "helper"),
        ("episode", "assistant", "agent", "helper"),
        ("episode", "user", "owner", "helper"),
    ]
    assert found["Cats sleep."].trust == "untrusted"
    assert not any("heartbeat" in each or "status" in each for each in found)
    assert set(report.left) >= {
        "texts that are empty (1)",
        "tool calls (1)",
        "settings of an agent (4)",
        "messages of a program, without words (4)",
    }


def test_ids_that_count_within_an_agent_file_do_not_hide_another_file(
    engine: combray.Engine, tmp_path: Path
) -> None:
    for name, text in (("one", "Ana likes tea."), ("two", "Bob likes chess.")):
        message = {"id": "message-0", "role": "user", "content": text, "created_at": "2026-02-01T08:00:00Z"}
        agent = {"id": "agent-0", "name": name, "messages": [message, {**message, "id": "message-1"}]}
        block = {"id": "block-0", "label": "human", "value": f"About {name}"}
        path = tmp_path / f"{name}.af"
        path.write_text(json.dumps({"agents": [agent], "blocks": [block]}))
        report = imported(engine, path)
        assert (report.memories, report.problems) == (3, ())
        assert imported(engine, path).skipped == 3


def test_a_vault(engine: combray.Engine) -> None:
    report = imported(engine, KNOWN["markdown"])
    notes = {each.metadata["path"]: each for each in engine.list(limit=10)}
    assert set(notes) == {"Launch", "people/Ana", "Budget", "Empty"}
    assert set(notes["Launch"].tags) >= {"work", "plan", "release", "design"}
    assert "not" not in notes["Launch"].tags
    assert str(notes["Launch"].recorded_at)[:10] == "2026-02-01"
    assert notes["Launch"].metadata["front"]["permalink"] == "work/launch-plan"
    names = {memory.id: path for path, memory in notes.items()}
    reader = engine.reader
    edges = {(names[each.source], names[each.target]): each for each in reader.edges() if each.type == "semantic"}
    assert set(edges) >= {("Launch", "people/Ana"), ("Launch", "Budget"), ("people/Ana", "Launch")}
    assert edges["Launch", "Budget"].reason == "depends_on"
    assert report.left == ("links to what the file does not have (1)",)


def test_csv_and_json_lines_with_a_mapping(engine: combray.Engine, tmp_path: Path) -> None:
    rows = tmp_path / "a.csv"
    rows.write_text('body,who,mood,importance\n"Tea, hot\nand sweet",Ann,glad,5\nCoffee,Bob,,2\nCoffee,Bob,,2\n')
    report = imported(engine, rows, names={"text": "body", "author": "who"}, diff=False)
    assert report.memories == 3
    tea = by_text(engine)["Tea, hot\nand sweet"]
    assert (tea.author, tea.metadata, tea.importance) == ("Ann", {"mood": "glad"}, 5)
    assert imported(engine, rows, names={"text": "body", "author": "who"}).skipped == 3
    lines = tmp_path / "a.jsonl"
    lines.write_text('{"body": "Milk", "who": "Cid", "mood": {"a": 1}}\n')
    imported(engine, lines, names={"text": "body", "author": "who"})
    assert by_text(engine)["Milk"].metadata == {"mood": {"a": 1}}


@pytest.mark.parametrize("name", ["a.tsv", "A.TSV"])
def test_tabs_part_the_values_of_a_tsv_file(engine: combray.Engine, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("text\tauthor\nTea, hot\tAnn\n")
    assert imported(engine, tmp_path / name).memories == 1
    assert by_text(engine)["Tea, hot"].author == "Ann"


def test_an_id_of_another_tool_is_kept(engine: combray.Engine, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,text\nn-1,Tea\n")
    imported(engine, path)
    assert by_text(engine)["Tea"].metadata == {"id": "n-1"}


@pytest.mark.parametrize(
    ("names", "said"),
    [({"text": "no"}, "has no column 'no'"), ({"colour": "body"}, "is not a field of a memory")],
)
def test_a_wrong_mapping(tmp_path: Path, names: dict[str, str], said: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text("body\nTea\n")
    with pytest.raises(InvalidInputError, match=said):
        read_file(path, names=names)


@pytest.mark.parametrize("count", [10_000, *nightly([100_000], "ten times as many")])
def test_many_rows_are_read(tmp_path: Path, count: int) -> None:
    path = tmp_path / "a.csv"
    path.write_text("text,n\n" + "".join(f"Row number {at},{at}\n" for at in range(count)))
    parsed = read_file(path)
    assert (len(parsed.entries), parsed.problems) == (count, [])


def test_an_interrupted_import_goes_on(engine: combray.Engine, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("text\n" + "".join(f"Locker {at} belongs to team {at * 7}.\n" for at in range(600)))

    class StopError(Exception):
        pass

    def stop(done: int) -> None:
        raise StopError(done)

    with pytest.raises(StopError):
        imported(engine, path, diff=False, progress=stop)
    stored = engine.list(limit=1).total
    assert 0 < stored < 600
    report = imported(engine, path, diff=False)
    assert (report.memories, report.skipped) == (600 - stored, stored)


BAD: list[tuple[str, bytes, str]] = [
    ("a.csv", b"text\n\xff\xfe\n", "is not UTF-8"),
    ("a.csv", b'text\n"Tea\n', "is not valid CSV"),
    ("a.parquet", b"PAR1" + b"\0" * 40, "cannot be read as Parquet"),
    ("a.db", b"SQLite format 3\0" + b"\1" * 200, "cannot be read as SQLite"),
    ("a.bin", b"\0\1\2", "has no format that is known"),
    ("a.zip", b"PK\x03\x04", "combray ingest"),
]


@pytest.mark.parametrize(("name", "data", "said"), BAD)
def test_a_bad_file_is_refused_in_one_sentence(tmp_path: Path, name: str, data: bytes, said: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(InvalidInputError, match=said):
        read_file(path)
    done = CliRunner().invoke(shell, ["import", str(path), "--db", str(tmp_path / "s.db"), "--embedder", "none"])
    assert done.exit_code != 0
    assert not isinstance(done.exception, (UnicodeDecodeError, sqlite3.Error))
    assert "Traceback" not in done.output
    assert not (tmp_path / "s.db").exists()


@pytest.mark.parametrize("form", ["graphiti", "letta"])
def test_a_named_format_of_another_shape_is_refused_in_one_sentence(tmp_path: Path, form: str) -> None:
    (tmp_path / "a.json").write_text("[1, 2]")
    with pytest.raises(InvalidInputError, match="must be a JSON object"):
        read_file(tmp_path / "a.json", form)


def test_a_folder_without_a_name_of_its_own_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.bin").write_bytes(b"\0\1\2")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInputError, match=f"^{tmp_path.name}: has no format that is known"):
        read_file(Path())


WRONG: list[tuple[str, Any]] = [
    (
        "mem0",
        {"results": [{"id": "1", "memory": "Tea"}, {"id": "2", "memory": 5}, 7, {"id": "3", "memory": None}]},
    ),
    ("graphiti", {"nodes": 5, "edges": [{"fact": "Tea"}, {"fact": ["x"]}, None]}),
    ("letta", {"core_memory": [{"label": "human", "value": {"a": 1}}, "x"], "messages": {"a": 1}}),
]


@pytest.mark.parametrize(("form", "value"), WRONG)
def test_wrong_types_are_reported_and_nothing_is_written(
    engine: combray.Engine, tmp_path: Path, form: str, value: Any
) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(value))
    parsed = read_file(path)
    assert parsed.shape == form
    assert parsed.problems
    with pytest.raises(InvalidInputError, match="nothing was written"):
        engine.store.import_from(parsed, dry_run=False)
    assert engine.list(limit=1).total == 0


@pytest.mark.parametrize("form", ["graphiti", "letta"])
def test_a_cut_file_writes_nothing(engine: combray.Engine, tmp_path: Path, form: str) -> None:
    path = tmp_path / KNOWN[form].name
    whole = KNOWN[form].read_bytes()
    for end in range(1, len(whole) - 2, 97):
        path.write_bytes(whole[:end])
        with pytest.raises(InvalidInputError):
            engine.store.import_from(read_file(path), dry_run=False)
        with pytest.raises(InvalidInputError, match="is not JSON"):
            read_file(path, form)
    assert engine.list(limit=1).total == 0


def test_a_pickle_that_runs_code_is_not_run(tmp_path: Path) -> None:
    class Evil:
        def __reduce__(self) -> Any:
            return (Path.touch, (tmp_path / "ran",))

    folder = tmp_path / "q" / "collection" / "mem0"
    folder.mkdir(parents=True)
    with sqlite3.connect(folder / "storage.sqlite") as database:
        database.execute("CREATE TABLE points (id TEXT PRIMARY KEY, point BLOB)")
        database.execute("INSERT INTO points VALUES ('a', ?)", (pickle.dumps(Evil()),))
    parsed = read_file(tmp_path / "q")
    assert "cannot be read" in str(parsed.problems[0])
    assert not (tmp_path / "ran").exists()


def test_front_matter_that_is_wrong_is_a_problem_of_its_file(tmp_path: Path) -> None:
    texts = {
        "alias.md": b"---\na: &x [1]\nb: *x\n---\nTea",
        "broken.md": b"---\na: [1\n---\nTea",
        "list.md": b"---\n- a\n---\nTea",
        "utf8.md": b"\xff\xfe",
        "good.md": b"Tea",
    }
    for name, data in texts.items():
        (tmp_path / name).write_bytes(data)
    parsed = read_file(tmp_path)
    assert {each.item for each in parsed.problems} == set(texts) - {"good.md"}
    assert len(parsed.entries) == 1


def test_front_matter_ends_with_a_line_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\ntitle: Plan ---\n# ----------\ntags: [x]\n---\n\nTea at four\n")
    (tmp_path / "empty.md").write_text("---\n---\nCoffee at five\n")
    plan, empty = (each.fields for each in read_file(tmp_path).entries)
    assert (plan["content"], plan["context"], plan["tags"]) == ("Tea at four", "Plan ---", ["x"])
    assert empty["content"] == "Coffee at five"


def test_a_link_leads_to_the_note_of_that_path_before_one_of_that_name(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    for name in ("a/foo.md", "foo.md"):
        (tmp_path / name).write_text(f"This is {name}")
    (tmp_path / "note.md").write_text("See [[foo]] and [[None]].")
    parsed = read_file(tmp_path)
    paths = {each.fields["id"]: each.fields["metadata"]["path"] for each in parsed.entries}
    assert [paths[each["target"]] for each in parsed.entries[-1].fields["edges"]] == ["foo"]
    assert parsed.left == {"links to what the file does not have": 1}


def test_a_long_note_becomes_parts_that_are_the_note(engine: combray.Engine, tmp_path: Path) -> None:
    text = "\n\n".join(f"Paragraph {at}. " + "word " * 80 for at in range(60)).strip()
    (tmp_path / "long.md").write_text(text)
    imported(engine, tmp_path, diff=False)
    parts = sorted(engine.list(limit=10), key=lambda each: each.metadata["part"])
    assert len(parts) > 2
    assert "".join(each.content for each in parts) == text
    assert all(len(each) <= LONGEST for each in split("x" * 30_000))


def test_the_shell_imports_a_folder_and_reports_what_has_no_place(tmp_path: Path) -> None:
    options = ["--db", str(tmp_path / "s.db"), "--embedder", "none"]
    done = CliRunner().invoke(shell, ["import", str(KNOWN["markdown"]), *options, "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.output)["left"] == ["links to what the file does not have (1)"]
    rows = tmp_path / "a.csv"
    rows.write_text("body\nTea\n")
    done = CliRunner().invoke(shell, ["import", str(rows), *options, "--map", "text=body"])
    assert done.exit_code == 0, done.output
    assert CliRunner().invoke(shell, ["import", str(rows), *options, "--map", "body"]).exit_code == 2
