"""What holds for every preset: it is whole, it answers at any service level, recall never writes."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import fields, replace
from importlib import import_module
from pathlib import Path

import pytest

import combray
from combray import InvalidInputError, PipelineError, presets
from combray.pipeline import Pipeline, Transaction, given, leaves_process, stage_name
from combray.presets import READ, WRITE
from combray.presets.tuning import TUNED, tuned
from combray.remember.embed import QueueEmbedding
from combray.remember.retain import Prune
from combray.settings import Settings
from combray.testing.fakes import FakeClock, FakeEmbedder

NAMES = presets.names()
TEXTS = [
    "Alice moved to Berlin in March 2023",
    "Alice adopted a dog called Bruno",
    "The invoices are written by Marta on Fridays",
    "我们选择了向量数据库来保存记忆",
    "Lan thích trà sữa trân châu",
]


@pytest.mark.parametrize("name", NAMES)
def test_every_stage_gets_what_it_needs(name: str) -> None:
    preset = presets.load(name)
    assert (preset.name, preset.remember.starts_with, preset.recall.starts_with) == (name, WRITE, READ)
    preset.remember.check()
    preset.recall.check()
    assert preset.summary
    for stage in (*preset.remember.describe(), *preset.recall.describe()):
        assert stage["summary"], stage["stage"]


@pytest.mark.parametrize("name", NAMES)
def test_leaving_out_a_stage_that_others_need_is_refused(name: str) -> None:
    preset = presets.load(name)
    with pytest.raises(PipelineError):
        preset.remember.without("Validate")
    search = next(stage for stage in preset.recall if "found" in given(stage))
    with pytest.raises(PipelineError):
        preset.recall.without(stage_name(search))


@pytest.mark.parametrize("name", NAMES)
def test_inner_stages_of_a_transaction_stay_in_the_process(name: str) -> None:
    """No network call inside a transaction: embedding comes before it, in every preset."""
    stages = list(presets.load(name).remember)
    atomic = [place for place, stage in enumerate(stages) if isinstance(stage, Transaction)]
    calling = [place for place, stage in enumerate(stages) if leaves_process(stage)]
    assert len(atomic) == 1
    # Preset semantic-facts calls nobody while it writes: a worker embeds later.
    assert calling or any(isinstance(stage, QueueEmbedding) for stage in stages)
    assert max(calling, default=-1) < atomic[0]
    assert all(not leaves_process(stage) for stage in stages[atomic[0] :])


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
@pytest.mark.parametrize("name", NAMES)
def test_it_answers_with_and_without_embedder(name: str, embedder: str) -> None:
    engine = combray.open(":memory:", preset=name, embedder=embedder)
    engine.remember_many(TEXTS)
    questions = ["Where did Alice move?", "the dog of Alice", "Who writes invoices?", "数据库", "tra sua"]
    assert [engine.recall(each)[0].memory.content for each in questions] == TEXTS
    reason = engine.recall("Where did Alice move?").reason
    assert reason.startswith("hybrid" if embedder == "wordllama" else "keyword")
    assert ("only: no embedder is configured" in reason) == (embedder == "none")


@pytest.mark.parametrize("name", NAMES)
def test_it_answers_when_the_embedder_fails_and_says_so(name: str) -> None:
    embedder = FakeEmbedder()
    engine = combray.open(":memory:", preset=name, embedder=embedder)
    engine.remember_many(TEXTS)
    embedder.failing = True
    answer = engine.recall("Who writes invoices?")
    assert answer[0].memory.content == TEXTS[2]
    assert answer.details["degraded"] == ("keyword only: fake:64: does not answer",)
    assert answer.reason == "keyword only: fake:64: does not answer"
    assert any("does not answer" in step.note for step in answer.trace)


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
def test_the_default_preset_says_nothing_when_it_knows_nothing(embedder: str) -> None:
    engine = combray.open(":memory:", embedder=embedder)
    assert engine.recall("anything").reason == "namespace 'default' has no memories yet"
    engine.remember_many(TEXTS)
    answer = engine.recall("recipe for apple strudel")
    assert len(answer) == 0
    assert answer.reason.startswith("nothing here ")


@pytest.mark.parametrize("name", NAMES)
def test_every_stage_is_in_the_trace(name: str) -> None:
    engine = combray.open(":memory:", preset=name, embedder="none")
    engine.remember_many(TEXTS)
    trace = engine.recall("Alice").trace
    assert [step.stage for step in trace] == [stage_name(stage) for stage in presets.load(name).recall]
    assert trace[-1].after == len(engine.recall("Alice"))


@pytest.mark.parametrize("name", NAMES)
def test_recall_never_writes(tmp_path: Path, name: str) -> None:
    """Not a byte of the file or its log changes; access counts wait for the next write, or for close."""
    path = tmp_path / "a.db"
    engine = combray.open(str(path), preset=name, embedder="wordllama", worker=False)
    ids = [each.id for each in engine.remember_many(TEXTS)]

    def bytes_there() -> dict[str, str]:
        # The shared-memory index of the log is a cache that readers may touch. The audit is no part of the store:
        # it is there to grow with every recall.
        files = [f for f in sorted(tmp_path.iterdir()) if f.suffix != ".db-shm" and ".audit" not in f.name]
        return {f.name: hashlib.sha256(f.read_bytes()).hexdigest() for f in files}

    before, revision = bytes_there(), engine.reader.revision()
    for query in ("Alice", "why Alice", "什么", "nothing at all"):
        for basic in (False, True):
            engine.recall(query, basic=basic)
    engine.search("Alice")
    engine.related(ids[0])
    assert engine.get(ids[0]).access_count == 0
    assert (bytes_there(), engine.reader.revision()) == (before, revision)
    engine.close()
    with combray.open(str(path), embedder="none") as again:
        assert again.get(ids[0]).access_count > 0


SCRIPT = """
import json, sys
import combray
from combray.testing.fakes import FakeClock
for name in combray.presets.names():
    engine = combray.open(sys.argv[1], namespace=name, preset=name, read_only=True, clock=FakeClock())
    for query in ("Where did Alice move?", "why Alice", "dog", "数据库"):
        answer = engine.recall(query, limit=5)
        hits = [[hit.memory.id, hit.score, hit.signals, hit.via] for hit in answer]
        print(json.dumps([answer.intent, answer.reason, hits], sort_keys=True))
"""


@pytest.mark.slow("starts processes")
def test_two_processes_give_the_same_answer(tmp_path: Path) -> None:
    """Same store, query and clock: same answer, whatever the hash seed."""
    path = tmp_path / "a.db"
    for name in NAMES:
        with combray.open(str(path), namespace=name, preset=name, clock=FakeClock()) as engine:
            engine.remember_many([*TEXTS, *(f"Alice saw film number {n}" for n in range(30))])
    outputs = []
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "OPENBLAS_NUM_THREADS": "1"}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(path)], capture_output=True, text=True, env=environment
        )
        assert done.returncode == 0, done.stderr
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1]
    assert [len(json.loads(line)[2]) > 0 for line in outputs[0].splitlines()] == [True] * 4 * len(NAMES)


def test_a_preset_of_ones_own() -> None:
    """Edited pipelines run like the shipped ones."""
    mine = presets.load("mnemon")
    recall = mine.recall.without("OrderCauses")
    mine = replace(mine, name="mine", recall=Pipeline("mine.recall", recall.stages, recall.starts_with))
    engine = combray.open(":memory:", preset=mine, embedder="none")
    engine.remember("Alpha rains")
    answer = engine.recall("alpha")
    assert (answer.preset, len(answer)) == ("mine", 1)
    assert "OrderCauses" not in [step.stage for step in answer.trace]
    assert engine.recall("alpha", preset="default").preset == "default"


def test_a_transaction_of_another_name_keeps_its_limit() -> None:
    """The setting max_memories reaches the pruning stage whatever its transaction is called."""
    preset = presets.load("mnemon")
    (atomic,) = [stage for stage in preset.remember if isinstance(stage, Transaction)]
    renamed = replace(preset, remember=preset.remember.replace("Transaction", replace(atomic, label="Atomic")))
    changed = tuned(renamed, {"max_memories": 7, "decay": False})
    (inner,) = [stage for stage in changed.remember if isinstance(stage, Transaction)]
    assert [stage.most for stage in inner.stages if isinstance(stage, Prune)] == [7]


def test_an_unknown_preset_lists_the_known() -> None:
    with pytest.raises(InvalidInputError, match=r"'best' is not known\. Use one of: default, mnemon"):
        presets.load("best")


def test_every_setting_of_a_stage_names_a_stage_and_its_fields() -> None:
    for setting, kind, change in TUNED:
        module, _, name = kind.partition(":")
        stage = getattr(import_module(module), name)
        assert setting in Settings.__struct_fields__, setting
        assert {*change(1), *change(0)} <= {field.name for field in fields(stage)}, kind


@pytest.mark.parametrize("name", presets.names())
def test_an_importance_that_no_stage_computes_is_not_reported_as_zero(name: str) -> None:
    computed = name not in ("mnemo", "openclaw")
    engine = combray.open(":memory:", preset=name, embedder="none")
    for _ in ("new", "skipped"):
        found = engine.remember("Never deploy on Fridays").effective_importance
        assert (found is not None and found > 0.0) if computed else found is None
