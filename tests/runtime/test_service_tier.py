"""Which tier is open, why, since when; what every answer says of it."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

import combray
from combray import presets
from combray.engine import Engine
from combray.engine.service_tier import DOWN_AFTER, INTERVAL, TierMonitor
from combray.errors import InvalidInputError, ModelError
from combray.runtime import Runtime
from combray.settings import read_prices
from combray.testing.fakes import FakeClock, FakeEmbedder, FakeLanguageModel, FakeReranker
from combray.testing.reference import ReferenceStore

TEXTS = ["The fox is red", "Rates rose again"]


def opened(
    embedder: FakeEmbedder | str = "none", model: FakeLanguageModel | None = None, **more: object
) -> Engine:
    return combray.open(":memory:", embedder=embedder, language_model=model, **more)  # type: ignore[arg-type]


def fail(engine: Engine, embedder: FakeEmbedder, times: int = 1) -> None:
    embedder.failing = True
    for _ in range(times):
        engine.recall("fox")
    embedder.failing = False


@dataclass
class Disk:
    """The part of a store that a tier looks at; counts the looks."""

    unwritable: str = ""
    found: str = ""
    writable: bool = True
    looks: int = 0

    def probe(self) -> str:
        self.looks += 1
        self.unwritable = self.found
        return self.found


def tier_of(disk: Disk, clock: FakeClock) -> TierMonitor:
    return TierMonitor(disk, FakeEmbedder(), None, clock)  # type: ignore[arg-type]


# -- what is configured --------------------------------------------------------------------------------


def test_the_constants_are_those_of_the_page_and_of_the_code() -> None:
    """The page: "Tier is checked every 60 seconds"; notes 5.2: "3 failures in 300 s → BASIC"."""
    assert (INTERVAL, DOWN_AFTER) == (60.0, 3)


def test_what_is_configured_is_the_tier_and_nothing_is_called_degraded() -> None:
    engines = [opened(), opened(FakeEmbedder()), opened(FakeEmbedder(), FakeLanguageModel())]
    found = [engine.store.tier() for engine in engines]
    assert [(each.name, each.why, each.degraded) for each in found] == [
        ("BASIC", "no embedder is configured", False),
        ("STANDARD", "no language model is configured", False),
        ("FULL", "embedder, graph and language model are open", False),
    ]


def test_a_language_model_without_an_embedder_is_basic() -> None:
    tier = opened("none", FakeLanguageModel()).store.tier()
    assert (tier.name, tier.why) == ("BASIC", "no embedder is configured")


@pytest.mark.parametrize("name", presets.names())
def test_every_answer_says_its_tier_whatever_the_preset(name: str) -> None:
    engine = opened(FakeEmbedder(), preset=name)
    engine.remember_many(TEXTS)
    said = {"tier": "STANDARD", "why": "no language model is configured"}
    answers = [engine.recall("the red fox"), engine.recall("fox", basic=True), engine.search("fox")]
    answers += [engine.recall("???"), engine.recall("zebra quagga")]
    assert [each.details["tier"] for each in answers] == [said] * 5
    assert not any("tier" in each.reason for each in answers)


def test_a_runtime_made_by_hand_has_a_tier_too() -> None:
    engine = Engine(Runtime(ReferenceStore(), FakeEmbedder()), "default", presets.load("default"))
    assert engine.store.tier().name == "STANDARD"
    assert engine.recall("fox").details["tier"]["tier"] == "STANDARD"


# -- models that fail ----------------------------------------------------------------------------------


def test_three_failures_in_300_seconds_put_an_embedder_down_and_one_success_brings_it_back() -> None:
    embedder, clock = FakeEmbedder(), FakeClock()
    engine = opened(embedder, clock=clock)
    engine.remember_many(TEXTS)
    before = engine.store.tier().since
    clock.pass_(seconds=7)
    fail(engine, embedder, 2)
    assert engine.store.tier().name == "STANDARD"
    fail(engine, embedder)
    clock.pass_(seconds=5)
    tier = engine.store.tier()
    assert (tier.name, tier.degraded) == ("BASIC", True)
    assert tier.why == "fake:64 is down, the last failure: does not answer"
    clock.pass_(seconds=11)
    # Second 7: the third answer looked when its own query had failed.
    assert engine.store.tier().since == tier.since == before + 7
    assert engine.recall("fox").details["tier"]["tier"] == "STANDARD"
    assert engine.store.tier().name == "STANDARD"


def test_an_answer_without_its_vector_is_basic_from_the_first_failure_on() -> None:
    embedder = FakeEmbedder()
    engine = opened(embedder)
    engine.remember_many(TEXTS)
    embedder.failing = True
    answer = engine.recall("fox")
    assert answer.details["tier"] == {"tier": "BASIC", "why": "keyword only: fake:64: does not answer"}
    assert answer.reason == "keyword only: fake:64: does not answer"
    empty = engine.recall("zebra quagga")
    assert len(empty) == 0
    assert empty.reason.endswith("; tier BASIC: keyword only: fake:64: does not answer")
    assert engine.store.tier().name == "STANDARD"


def test_failures_further_apart_than_300_seconds_do_not_add_up() -> None:
    embedder, clock = FakeEmbedder(), FakeClock()
    engine = opened(embedder, clock=clock)
    for seconds in (0, 150, 151):
        clock.pass_(seconds=seconds)
        fail(engine, embedder)
    assert engine.store.tier().name == "STANDARD"
    fail(engine, embedder)
    assert engine.store.tier().name == "BASIC"


def test_a_model_that_nobody_has_called_for_300_seconds_counts_as_open_again() -> None:
    embedder, clock = FakeEmbedder(), FakeClock()
    engine = opened(embedder, clock=clock)
    fail(engine, embedder, 3)
    clock.pass_(seconds=299)
    assert engine.store.tier().name == "BASIC"
    clock.pass_(seconds=1)
    assert engine.store.tier().name == "STANDARD"


def test_a_language_model_that_is_down_is_named_in_every_reason_until_it_answers() -> None:
    model = FakeLanguageModel()
    engine = opened(FakeEmbedder(), model)
    engine.remember_many(TEXTS)
    assert engine.runtime.language_model is not None
    for _ in range(3):
        with pytest.raises(ModelError):
            engine.runtime.language_model.complete("", "?")
    answer = engine.recall("fox")
    assert answer.details["tier"]["tier"] == "STANDARD"
    assert answer.reason.endswith("; tier STANDARD: fake is down, the last failure: no answer left")
    model.answers.append("here")
    engine.runtime.language_model.complete("", "?")
    assert engine.recall("fox").details["tier"]["tier"] == "FULL"
    assert "tier" not in engine.recall("fox").reason


def test_a_text_that_fails_to_embed_counts_like_a_query() -> None:
    embedder = FakeEmbedder(failing=True)
    engine = opened(embedder)
    for text in ("One", "Two", "Three"):
        engine.remember(text)
    assert engine.store.tier().name == "BASIC"


# -- the store -----------------------------------------------------------------------------------------


def test_a_store_is_looked_at_60_seconds_after_a_failed_write_and_never_while_all_is_well() -> None:
    disk, clock = Disk(), FakeClock()
    tier = tier_of(disk, clock)
    for _ in range(3):
        clock.pass_(seconds=100)
        assert tier.now().name == "STANDARD"
    assert disk.looks == 0
    disk.unwritable = disk.found = "a.db: full"
    assert (tier.now().name, tier.now().why, disk.looks) == ("READONLY", "a.db: full", 0)
    clock.pass_(seconds=59)
    assert (tier.now().name, disk.looks) == ("READONLY", 0)
    clock.pass_(seconds=1)
    assert (tier.now().name, disk.looks) == ("READONLY", 1)
    clock.pass_(seconds=59)
    disk.found = ""
    assert (tier.now().name, disk.looks) == ("READONLY", 1)
    clock.pass_(seconds=1)
    assert (tier.now().name, disk.looks) == ("STANDARD", 2)
    clock.pass_(seconds=600)
    assert (tier.now().name, disk.looks) == ("STANDARD", 2)


def test_a_write_that_succeeds_ends_readonly_without_a_look() -> None:
    disk, clock = Disk(unwritable="a.db: full", found="a.db: full"), FakeClock()
    tier = tier_of(disk, clock)
    assert tier.now().name == "READONLY"
    disk.unwritable = ""
    assert (tier.now().name, disk.looks) == ("STANDARD", 0)


def test_a_look_that_is_asked_for_is_taken_at_once() -> None:
    disk = Disk(found="a.db: full")
    tier = tier_of(disk, FakeClock())
    assert tier.now().name == "STANDARD"
    assert (tier.now(check=True).name, disk.looks) == ("READONLY", 1)


def test_readonly_tells_of_models_that_are_down_too() -> None:
    embedder = FakeEmbedder()
    engine = opened(embedder)
    fail(engine, embedder, 3)
    watch = TierMonitor(Disk("full"), engine.runtime.embedder, None, engine.runtime.clock)  # type: ignore[arg-type]
    assert watch.now().why == "full; fake:64 is down, the last failure: does not answer"
    assert watch.now().without_vector("keyword only: x").name == "READONLY"


# -- status ------------------------------------------------------------------------------------------


def test_status_lists_what_each_model_has_done() -> None:
    embedder, model = FakeEmbedder(), FakeLanguageModel(["yes"])
    engine = opened(embedder, model, reranker=FakeReranker())
    engine.remember_many(TEXTS)
    fail(engine, embedder)
    assert engine.runtime.language_model is not None
    engine.runtime.language_model.complete("", "?")
    told = engine.store.status()
    assert told["tier"]["tier"] == "FULL"
    assert told["tier"]["since"].timestamp() == pytest.approx(engine.store.tier().since)
    lines = {each["kind"]: each for each in told["models"]}
    assert list(lines) == ["embedder", "reranker", "language_model"]
    assert lines["embedder"] == {
        "kind": "embedder",
        "name": "fake:64",
        "state": "closed",
        "calls": len(embedder.calls),
        "failures": 1,
        "tokens": 0,
        "cost": None,
        "last_failure": "does not answer",
    }
    assert (lines["reranker"]["calls"], lines["language_model"]["calls"]) == (0, 1)


def test_the_models_named_are_strings_or_objects() -> None:
    engine = opened("none", reranker="none")
    assert (engine.runtime.reranker, engine.runtime.language_model) == (None, None)
    with pytest.raises(InvalidInputError, match="language_model"):
        combray.open(":memory:", embedder="none", language_model="oracle:delphi")


def test_prices_are_read_and_nonsense_is_refused() -> None:
    assert read_prices("openai:a=0.5, voyage:b=0") == {"openai:a": 0.5, "voyage:b": 0.0}
    assert read_prices("ollama:qwen3:8b=0.25") == {"ollama:qwen3:8b": 0.25}
    assert read_prices("") == {}
    for text in ("openai:a", "=1", "openai:a=-1", "openai:a=inf", "openai:a=nan", "openai:a=dear"):
        with pytest.raises(InvalidInputError, match="prices"):
            read_prices(text)
