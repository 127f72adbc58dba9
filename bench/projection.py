"""Fits the projection of token vectors that the listed export of answerai-colbert-small-v1 lacks.

    python -m bench.projection MODEL_FOLDER [--out FILE]

The principal axes of its token vectors, on sentences of the documentation and of our own question sets: no text
of a set on which the result is measured. The same texts give the same file.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from combray.models.onnx import encode, open_session, open_tokenizer, run
from combray.models.onnx_files import find
from combray.models.onnx_tokens import PROJECTION

HERE = Path(__file__).parent
DIMENSIONS = 96
MOST = 2500
_CODE, _MARKS = re.compile(r"```.*?```", re.S), re.compile(r"[*`|#>\[\]]")


def texts() -> list[str]:
    """The sample: sentences and turns, in an order that is always the same."""
    found = set()
    for path in sorted((HERE.parent / "docs").rglob("*.md")):
        for line in _CODE.sub("", path.read_text(encoding="utf-8")).splitlines():
            bare = _MARKS.sub("", line).strip()
            if 20 < len(bare) < 400:
                found.add(bare)
    for line in (HERE / "sets" / "assistant-chats.jsonl").read_text(encoding="utf-8").splitlines():
        found.update(text[:500] for text in _strings(json.loads(line)) if len(text) > 15)
    sample = sorted(found)
    random.Random(0).shuffle(sample)
    return sample[:MOST]


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _strings(each)


def main() -> int:
    """Fit and write."""
    made = argparse.ArgumentParser(prog="python -m bench.projection", description=__doc__.splitlines()[0])
    made.add_argument("model", help="folder with model.onnx and tokenizer.json")
    made.add_argument("--out", type=Path, default=PROJECTION)
    options = made.parse_args()
    files = find(options.model)
    session, tokenizer = open_session(files.model), open_tokenizer(files.tokenizer, 256)
    tokenizer.no_padding()
    products, count = 0.0, 0
    for text in texts():
        (encoding,) = encode(tokenizer, [text])
        rows = run(session, [encoding])[0][np.array(encoding.special_tokens_mask) == 0]
        rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
        products, count = products + rows.T.astype(np.float64) @ rows, count + len(rows)
    values, axes = np.linalg.eigh(products / count)
    kept = axes[:, ::-1][:, :DIMENSIONS].T
    # The sign of an axis is arbitrary.
    kept *= np.where(kept[np.arange(DIMENSIONS), np.abs(kept).argmax(axis=1)] < 0, -1.0, 1.0)[:, None]
    kept.astype("<f2").tofile(options.out)
    share = values[::-1][:DIMENSIONS].sum() / values.sum()
    print(f"{count} tokens; {DIMENSIONS} dimensions hold {100 * share:.1f} % of the variance")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
