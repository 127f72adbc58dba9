"""A readable ONNX file of a few hundred bytes, written without the onnx package: a table looked up by token id.

Field numbers are those of onnx.proto3 (ModelProto, GraphProto, NodeProto, TensorProto, ValueInfoProto).
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

FLOAT, INT64 = 1, 7
WORDS = {"[PAD]": 0, "[UNK]": 1, "red": 2, "blue": 3, "green": 4}
TABLE = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


def _varint(number: int) -> bytes:
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _part(field: int, value: bytes | str) -> bytes:
    encoded = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(encoded)) + encoded


def _value(name: str, kind: int, dims: Sequence[str]) -> bytes:
    shape = b"".join(_part(1, _part(2, dim)) for dim in dims)
    return _part(1, name) + _part(2, _part(1, _number(1, kind) + _part(2, shape)))


def _node(kind: str, inputs: Sequence[str], output: str, attribute: bytes = b"") -> bytes:
    named = b"".join(_part(1, each) for each in inputs)
    return named + _part(2, output) + _part(4, kind) + (_part(5, attribute) if attribute else b"")


def model(
    *,
    pooled: bool,
    inputs: Sequence[str] = ("input_ids", "attention_mask"),
    rows: Sequence[Sequence[float]] = TABLE,
) -> bytes:
    """Looks each id up in `rows`; `pooled` sums over the tokens, whose padding rows are zero."""
    width = len(rows[0])
    flat = struct.pack(f"<{len(rows) * width}f", *(number for row in rows for number in row))
    table = _number(1, len(rows)) + _number(1, width) + _number(2, FLOAT) + _part(8, "table") + _part(9, flat)
    nodes = [_node("Gather", ["table", "input_ids"], "last_hidden_state")]
    output = _value("last_hidden_state", FLOAT, ["batch", "tokens", "dims"])
    if pooled:
        axes = _part(1, "axes") + _number(8, 1) + _number(20, 7)
        keep = _part(1, "keepdims") + _number(3, 0) + _number(20, 2)
        nodes.append(_node("ReduceSum", ["last_hidden_state"], "pooled", axes) + _part(5, keep))
        output = _value("pooled", FLOAT, ["batch", "dims"])
    graph = b"".join(_part(1, node) for node in nodes) + _part(2, "lookup") + _part(5, table)
    graph += b"".join(_part(11, _value(name, INT64, ["batch", "tokens"])) for name in inputs)
    graph += _part(12, output)
    return _number(1, 7) + _part(7, graph) + _part(8, _part(1, "") + _number(2, 11))


def tokenizer() -> str:
    """A tokenizer.json that knows WORDS."""
    made = Tokenizer(WordLevel(WORDS, unk_token="[UNK]"))
    made.pre_tokenizer = Whitespace()
    return str(made.to_str())


def folder(path: Path, content: bytes, pooling: str = "") -> Path:
    """A model folder as `onnx:PATH` wants it; a model with a vector a token needs a pooling."""
    path.mkdir(exist_ok=True)
    (path / "model.onnx").write_bytes(content)
    (path / "tokenizer.json").write_text(tokenizer())
    if pooling:
        (path / "1_Pooling").mkdir(exist_ok=True)
        (path / "1_Pooling" / "config.json").write_text(f'{{"pooling_mode": "{pooling}"}}')
    return path
