"""Models of natural language inference in ONNX: on a table of three words by hand, and in a consolidation.

The stand-in's logits are the sums over the tokens of both texts, so its answers are the same in both directions.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from onnx_file import folder, model

import combray
from combray import Engine
from combray.errors import InvalidInputError, ModelError
from combray.models import judge
from combray.runtime import Entailment, Link
from combray.testing.fakes import FakeClock

ROWS = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 4.0]]
"""Of [PAD], [UNK], red, blue, green. The columns are those of `ORDER`."""
ORDER = {"0": "CONTRADICTION", "1": "neutral", "2": "Entailment"}


def made(place: Path, order: Mapping[str, str] | None = ORDER) -> Path:
    folder(place, model(pooled=True, rows=ROWS))
    if order is not None:
        (place / "config.json").write_text(json.dumps({"id2label": order}))
    return place


def shares(spec: str, premise: str, hypothesis: str) -> Entailment:
    opened = judge(spec)
    assert opened is not None
    (found,) = opened.judge([(premise, hypothesis)])
    assert found is not None
    return found


def test_shares_by_hand(tmp_path: Path) -> None:
    """Two red: logits 8, 0, 0, so contradiction is e^8 / (e^8 + 2). Blue and green: both 4 beside 0."""
    spec = f"onnx:{made(tmp_path)}"
    assert shares(spec, "red", "red").contradiction == pytest.approx(math.exp(8) / (math.exp(8) + 2), abs=1e-6)
    assert shares(spec, "green", "green").entailment == pytest.approx(math.exp(8) / (math.exp(8) + 2), abs=1e-6)
    mixed = shares(spec, "blue", "green")
    assert mixed.neutral == pytest.approx(mixed.entailment) == pytest.approx(math.exp(4) / (2 * math.exp(4) + 1))
    assert mixed.entailment + mixed.neutral + mixed.contradiction == pytest.approx(1.0)


def test_order_is_kept_and_an_empty_text_has_no_answer(tmp_path: Path) -> None:
    opened = judge(f"onnx:{made(tmp_path)}")
    assert opened is not None
    found = opened.judge([("red", "red red red"), ("", "red"), ("green", "green")])
    assert [each and max(each.entailment, each.contradiction) > 0.9 for each in found] == [True, None, True]
    assert opened.judge([]) == []


@pytest.mark.parametrize(
    "order", [None, {"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"}, {"0": "entailment", "1": "not_entailment"}]
)
def test_a_model_that_does_not_name_its_outputs_is_refused(
    order: Mapping[str, str] | None, tmp_path: Path
) -> None:
    with pytest.raises(ModelError, match=r"must name the outputs entailment, neutral, contradiction"):
        shares(f"onnx:{made(tmp_path, order)}", "red", "red")


def test_a_wrong_spec_is_explained() -> None:
    assert judge("none") is None
    with pytest.raises(InvalidInputError, match=r"Choose one of: none, onnx:PATH"):
        judge("jina")


@contextmanager
def opened(place: Path, monkeypatch: pytest.MonkeyPatch, embedder: str) -> Iterator[Engine]:
    monkeypatch.setenv("COMBRAY_JUDGE", f"onnx:{made(place)}")
    monkeypatch.setenv("COMBRAY_DISTIL", "false")
    with combray.open(":memory:", embedder=embedder, clock=FakeClock(), worker=False) as engine:
        yield engine


def pair(engine: Engine, old: str, new: str, by: str = "Ana") -> tuple[str, str]:
    """Two memories and an open question between them; (new, old)."""
    clock = engine.runtime.clock
    assert isinstance(clock, FakeClock)
    ids = []
    for text, author in ((old, "Ana"), (new, by)):
        clock.pass_(days=1)
        ids.append(engine.remember(text, author=author, diff=False).id)
    with engine.runtime.store.transaction(engine.namespace) as tx:
        keys = tx.keys_of(ids)
        tx.link([Link(keys[ids[1]], keys[ids[0]], "may_revise", 0.8, reason="another colour")], 0.0)
    return ids[1], ids[0]


@pytest.mark.parametrize("embedder", ["wordllama", "none"])
def test_sure_pairs_are_settled_at_consolidation_and_the_rest_stays_open(
    embedder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path, monkeypatch, embedder) as engine:
        contradicting = pair(engine, "my door is red", "now the gate got red")
        repeating = pair(engine, "the bench is green", "it is green, that bench")
        neutral = pair(engine, "a blue lamp hangs there", "some blue chair arrived")
        others = pair(engine, "red wine for dinner", "no red wine please", by="Bo")
        run = engine.consolidation.run()
        assert run.degraded == ()
        assert engine.get(contradicting[1]).superseded_by == contradicting[0]
        assert engine.get(repeating[1]).merged_into == repeating[0]
        assert {engine.get(each).status for each in (*neutral, *others)} == {"active"}
        engine.consolidation.undo(run.run_id)
        assert {engine.get(each).status for each in (*contradicting, *repeating)} == {"active"}


def test_a_judge_that_fails_is_named_and_decides_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(tmp_path, monkeypatch, "none") as engine:
        _, old = pair(engine, "my door is red", "now the gate got red")
        (tmp_path / "config.json").unlink()
        run = engine.consolidation.run()
        assert "the judge gave no usable answer" in run.degraded[0]
        assert engine.get(old).status == "active"
