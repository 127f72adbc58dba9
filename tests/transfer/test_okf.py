"""Open Knowledge Format 0.2: import, check, export, and both round trips. And Parquet and GraphML."""

from __future__ import annotations

import io
import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import combray
from combray.errors import InvalidInputError
from combray.interfaces.cli import combray as shell
from combray.transfer import read_file
from combray.transfer.formats import detect, write_file
from combray.transfer.formats.drafts import Drafts
from combray.transfer.formats.markdown import dumped, loaded, notes

BUNDLE = Path(__file__).parent / "golden" / "okf"
LOST = {"access_count", "last_accessed_at", "evidence", "namespace", "said_at"}
"""What an import counts anew, or names memories that may be missing."""


def opened() -> combray.Engine:
    return combray.open(":memory:", embedder="none", timezone="UTC")


def written(engine: combray.Engine, path: Path, form: str = "okf") -> tuple[int, tuple[str, ...]]:
    lines = io.StringIO()
    engine.store.export_to(lines)
    return write_file(path, form, lines.getvalue().splitlines(keepends=True))


def concepts(folder: Path) -> dict[str, tuple[Any, str]]:
    """The front matter and body of each concept, without what Combray adds."""
    found = {}
    for note in notes(folder, Drafts("okf")):
        front = {name: value for name, value in (note.front or {}).items() if name != "combray"}
        if note.path not in ("index", "log"):
            found[note.path] = (front, note.body.partition("<!-- combray")[0].strip("\n"))
    return found


def test_a_source_within_the_bundle_is_a_link_and_the_index_has_descriptions(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    (folder / "references").mkdir(parents=True)
    front: dict[str, Any] = {"type": "Metric", "title": "Revenue", "description": "What was\nearned."}
    front["sources"] = [{"resource": "references/policy.md"}, {"resource": "https://example.org/a.md"}]
    (folder / "revenue.md").write_text(dumped(front, "Rows of the year."))
    (folder / "references" / "policy.md").write_text(dumped({"type": "Reference"}, "Count paid rows."))
    engine = opened()
    report = engine.store.import_from(read_file(folder), dry_run=False)
    assert (report.edges, report.left, report.problems) == (1, (), ())
    edge = next(each for each in engine.reader.edges() if each.type == "semantic")
    assert edge.reason == "source"
    written(engine, tmp_path / "out")
    assert "* [Revenue](revenue.md) - What was earned.\n" in (tmp_path / "out" / "index.md").read_text()


def test_a_bundle_becomes_memories() -> None:
    engine = opened()
    report = engine.store.import_from(read_file(BUNDLE), dry_run=False)
    found = {each.metadata["path"]: each for each in engine.list(limit=10)}
    orders = found["tables/orders"]
    assert orders.recorded_at == datetime(2026, 5, 28, 12, 30, tzinfo=UTC)
    assert (orders.author, orders.context) == ("reference_agent/gemini-2.5-pro", "Customer Orders")
    assert orders.metadata["okf"]["generated"]["at"] == "2026-05-28T14:30:00+02:00"
    assert orders.metadata["okf"]["x_owner"] == {"team": "sales", "level": 2}
    names = {each.id: path for path, each in found.items()}
    edges = {
        (names[each.source], names[each.target]) for each in engine.reader.edges() if each.type == "semantic"
    }
    assert {("tables/orders", "tables/customers"), ("tables/orders", "computations/revenue")} <= edges
    assert set(report.left) == {"index.md and log.md (2)", "links to what the file does not have (1)"}


def test_a_bundle_comes_back_as_it_was(tmp_path: Path) -> None:
    engine = opened()
    engine.store.import_from(read_file(BUNDLE), dry_run=False)
    count, left = written(engine, tmp_path / "out")
    assert (count, left) == (3, ())
    assert concepts(tmp_path / "out") == concepts(BUNDLE)
    assert detect(tmp_path / "out") == "okf"
    # Times keep the notation of the producer, offset included.
    assert "at: 2026-05-28T14:30:00+02:00" in (tmp_path / "out" / "tables" / "orders.md").read_text()


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.md", "Tea", "has no front matter"),
        ("a.md", "---\ntitle: Tea\n---\n", "has no type"),
        ("a.md", "---\ntype: ''\n---\n", "has no type"),
        ("a.md", "---\ntype: [1]\n---\n", "has no type"),
        ("a.md", "---\ntype: {\n---\n", "cannot be read"),
        ("tables/index.md", "---\nokf_version: '0.2'\n---\n", "has front matter"),
        ("index.md", "---\nokf_version: '0.2'\ntype: x\n---\n", "has front matter"),
        ("tables/log.md", "## Yesterday\n* x\n", "without a date"),
    ],
)
def test_the_check_names_what_does_not_conform(tmp_path: Path, name: str, text: str, said: str) -> None:
    folder = tmp_path / "bundle"
    shutil.copytree(BUNDLE, folder)
    (folder / name).write_text(text)
    assert read_file(BUNDLE).problems == []
    problems = read_file(folder, "okf").problems
    assert [said in str(each) and name in str(each) for each in problems] == [True]
    done = CliRunner().invoke(
        shell, ["import", str(folder), "--format", "okf", "--dry-run", "--db", str(tmp_path / "s.db")]
    )
    assert done.exit_code == 1
    assert said in done.output


def test_a_time_without_an_offset_is_reported(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\ntype: Note\ngenerated: {by: x/1, at: 2026-05-28T14:30:00}\n---\nTea\n")
    assert read_file(tmp_path).left == {"times without an offset from UTC, read in the store's time zone": 1}


LETTERS = st.characters(exclude_categories=("Cs", "Cc"))
WORDS = st.text(LETTERS, min_size=1, max_size=60).map(str.strip).filter(bool)
ODD = ["2026-01-01", "2026-01-01T00:00:00Z", "yes", "~", "1e3", "0x1f", "12:30:45", "- a", "# b", "---"]
SINGLE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**40), 2**40),
    st.text(LETTERS, max_size=20),
    st.sampled_from(ODD),
)
PLAIN = st.recursive(
    SINGLE,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(WORDS, PLAIN, min_size=1, max_size=5), WORDS)
def test_front_matter_survives(front: dict[str, Any], body: str) -> None:
    text = dumped(front, body)
    assert loaded(text.split("\n---\n", 1)[0].removeprefix("---\n")) == front


MEMORIES = st.lists(
    st.fixed_dictionaries(
        {"content": WORDS},
        optional={
            "category": st.sampled_from(["general", "decision", "preference"]),
            "importance": st.integers(1, 5),
            "confidence": st.floats(0, 1),
            "tags": st.lists(st.sampled_from(["a", "b-c", "scope:user:ann", "ü"]), max_size=3, unique=True),
            "entities": st.lists(st.sampled_from(["Ana", "ACME"]), max_size=2, unique=True),
            "author": st.sampled_from(["ann", "Bob B."]),
            "context": WORDS,
            "occurred_at": st.sampled_from(["2026-03-01T09:00:00+02:00", "2020-01-01"]),
            "expires_at": st.just("2099-01-01T00:00:00Z"),
            "metadata": st.dictionaries(WORDS, PLAIN, max_size=3),
            "trust": st.sampled_from(["owner", "agent", "untrusted"]),
            "session": st.just("s1"),
        },
    ),
    min_size=1,
    max_size=6,
    unique_by=lambda each: each["content"],
)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(MEMORIES)
def test_memories_survive_an_export_and_an_import(tmp_path: Path, items: list[dict[str, Any]]) -> None:
    engine, other = opened(), opened()
    engine.remember_many(items, diff=False)  # type: ignore[arg-type]
    shutil.rmtree(tmp_path / "out", ignore_errors=True)
    written(engine, tmp_path / "out")
    report = other.store.import_from(read_file(tmp_path / "out"), dry_run=False, diff=False, trusted=True)
    assert report.problems == ()
    assert shown(other) == shown(engine)


def shown(engine: combray.Engine) -> dict[str, Any]:
    live = [each for each in engine.list(limit=100) if each.trust != "quarantined"]
    return {
        each.id: {name: value for name, value in msgspec.structs.asdict(each).items() if name not in LOST}
        for each in live
    }


def test_edges_survive_and_hidden_memories_are_reported(tmp_path: Path) -> None:
    engine, other = opened(), opened()
    first = engine.remember("The launch moved to May.").id
    second = engine.remember("Posters were late.").id
    gone = engine.remember("Nothing of note here.").id
    engine.link(second, first, type="causal", reason="because")
    engine.forget(gone)
    count, left = written(engine, tmp_path / "out")
    assert count == 2
    assert left[0] == "1 memories that are not active"
    other.store.import_from(read_file(tmp_path / "out"), dry_run=False)
    found = [(each.source, each.target, each.reason) for each in other.reader.edges() if each.type == "causal"]
    assert found == [(second, first, "because")]


def test_a_text_may_hold_the_line_above_the_edges_of_an_export(tmp_path: Path) -> None:
    engine, text = opened(), "Exports end with\n<!-- combray: related -->\nand a list."
    first = engine.remember(text)
    written(engine, tmp_path / "alone")
    engine.link(first.id, engine.remember("Tea").id, reason="see")
    written(engine, tmp_path / "linked")
    for name, edges in (("alone", 0), ("linked", 1)):
        copy = opened()
        report = copy.store.import_from(read_file(tmp_path / name), dry_run=False)
        assert (copy.get(first.id).content, report.edges) == (text, edges)


def test_a_path_never_leaves_the_folder(tmp_path: Path) -> None:
    engine = opened()
    for at, path in enumerate(["../../evil", "/etc/evil", "index", "a/../../evil", "log", ""]):
        facts = {"path": path, "okf": {"type": "Note"}}
        engine.remember(f"Number {at} of many.", metadata=facts, diff=False)
    (tmp_path / "in").mkdir()
    written(engine, tmp_path / "in" / "out")
    assert sorted(each.name for each in tmp_path.rglob("*evil*")) == []
    assert len(list((tmp_path / "in" / "out").rglob("*.md"))) == 7


def test_a_folder_that_is_not_empty_is_not_touched(tmp_path: Path) -> None:
    engine = opened()
    engine.remember("Tea")
    (tmp_path / "mine.md").write_text("Mine")
    with pytest.raises(InvalidInputError, match="not empty"):
        written(engine, tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["mine.md"]


def test_parquet_comes_back(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    engine, other = opened(), opened()
    engine.remember("Ana drinks tea.", tags=["a", "b"], entities=["Ana"], metadata={"n": [1]}, importance=5)
    engine.remember("Bob drinks coffee.", author="bob", occurred_at="2026-03-01T09:00:00Z")
    assert written(engine, tmp_path / "a.parquet", "parquet")[0] == 2
    other.store.import_from(read_file(tmp_path / "a.parquet"), dry_run=False, trusted=True)
    assert shown(other) == shown(engine)


def test_graphml_is_a_graph(tmp_path: Path) -> None:
    engine = opened()
    ids = [engine.remember(text).id for text in ("Tea <hot> & sweet", "Bell \x07 rings")]
    engine.link(ids[0], ids[1], type="semantic", reason='"so"')
    assert written(engine, tmp_path / "a.graphml", "graphml")[0] == 2
    space = "{http://graphml.graphdrawing.org/xmlns}"
    graph = ElementTree.parse(tmp_path / "a.graphml").getroot().find(f"{space}graph")
    assert graph is not None
    nodes = {each.get("id"): [data.text for data in each] for each in graph.findall(f"{space}node")}
    assert nodes[ids[0]][0] == "Tea <hot> & sweet"
    assert nodes[ids[1]][0] == "Bell \ufffd rings"
    assert any(each.get("source") == ids[0] for each in graph.findall(f"{space}edge"))


def test_the_shell_writes_a_bundle(tmp_path: Path) -> None:
    options = ["--db", str(tmp_path / "s.db")]
    CliRunner().invoke(shell, ["remember", "Ana drinks tea.", *options, "--embedder", "none"])
    done = CliRunner().invoke(shell, ["export", str(tmp_path / "out"), "--format", "okf", *options])
    assert done.exit_code == 0, done.output
    assert json.loads(done.output)["memories"] == 1
    assert CliRunner().invoke(shell, ["export", "--format", "okf", *options]).exit_code == 2


def test_the_shell_writes_into_an_empty_folder_only(tmp_path: Path) -> None:
    options = ["--db", str(tmp_path / "s.db")]
    CliRunner().invoke(shell, ["remember", "Ana drinks tea.", *options, "--embedder", "none"])
    folder = tmp_path / "out"
    folder.mkdir()
    for form in ("combray", "parquet", "graphml"):
        refused = CliRunner().invoke(shell, ["export", str(folder), "--format", form, *options])
        assert refused.exit_code == 2
        assert "is a folder. Name a file to write." in refused.stderr
        assert folder.is_dir()
    done = CliRunner().invoke(shell, ["export", str(folder), "--format", "okf", *options])
    assert done.exit_code == 0, done.output
    again = CliRunner().invoke(shell, ["export", str(folder), "--format", "okf", *options])
    assert again.exit_code == 1
    assert "is a folder that is not empty. Name a new folder." in again.stderr
