"""The default embedder: offline, static, English and Chinese."""

from __future__ import annotations

import numpy as np
import pytest

from combray.errors import InvalidInputError, ModelError
from combray.models import embedder, wordllama
from combray.models.wordllama import MAX_TOKENS, WordLlamaEmbedder

MODEL = WordLlamaEmbedder()


def test_unit_vectors_of_the_declared_length() -> None:
    found = MODEL.embed(["The cat sleeps", "猫在沙发上睡觉", "mèo ngủ", "a" * 9000])
    assert found.shape == (4, MODEL.dimensions) == (4, 256)
    assert found.dtype == np.float32
    assert np.linalg.norm(found, axis=1) == pytest.approx(np.ones(4), abs=1e-5)


def test_nothing_gives_zeros_and_no_texts_give_no_rows() -> None:
    found = MODEL.embed(["", "cat", ""])
    assert np.linalg.norm(found, axis=1).tolist() == pytest.approx([0, 1, 0])
    assert MODEL.embed([]).shape == (0, 256)


@pytest.mark.parametrize(
    ("one", "near", "far"),
    [
        ("The cat sleeps on the sofa", "A kitten naps on the couch", "Interest rates rose again"),
        ("我喜欢喝咖啡", "她每天早上喝咖啡", "股票市场今天下跌"),
    ],
)
def test_meaning_is_near(one: str, near: str, far: str) -> None:
    vectors = MODEL.embed([one, near, far])
    assert float(vectors[0] @ vectors[1]) > float(vectors[0] @ vectors[2]) + 0.1


def test_a_text_has_one_vector_whatever_it_is_embedded_with() -> None:
    alone = MODEL.embed(["The cat sleeps"])[0]
    among = MODEL.embed(["", "Another much longer text about cats and dogs", "The cat sleeps"])[2]
    assert alone.tolist() == among.tolist()
    assert MODEL.embed(["The cat sleeps"], query=True)[0].tolist() == alone.tolist()


def test_only_the_first_tokens_count() -> None:
    long = "cat " * MAX_TOKENS
    assert MODEL.embed([long])[0] == pytest.approx(MODEL.embed([long + "dog " * 50])[0], abs=1e-6)


def test_how_far_it_is_trusted() -> None:
    assert [MODEL.knows(language) for language in ("en", "zh", "vi", "")] == [1.0, 0.3, 0.5, 0.5]
    assert not MODEL.contextual
    assert not MODEL.leaves_process


def test_a_missing_package_is_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wordllama, "find_spec", lambda name: None)
    with pytest.raises(ModelError, match="wordllama package is not installed"):
        WordLlamaEmbedder().embed(["cat"])


@pytest.mark.parametrize("spec", ["", "word2vec", "none:x", "wordllama:512", "onnx:"])
def test_an_unknown_embedder_lists_the_known(spec: str) -> None:
    with pytest.raises(InvalidInputError, match="none, wordllama, onnx:PATH"):
        embedder(spec)


def test_none_is_none() -> None:
    assert embedder("none") is None
