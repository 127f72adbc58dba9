"""Names of things: listed, declared, merged, separated, and undone like any memory."""

from pathlib import Path

import pytest

import combray
from combray.errors import InvalidInputError, NotFoundError

EMBEDDERS = ("wordllama", "none")


def opened(embedder: str) -> combray.Engine:
    return combray.open(":memory:", embedder=embedder)


def contents(answer: combray.Answer) -> list[str]:
    return [hit.memory.content for hit in answer]


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_a_declared_alias_finds_what_the_other_name_holds_and_is_taken_back(embedder: str) -> None:
    with opened(embedder) as engine:
        engine.remember("Kubernetes upgrades happen on Tuesday nights.", entities=["Kubernetes"])
        engine.remember("Lunch is served at noon.")
        stated = engine.entities.alias("Kubernetes", "k8s", "kube")
        assert stated.content == "Kubernetes is also called k8s, kube."
        assert "Kubernetes upgrades happen on Tuesday nights." in contents(
            engine.recall("When do k8s upgrades happen?")
        )
        (first, *_) = engine.entities.list()
        assert (first.name, first.aliases, first.learned) == ("Kubernetes", ("k8s", "kube"), ())
        assert first.stated_by == (stated.id,)
        engine.forget(stated.id)
        assert not any(each.aliases for each in engine.entities.list())
        engine.restore(stated.id)
        assert engine.entities.list()[0].aliases == ("k8s", "kube")


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_two_entities_become_one_with_all_their_names(embedder: str) -> None:
    with opened(embedder) as engine:
        engine.remember("The Acme contract ends in May.", entities=["Acme Corporation"])
        engine.remember("Invoices of ACC are late.", entities={"ACC": ["the coyote client"]})
        engine.entities.merge("ACC", "Acme Corporation")
        names = next(each for each in engine.entities.list() if each.name == "Acme Corporation")
        assert set(names.aliases) == {"ACC", "the coyote client"}
        assert "Invoices of ACC are late." in contents(engine.recall("Are invoices of Acme Corporation late?"))


def test_an_alias_is_separated_where_it_is_declared_and_the_memory_stays() -> None:
    with opened("none") as engine:
        told = engine.remember("The cluster is upgraded.", entities={"Kubernetes": ["k8s", "kube"], "Redis": []})
        own = engine.entities.alias("Kubernetes", "kube")
        changed = engine.entities.separate("kubernetes", "Kube")
        assert {each.id for each in changed} == {told.id, own.id}
        assert engine.get(told.id).aliases == {"Kubernetes": ("k8s",), "Redis": ()}
        assert set(engine.get(told.id).entities) >= {"Kubernetes", "Redis"}
        assert engine.get(own.id).status == "forgotten"
        assert engine.entities.list()[0].aliases == ("k8s",)
        engine.restore(told.id, version=1)
        assert engine.get(told.id).aliases == {"Kubernetes": ("k8s", "kube"), "Redis": ()}


def test_what_a_text_teaches_is_listed_as_learned_and_separated_by_hand() -> None:
    with opened("none") as engine:
        told = engine.remember("CI stands for continuous integration.")
        (found,) = [each for each in engine.entities.list() if each.aliases]
        assert (found.name, found.learned, found.stated_by) == ("continuous integration", ("CI",), (told.id,))
        (changed,) = engine.entities.separate("Continuous Integration", "ci")
        assert (changed.id, changed.content) == (told.id, "CI stands for continuous integration.")
        assert [each for each in engine.entities.list() if each.aliases] == []
        # Metadata that is replaced as a whole does not teach it again, and the store is sound.
        engine.update(told.id, metadata={"topic": "builds"})
        assert [each for each in engine.entities.list() if each.aliases] == []
        assert all(each.ok for each in engine.store.doctor())
        engine.store.doctor(repair=True)
        assert [each for each in engine.entities.list() if each.aliases] == []
        engine.restore(told.id, version=1)
        assert [each.learned for each in engine.entities.list() if each.aliases] == [("CI",)]
        assert all(each.ok for each in engine.store.doctor())


def test_both_a_declared_and_a_learned_name_are_separated_at_once() -> None:
    with opened("none") as engine:
        entities = {"continuous integration": ["CI"]}
        told = engine.remember("CI stands for continuous integration.", entities=entities)
        own = engine.entities.alias("continuous integration", "CI")
        changed = engine.entities.separate("continuous integration", "CI")
        assert {each.id for each in changed} == {told.id, own.id}
        assert [each for each in engine.entities.list() if each.aliases] == []


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
def test_a_merge_keeps_the_names_that_the_merged_memory_declared(embedder: str) -> None:
    with combray.open(":memory:", embedder=embedder, preset="semantic-facts", worker=False) as engine:
        kept = engine.remember("Ann drinks coffee daily", confidence=0.9, entities=["Ann"], diff=False)
        gone = engine.remember(
            "Ann still drinks coffee daily", entities={"ann": ["Annie"], "Bo": ["Robert"]}, diff=False
        )
        engine.consolidation.run()
        assert engine.get(gone.id).status == "merged"
        assert engine.get(kept.id).aliases == {"Ann": ("Annie",), "Bo": ("Robert",)}
        engine.erase(gone.id)
        assert {each.name: each.aliases for each in engine.entities.list() if each.aliases} == {
            "Ann": ("Annie",),
            "Bo": ("Robert",),
        }


def test_an_undone_merge_gives_the_names_back() -> None:
    with combray.open(":memory:", embedder="none", preset="semantic-facts", worker=False) as engine:
        kept = engine.remember("Ann drinks coffee daily", confidence=0.9, entities=["Ann"], diff=False)
        engine.remember("Ann still drinks coffee daily", entities={"Ann": ["Annie"]}, diff=False)
        before = engine.get(kept.id)
        run = engine.consolidation.run()
        assert engine.get(kept.id).aliases == {"Ann": ("Annie",)}
        engine.consolidation.undo(run.run_id)
        assert engine.get(kept.id).aliases == before.aliases


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
def test_no_byte_of_an_alias_is_left_after_an_erasure(tmp_path: Path, embedder: str) -> None:
    with combray.open(tmp_path / "a.db", embedder=embedder, worker=False) as engine:
        engine.remember("Something else stays")
        told = engine.remember("The cluster is upgraded.", entities={"Kubernetes": ["Qixquabbler", "Zwortfinch"]})
        engine.entities.separate("Kubernetes", "Zwortfinch")
        proof = engine.erase(told.id, prove=True)
        assert proof is not None
        assert proof.clean
    for file in tmp_path.iterdir():
        held = file.read_bytes().lower()
        for name in (b"qixquabbler", b"zwortfinch"):
            assert name not in held, (file.name, name)


def test_mistakes_are_told_and_nothing_is_written() -> None:
    with opened("none") as engine:
        for others in ((), ("  ",), ("KUBERNETES",)):
            with pytest.raises(InvalidInputError, match="is no other name"):
                engine.entities.alias("Kubernetes", *others)
        with pytest.raises(NotFoundError, match="List them"):
            engine.entities.separate("Kubernetes", "k8s")
        assert engine.list().total == 0


def test_names_do_not_cross_a_namespace(tmp_path: Path) -> None:
    with combray.open(tmp_path / "a.db", embedder="none", namespace="one") as one:
        one.entities.alias("Kubernetes", "k8s")
    with combray.open(tmp_path / "a.db", embedder="none", namespace="two") as two:
        assert two.entities.list() == []


def test_a_request_to_forget_takes_every_name_of_a_thing() -> None:
    with opened("wordllama") as engine:
        engine.remember("Acme Corporation pays late.", entities={"Acme Corporation": ["AcmeCo"]})
        engine.remember("The dinner with AcmeCo went well.")
        engine.remember("The garden needs water.")
        taken = engine.forget(about="everything about Acme Corporation")
        assert taken.count == 2
