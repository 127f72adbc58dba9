"""The default embedder: offline, static, English and Chinese."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from combray.errors import InvalidInputError, ModelError
from combray.models import embedder, wordllama
from combray.models.wordllama import MAX_TOKENS, StaticEmbedder, wordllama_embedder

MODEL = wordllama_embedder()


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


def test_a_missing_table_is_a_clear_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(wordllama, "FOLDER", tmp_path)
    with pytest.raises(ModelError, match="table of the default embedder is missing"):
        wordllama_embedder().embed(["cat"])


@pytest.mark.parametrize("damaged", [wordllama.ROWS, wordllama.MERGES])
@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:20],
        lambda content: content[:-1],
        lambda content: b"\0" * len(content),
    ],
)
def test_a_damaged_table_is_a_clear_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, damaged: str, damage: Callable[[bytes], bytes]
) -> None:
    for name in (wordllama.ROWS, wordllama.MERGES):
        content = (wordllama.FOLDER / name).read_bytes()
        (tmp_path / name).write_bytes(damage(content) if name == damaged else content)
    monkeypatch.setattr(wordllama, "FOLDER", tmp_path)
    with pytest.raises(ModelError, match=r"cannot be read: .* Install Combray again"):
        wordllama_embedder().embed(["cat"])


@pytest.mark.parametrize("precision", [np.float16, np.float32])
def test_another_table_fits(precision: type) -> None:
    class Letters:
        def encode(self, text: str, most: int | None = None) -> list[int]:
            return [ord(each) - ord("a") for each in text][:most]

    rows: np.ndarray[Any, Any] = np.eye(3, dtype=precision)
    found = StaticEmbedder("letters", 3, lambda: (Letters(), rows), knows={"en": 1.0}, otherwise=0.0)
    assert found.embed(["aab", "", "c"]) == pytest.approx(
        np.array([[0.8**0.5, 0.2**0.5, 0], [0, 0, 0], [0, 0, 1]])
    )
    assert (found.name, found.knows("en"), found.knows("vi")) == ("letters", 1.0, 0.0)


@pytest.mark.parametrize("spec", ["", "word2vec", "none:x", "wordllama:512", "onnx:"])
def test_an_unknown_embedder_lists_the_known(spec: str) -> None:
    with pytest.raises(InvalidInputError, match="none, wordllama, onnx:PATH"):
        embedder(spec)


def test_none_is_none() -> None:
    assert embedder("none") is None
