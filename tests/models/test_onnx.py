"""Sentence models in ONNX: on a table of three words, by hand; on a real one where COMBRAY_TEST_ONNX names it."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import numpy as np
import pytest
from onnx_file import folder, model

import combray
from combray.errors import InvalidInputError, ModelError
from combray.models import embedder, onnx_files
from combray.models.onnx import OnnxEmbedder
from combray.models.onnx_files import KnownModel

HALF = 0.5**0.5


@pytest.mark.parametrize("pooled", [True, False])
def test_vectors_by_hand(tmp_path: Path, pooled: bool) -> None:
    """Mean of the tokens' rows to unit length, whatever the padding: red and blue give (1, 1, 0) / sqrt(2)."""
    made = OnnxEmbedder(str(folder(tmp_path, model(pooled=pooled), pooling="mean")))
    found = made.embed(["red", "red blue", "green green green green", "nobody knows", ""])
    expected = [[1, 0, 0], [HALF, HALF, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0]]
    assert found == pytest.approx(np.array(expected), abs=1e-6)
    assert found.dtype == np.float32
    assert made.dimensions == 3
    assert made.embed([]).shape == (0, 3)


def test_order_is_kept_over_batches(tmp_path: Path) -> None:
    """Texts are batched by length inside, 32 at a time."""
    made = OnnxEmbedder(str(folder(tmp_path, model(pooled=False), pooling="mean")))
    texts = [" ".join(["red"] * (1 + n % 5)) if n % 2 else "blue" for n in range(70)]
    found = made.embed(texts)
    assert found[:, 0].tolist() == pytest.approx([n % 2 for n in range(70)])


def test_only_inputs_the_model_has_are_fed(tmp_path: Path) -> None:
    with_types = ("input_ids", "attention_mask", "token_type_ids")
    for place, inputs in enumerate((("input_ids",), with_types)):
        made = OnnxEmbedder(str(folder(tmp_path / str(place), model(pooled=True, inputs=inputs))))
        assert made.embed(["red"])[0].tolist() == [1, 0, 0]
    unknown = model(pooled=True, inputs=("input_ids", "pixels"))
    with pytest.raises(ModelError, match="pixels"):
        OnnxEmbedder(str(folder(tmp_path / "odd", unknown)))


def test_the_name_tells_the_model_apart(tmp_path: Path) -> None:
    one = OnnxEmbedder(str(folder(tmp_path / "colours", model(pooled=True))))
    other = OnnxEmbedder(str(folder(tmp_path / "colours", model(pooled=False), pooling="mean")))
    assert one.name.startswith("onnx:colours:")
    assert one.name != other.name


CLS = '{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false, "word_embedding_dimension": 3}'


def configured(place: Path, pooling: str, *, pooled: bool = False) -> OnnxEmbedder:
    folder(place, model(pooled=pooled))
    (place / "1_Pooling").mkdir(exist_ok=True)
    (place / "1_Pooling" / "config.json").write_text(pooling)
    return OnnxEmbedder(str(place))


@pytest.mark.parametrize(
    ("pooling", "expected", "ending"),
    [
        (CLS, [1, 0, 0], ":cls"),
        ('{"pooling_mode": "cls"}', [1, 0, 0], ":cls"),
        ('{"pooling_mode_mean_tokens": true}', [HALF, HALF, 0], ""),
        ("{}", [HALF, HALF, 0], ""),
    ],
)
def test_tokens_are_pooled_as_the_model_says(
    tmp_path: Path, pooling: str, expected: list[float], ending: str
) -> None:
    """Of "red blue" the first token alone, red, or the mean. Other vectors, so another name."""
    made = configured(tmp_path, pooling)
    assert made.embed(["red blue"])[0].tolist() == pytest.approx(expected, abs=1e-6)
    assert (
        made.name
        == OnnxEmbedder(str(folder(tmp_path / "bare", model(pooled=False), pooling="mean"))).name.replace(
            "onnx:bare:", f"onnx:{tmp_path.name}:"
        )
        + ending
    )


@pytest.mark.parametrize(
    ("pooling", "said"),
    [
        ('{"pooling_mode_max_tokens": true}', "the pooling max is not supported"),
        ('{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": true}', r"the pooling cls\+mean"),
        ('{"pooling_mode": ["a"]}', "the pooling"),
        ("[]", r"1_Pooling/config\.json cannot be read"),
        ("<html>", r"1_Pooling/config\.json cannot be read"),
    ],
)
def test_pooling_that_is_not_done_is_refused_unless_the_model_pools(
    tmp_path: Path, pooling: str, said: str
) -> None:
    with pytest.raises(ModelError, match=said):
        configured(tmp_path, pooling)
    assert configured(tmp_path, pooling, pooled=True).embed(["red"])[0].tolist() == [1, 0, 0]


def test_a_model_that_does_not_say_how_to_pool_is_an_error_that_asks(tmp_path: Path) -> None:
    """The mean of a model trained on its first token would find next to nothing, silently."""
    place = folder(tmp_path, model(pooled=False))
    with pytest.raises(
        ModelError, match=r'nothing says how to pool them\. Write .*"mean".* or .*"cls".*1_Pooling'
    ):
        OnnxEmbedder(str(place))
    assert OnnxEmbedder(str(folder(tmp_path, model(pooled=True)))).dimensions == 3


def test_a_listed_model_is_known_by_its_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = folder(tmp_path, model(pooled=False))
    sha256 = hashlib.sha256((place / "model.onnx").read_bytes()).hexdigest()
    files = {"model.onnx": (1, sha256), "tokenizer.json": (1, "")}
    listed = KnownModel("colours", "embedder", "MIT", "inside", files, pooling="cls")
    monkeypatch.setattr(onnx_files, "KNOWN", {"colours": listed})
    assert OnnxEmbedder(str(place)).embed(["red blue"])[0].tolist() == pytest.approx([1, 0, 0], abs=1e-6)


def test_weights_beside_the_model_tell_it_apart(tmp_path: Path) -> None:
    place = folder(tmp_path, model(pooled=True))
    bare = OnnxEmbedder(str(place)).name
    (place / "model.onnx_data").write_bytes(b"one")
    one = OnnxEmbedder(str(place)).name
    (place / "model.onnx_data").write_bytes(b"two")
    assert len({bare, one, OnnxEmbedder(str(place)).name}) == 3


def test_an_export_to_a_folder_onnx_has_its_tokenizer_above(tmp_path: Path) -> None:
    place = folder(tmp_path / "colours", model(pooled=True))
    (place / "onnx").mkdir()
    (place / "model.onnx").rename(place / "onnx" / "model.onnx")
    names = {OnnxEmbedder(str(path)).name for path in (place, place / "onnx" / "model.onnx")}
    assert [name.startswith("onnx:colours:") for name in names] == [True]


def test_a_small_vocabulary_is_trusted_in_english_only(tmp_path: Path) -> None:
    made = OnnxEmbedder(str(folder(tmp_path, model(pooled=True))))
    assert (made.knows("en"), made.knows("vi")) == (1.0, 0.3)
    assert made.contextual


def test_a_wrong_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"there is no model\.onnx"):
        OnnxEmbedder(str(tmp_path))
    (tmp_path / "model.onnx").write_bytes(b"")
    with pytest.raises(ModelError, match=r"there is no tokenizer\.json"):
        OnnxEmbedder(str(tmp_path))
    with pytest.raises(InvalidInputError):
        embedder("onnx:")


@pytest.mark.parametrize("garbage", [b"", b"this is no model", model(pooled=True)[:-40], b"\xff" * 100])
def test_a_garbage_model_is_a_clear_error(tmp_path: Path, garbage: bytes) -> None:
    with pytest.raises(ModelError, match=r"model\.onnx in .* is not a readable ONNX model|the ONNX model failed"):
        OnnxEmbedder(str(folder(tmp_path, garbage)))


def test_a_garbage_tokenizer_is_a_clear_error(tmp_path: Path) -> None:
    place = folder(tmp_path, model(pooled=True))
    (place / "tokenizer.json").write_text('{"version": 1')
    with pytest.raises(ModelError, match=r"tokenizer\.json in .* is not a readable tokenizer"):
        combray.open(":memory:", embedder=f"onnx:{place}")


def test_an_engine_runs_on_it(tmp_path: Path) -> None:
    place = folder(tmp_path, model(pooled=False), pooling="mean")
    with combray.open(":memory:", embedder=f"onnx:{place}", preset="mnemon") as engine:
        engine.remember("red red")
        engine.remember("green")
        answer = engine.recall("red blue")
        assert answer[0].memory.content == "red red"
        # cos((1, 0, 0), (1, 1, 0)) = 1 / sqrt(2)
        assert answer[0].signals["similarity"] == pytest.approx(HALF, abs=1e-4)
        assert answer.reason.startswith("hybrid")


@pytest.mark.skipif(not os.environ.get("COMBRAY_TEST_ONNX"), reason="COMBRAY_TEST_ONNX names no model folder")
def test_a_real_model() -> None:
    made = OnnxEmbedder(os.environ["COMBRAY_TEST_ONNX"])
    found = made.embed(["The cat sleeps on the sofa", "A kitten naps on the couch", "Interest rates rose again"])
    assert np.linalg.norm(found, axis=1) == pytest.approx(np.ones(3), abs=1e-5)
    near, far = float(found[0] @ found[1]), float(found[0] @ found[2])
    assert near > far + 0.2
    # The same text alone or among longer ones: padding does not count, up to the rounding of int8 layers.
    alone = made.embed(["The cat sleeps on the sofa"])[0]
    assert float(alone @ found[0]) > 0.98
