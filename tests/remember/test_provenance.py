"""Source, author and trust on every memory by whatever way it came, and what a namespace requires of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import combray
from combray import presets
from combray.engine import Engine
from combray.runtime import Filter
from combray.testing.fakes import FakeClock, FakeDistiller, FakeEmbedder
from combray.transfer import import_from, ingest
from combray.types import Memory

LEVELS = ("owner", "agent", "untrusted")


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    told = {"I live in Berlin.": "Ann lives in Berlin", "I live in Xanadu.": "Mallory lives in Xanadu"}
    with closing(
        combray.open(
            tmp_path / "a.db", embedder=FakeEmbedder(), clock=FakeClock(), language_model=FakeDistiller(told)
        )
    ) as opened:
        yield opened


def told(memory: Memory) -> tuple[str, str | None, str]:
    return memory.source, memory.author, memory.trust


def everything(engine: Engine) -> list[tuple[str, str | None, str]]:
    """In the order of writing."""
    return [told(each) for each in engine.reader.memories(sorted(engine.reader.scan(Filter()).tolist()))]


def test_a_remembered_text_has_what_was_said_of_it(engine: Engine) -> None:
    engine.remember("Ferries sail at nine.")
    engine.remember("Trains leave at ten.", source="mail", author="Ann")
    engine.remember_many(
        [{"content": "Buses stop at one.", "source": "planner", "author": "Bot", "trust": "agent"}]
    )
    assert everything(engine) == [
        ("user", None, "owner"),
        ("mail", "Ann", "untrusted"),
        ("planner", "Bot", "agent"),
    ]


def test_imported_items_and_exports_keep_theirs(engine: Engine) -> None:
    items = [
        {"content": "Ferries sail at nine.", "source": "old", "author": "Ann", "trust": "untrusted"},
        {"content": "Trains leave at ten.", "source": "web"},
    ]
    import_from(engine, "default", [json.dumps(each) for each in items], dry_run=False)
    line = {
        "record": "memory",
        "id": "0190-00000001",
        "content": "Buses stop.",
        "recorded_at": "2024-05-01T12:00:00Z",
    }
    line |= {"source": "bus", "author": "Bob", "trust": "agent"}
    export = [json.dumps({"format": "combray", "version": 1}), json.dumps(line)]
    import_from(engine, "default", export, dry_run=False)
    assert everything(engine) == [
        ("old", "Ann", "untrusted"),
        ("web", None, "untrusted"),
        ("bus", "Bob", "agent"),
    ]


def test_turns_have_their_speaker_and_the_trust_given(engine: Engine, tmp_path: Path) -> None:
    talk = engine.conversation("s")
    talk.add("Ferries sail at nine.", author="Ann")
    talk.add("The page says ten.", author="browser", trust="untrusted")
    file = tmp_path / "chat.jsonl"
    file.write_text('{"author": "Bob", "text": "Buses stop at one.", "session": "t"}\n', encoding="utf-8")
    ingest(engine, file)
    assert [each[1:] for each in everything(engine)] == [
        ("Ann", "owner"),
        ("browser", "untrusted"),
        ("Bob", "owner"),
    ]


def test_a_chunk_has_its_folders_trust_and_the_sort_of_its_file(engine: Engine, tmp_path: Path) -> None:
    for name, trust in (("own", None), ("bots", "agent"), ("downloads", "untrusted")):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.md").write_text(f"Ferries of the {name} sail.", encoding="utf-8")
        engine.documents.index(tmp_path / name, trust=trust)
    assert everything(engine) == [("memory", None, trust) for trust in LEVELS]


def test_auto_memory_keeps_who_said_it_and_reads_no_word_of_an_outsider(engine: Engine) -> None:
    talk = engine.conversation("s")
    for trust in LEVELS:
        talk.add(
            f"My name is {trust.title()}. I prefer {trust} coffee.", author="user", trust=trust, extract="rules"
        )
    kept = engine.reader.memories(engine.reader.scan(Filter(sources=("auto",))))
    assert {told(each) for each in kept} == {("auto", "user", "owner")}
    assert {each.evidence for each in kept} == {(talk.turns()[0].id,)}


def test_a_fact_made_of_turns_is_trusted_as_the_least_of_them(engine: Engine) -> None:
    """Of what an outsider said none is made, however often it is said."""
    for session, trust in (("a", "owner"), ("b", "agent")):
        engine.conversation(session).add("I live in Berlin.", author="Ann", trust=trust)
    for session in "cdefgh":
        engine.conversation(session).add("I live in Xanadu.", author="Mallory", trust="untrusted")
    engine.consolidation.run()
    made = engine.reader.memories(engine.reader.scan(Filter(sources=("extraction",))))
    # Who said it in other words is told by the evidence.
    assert [told(each) for each in made] == [("extraction", None, "agent")]
    assert [engine.get(each).author for each in made[0].evidence] == ["Ann", "Ann"]


def test_what_is_merged_was_trusted_alike(engine: Engine) -> None:
    """Nothing of more trust goes into something of less, and nothing gains trust by a merge."""
    for trust in ("owner", "untrusted"):
        engine.remember("User likes green tea with honey", trust=trust, diff=False, confidence=0.9)
    engine.remember("The user likes green tea with honey.", trust="untrusted", diff=False, confidence=0.7)
    engine.consolidation.run()
    rows = engine.reader.memories(sorted(engine.reader.scan(Filter(statuses=())).tolist()))
    assert [(each.trust, each.status) for each in rows] == [
        ("owner", "active"),
        ("untrusted", "active"),
        ("untrusted", "merged"),
    ]


def test_repeated_claims_of_one_source_count_once(engine: Engine) -> None:
    """Said five times in one conversation: one piece of evidence; in two conversations: two."""
    engine.remember("Ann lives in Berlin", author="Ann", confidence=0.5)
    for session, times in (("a", 5), ("b", 1)):
        talk = engine.conversation(session)
        for _ in range(times):
            engine.runtime.clock.pass_(minutes=1)  # type: ignore[attr-defined]
            talk.add("I live in Berlin!", author="Ann")
    engine.runtime.clock.pass_(minutes=1)  # type: ignore[attr-defined]
    engine.consolidation.run()
    (fact,) = engine.reader.memories(engine.reader.scan(Filter(kinds=("fact",))))
    sessions = [engine.get(each).session for each in fact.evidence]
    assert sorted(filter(None, sessions)) == ["a", "b"]


def test_who_calls_the_tools_says_whose_word_it_is(engine: Engine) -> None:
    pytest.importorskip("mcp_types")
    from combray.interfaces.mcp.calls import Calls

    calls = Calls(engine)
    calls.remember("Ferries sail at nine.", source="user")
    calls.remember("Trains leave at ten.")
    calls.remember("Buses stop at one.", source="external")
    assert everything(engine) == [
        ("user", None, "owner"),
        ("agent", None, "agent"),
        ("external", None, "untrusted"),
    ]


@pytest.mark.parametrize(("required", "shown"), [("untrusted", 3), ("agent", 2), ("owner", 1)])
def test_what_a_namespace_requires_holds_in_every_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, required: str, shown: int
) -> None:
    monkeypatch.setenv("COMBRAY_REQUIRE_TRUST", required)
    with closing(combray.open(tmp_path / "a.db", embedder=FakeEmbedder(), clock=FakeClock())) as engine:
        ids = []
        for trust in LEVELS:
            fact = engine.remember(
                f"The ferry sails for the {trust}fact", trust=trust, confidence=0.9, diff=False
            )
            ids.append(fact.id)
            engine.conversation("s").add(f"The ferry sails for the {trust}turn", author="Ann", trust=trust)
            (tmp_path / trust).mkdir()
            (tmp_path / trust / "a.md").write_text(f"The ferry sails for the {trust}file", encoding="utf-8")
            engine.documents.index(tmp_path / trust, trust=trust)
        for other in ids[1:]:
            engine.link(ids[0], other, weight=1.0)
        seen = _seen(engine, ids[0])
    wanted = set(LEVELS[:shown])
    for name, text in seen.items():
        found = {trust for trust in LEVELS for kind in ("fact", "turn", "file") if f"{trust}{kind}" in text}
        assert found <= wanted, name
        if name in ("search", "basic", "memory_search", "turns", "recall default", "context"):
            assert found == wanted, name


def _seen(engine: Engine, start: str) -> dict[str, str]:
    """What each read shows, as text."""
    query = "for whom does the ferry sail"
    seen = {f"recall {name}": repr(engine.recall(query, preset=name, limit=50)) for name in presets.names()}
    talk = engine.conversation("s")
    talk.wait()
    written = engine.remember("The ferry sails for nobody else.", diff=False)
    seen |= {
        "basic": repr(engine.recall("ferry", basic=True, limit=50)),
        "search": repr(engine.search("ferry sails", limit=50)),
        "search_memory": repr(engine.search_memory(query, limit=50)),
        "memory_search": repr(engine.documents.search(query, min_score=0.0, max_results=50)),
        "context": engine.context(query, 5000, limit=50).text,
        "think": repr(engine.think(query)),
        "related": repr(engine.related(start)),
        "turns": repr(talk.turns()),
        "conversation": talk.context().text,
        "suggested": repr((written.semantic_candidates, written.causal_candidates)),
    }
    return seen
