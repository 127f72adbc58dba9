"""Cross-encoders in ONNX: on a table of three words by hand (a real one: test_listed_models.py).

The stand-in's logit is the sum over the tokens of query and text, whose rows are given here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import pytest
from onnx_file import folder, model

from combray.errors import ModelError
from combray.models import reranker
from combray.models.onnx import OnnxReranker

ONE = [[0.0], [0.0], [1.0], [-2.0], [0.5]]
"""Of [PAD], [UNK], red, blue, green."""
TWO = [[0.0, 0.0], [0.0, 0.0], [0.0, 1.0], [2.0, 0.0], [0.5, 1.0]]


def encoder(place: Path, rows: Sequence[Sequence[float]]) -> OnnxReranker:
    made = reranker(f"onnx:{folder(place, model(pooled=True, rows=rows))}")
    assert isinstance(made, OnnxReranker)
    return made


def relevance(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))


@pytest.mark.parametrize("rows", [ONE, TWO], ids=["one output", "two outputs"])
def test_relevance_by_hand(tmp_path: Path, rows: Sequence[Sequence[float]]) -> None:
    """Logits with the query "red" (1): red 1 + 1, blue 1 - 2, green 1 + .5. Of two outputs the difference counts:
    e^b / (e^a + e^b) = 1 / (1 + e^(a - b)), and the differences of TWO are the numbers of ONE."""
    found = encoder(tmp_path, rows).rerank("red", ["red", "blue", "green", "nobody knows"])
    assert found == pytest.approx([relevance(2), relevance(-1), relevance(1.5), relevance(1)], abs=1e-6)


def test_the_query_counts_too(tmp_path: Path) -> None:
    made = encoder(tmp_path, ONE)
    assert made.rerank("blue", ["red"]) == pytest.approx([relevance(-1)], abs=1e-6)
    assert made.rerank("red red", ["red"]) == pytest.approx([relevance(3)], abs=1e-6)


def test_order_is_kept_over_batches_of_like_length(tmp_path: Path) -> None:
    texts = [" ".join(["red"] * (1 + n % 7)) for n in range(40)]
    found = encoder(tmp_path, ONE).rerank("red", texts)
    assert found == pytest.approx([relevance(2 + n % 7) for n in range(40)], abs=1e-6)


def test_empty_texts_and_queries_have_no_relevance(tmp_path: Path) -> None:
    made = encoder(tmp_path, ONE)
    assert made.rerank("red", ["", "red", " "]) == [None, pytest.approx(relevance(2), abs=1e-6), None]
    assert made.rerank("", ["red"]) == [None]
    assert made.rerank("red", []) == []


def test_a_logit_that_is_no_number_is_none(tmp_path: Path) -> None:
    rows = [[0.0], [0.0], [1.0], [math.nan], [math.inf]]
    found = encoder(tmp_path, rows).rerank("red", ["red", "blue", "green"])
    assert found == [pytest.approx(relevance(2), abs=1e-6), None, None]


def test_a_sentence_model_is_no_cross_encoder(tmp_path: Path) -> None:
    for place, pooled in enumerate((True, False)):
        made = folder(tmp_path / str(place), model(pooled=pooled))
        with pytest.raises(ModelError, match=r"onnx:\d: the output has shape .* one or two outputs"):
            OnnxReranker(str(made)).rerank("red", ["red"])


def test_a_wrong_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"there is no model\.onnx"):
        reranker(f"onnx:{tmp_path}")
    (tmp_path / "model.onnx").write_bytes(b"this is no model")
    (tmp_path / "tokenizer.json").write_text("{}")
    # Opening a store reads no model: the first recall does.
    made = OnnxReranker(str(tmp_path))
    with pytest.raises(ModelError, match="is not a readable ONNX model"):
        made.rerank("red", ["red"])
