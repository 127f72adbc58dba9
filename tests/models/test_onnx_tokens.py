"""Late-interaction models in ONNX: on a table of three words by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx_file import folder, model

from combray.errors import InvalidInputError, ModelError
from combray.models import token_embedder
from combray.models.onnx_tokens import PROJECTION, OnnxTokenEmbedder

RED, BLUE, GREEN = [127, 0, 0], [0, 127, 0], [0, 0, 127]


def test_one_row_a_token_in_the_order_of_the_texts(tmp_path: Path) -> None:
    made = OnnxTokenEmbedder(str(folder(tmp_path, model(pooled=False))))
    found = made.embed_tokens(["red blue", "green", "", "blue red", "red"])
    assert [each.tolist() for each in found] == [[RED, BLUE], [GREEN], [], [BLUE, RED], [RED]]
    assert {each.dtype for each in found} == {np.dtype(np.int8)}
    assert found[2].shape == (0, 3)
    assert made.dimensions == 3
    assert made.name.startswith(f"onnx:{tmp_path.name}:")
    assert made.name.endswith(":tokens")
    assert made.embed_tokens([]) == []


def test_it_reads_english_only(tmp_path: Path) -> None:
    made = OnnxTokenEmbedder(str(folder(tmp_path, model(pooled=False))))
    assert (made.knows("en"), made.knows("zh")) == (1.0, 0.0)


def test_many_texts_of_many_lengths_keep_their_order(tmp_path: Path) -> None:
    made = OnnxTokenEmbedder(str(folder(tmp_path, model(pooled=False))))
    texts = [" ".join(["red"] * (1 + n % 3) + ["blue"] * (n % 2)) for n in range(80)]
    rows = [[RED] * (1 + n % 3) + [BLUE] * (n % 2) for n in range(80)]
    assert [each.tolist() for each in made.embed_tokens(texts)] == rows


def test_a_sentence_model_and_a_model_without_its_last_layer_are_refused(tmp_path: Path) -> None:
    pooled = OnnxTokenEmbedder(str(folder(tmp_path / "pooled", model(pooled=True))))
    with pytest.raises(ModelError, match="not one vector a token"):
        pooled.embed_tokens(["red"])
    wide = OnnxTokenEmbedder(str(folder(tmp_path / "wide", model(pooled=False, rows=[[1.0] * 384] * 5))))
    with pytest.raises(ModelError, match="384 dimensions, more than 128"):
        wide.embed_tokens(["red"])


def test_specs(tmp_path: Path) -> None:
    assert token_embedder("none") is None
    with pytest.raises(InvalidInputError, match="late_interaction"):
        token_embedder("openai:colbert")
    with pytest.raises(ModelError, match=r"there is no model\.onnx"):
        token_embedder(f"onnx:{tmp_path}")


def test_the_projection_is_96_orthogonal_directions() -> None:
    rows = np.fromfile(PROJECTION, dtype="<f2").astype(np.float64).reshape(96, 384)
    assert rows @ rows.T == pytest.approx(np.eye(96), abs=2e-3)
