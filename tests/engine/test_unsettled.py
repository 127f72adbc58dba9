"""Pairs that wait for a verdict: listed, exported, erased, audited."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from revising import HALLE, JENA, LEIPZIG, ask, edges, know, pair

import combray
from combray import Engine, InvalidInputError


def test_open_pairs_are_listed_best_first_while_both_are_live(engine: Engine) -> None:
    ids = [know(engine, text) for text in (LEIPZIG, HALLE, JENA, "tea", "coffee")]
    ask(engine, ids[1], ids[0], 0.5, "a place")
    ask(engine, ids[2], ids[1], 0.9, "another place")
    ask(engine, ids[4], ids[3], 0.7)

    def listed(limit: int = 20) -> list[tuple[str, str, float]]:
        return [(each.new.id, each.old.id, each.score) for each in engine.unsettled(limit)]

    first, second, third = (ids[2], ids[1], 0.9), (ids[4], ids[3], 0.7), (ids[1], ids[0], 0.5)
    assert listed() == [first, second, third]
    assert listed(1) == [first]
    engine.forget(ids[1])
    assert listed() == [second]
    engine.restore(ids[1])
    assert listed() == [first, second, third]
    engine.settle(ids[2], ids[1], "supersedes")
    assert listed() == [second], "the pair of a superseded memory waits for nothing"
    engine.erase(ids[4])
    assert listed() == []
    assert engine.within("other").unsettled() == []
    with pytest.raises(InvalidInputError, match="limit"):
        engine.unsettled(0)


def test_a_question_is_neither_walked_nor_shown_as_a_relation(engine: Engine) -> None:
    new, old = pair(engine)
    asked = [each for each in engine.related(old) if each.via == "may_revise"]
    assert asked == []
    assert [each.memory.id for each in engine.related(old, type="may_revise")] == [new]


def test_a_settled_pair_survives_an_export(engine: Engine) -> None:
    new, old = pair(engine)
    third = know(engine, JENA, slot="ana.city")
    ask(engine, third, new, 0.4)
    engine.settle(new, old, "both", "two flats")
    exported = io.StringIO()
    engine.store.export_to(exported)
    with combray.open(":memory:", embedder="none", worker=False) as other:
        other.store.import_from(io.StringIO(exported.getvalue()), dry_run=False)
        assert edges(other, "may_revise") == edges(engine, "may_revise")
        assert [(each.new.id, each.old.id) for each in other.unsettled()] == [(third, new)]
        assert other.get(third).slot == "ana.city"
        other.settle(third, new, "supersedes")
        assert other.settle(new, old, "open").undone == "both"
        before = engine.get(old)
        assert other.get(old) == before


def test_an_erased_memory_leaves_no_trace_of_a_verdict(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with combray.open(path, embedder="none", worker=False) as engine:
        old = engine.remember(LEIPZIG, diff=False).id
        new = engine.remember(HALLE, diff=False, slot="ana.zzcity").id
        ask(engine, new, old, reason="zzquestion")
        engine.settle(new, old, "both", "zzverdict")
        engine.settle(new, old, "supersedes", "zzreason")
        assert b"zzcity" in path.with_name("a.db-wal").read_bytes() + path.read_bytes()
        certificate = engine.erase(new, prove=True)
        assert certificate is not None
        assert certificate.clean
        assert (engine.get(old).superseded_by, engine.reader.edges()) == (None, [])
    for word in (b"zzquestion", b"zzverdict", b"zzreason", b"zzcity", new.encode()):
        assert word not in path.read_bytes(), word


def test_a_verdict_has_one_audit_entry_without_its_words(tmp_path: Path) -> None:
    with combray.open(tmp_path / "a.db", embedder="none", worker=False) as engine:
        new, old = engine.remember(HALLE, diff=False).id, engine.remember(LEIPZIG, diff=False).id
        engine.settle(new, old, "supersedes", "because")
        ask(engine, engine.remember(JENA, diff=False).id, new)
        assert len(engine.unsettled()) == 1
        listed, *_, settled = [
            each for each in engine.audit.entries(10) if each.operation in ("settle", "unsettled")
        ]
        assert (settled.operation, set(settled.ids), settled.result) == ("settle", {new, old}, "ok")
        assert len(listed.ids) == 2
        assert "because" not in str(settled)
        with pytest.raises(InvalidInputError):
            engine.settle(old, new, "supersedes")
        assert engine.audit.entries(1)[0].result == "refused"


def test_related_lists_every_edge_of_a_neighbour() -> None:
    """Issue: "`related` shows all edges of a neighbour, not one"."""
    with combray.open(":memory:", embedder="none") as engine:
        first, second = engine.remember("pears ripen").id, engine.remember("the orchard is cold").id
        for kind, weight in (("semantic", 0.4), ("causal", 0.9)):
            engine.link(first, second, type=kind, weight=weight)  # type: ignore[arg-type]
        (found,) = (each for each in engine.related(first, depth=1) if each.memory.id == second)
        assert {("causal", 0.9), ("semantic", 0.4)} <= set(found.edges)
        assert (found.via, found.weight) == found.edges[0]
