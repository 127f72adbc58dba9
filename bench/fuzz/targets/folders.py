"""What reads files that an owner names: settings, language tables, models, the store itself."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer
from tokenizers.models import WordLevel

from bench.fuzz.drawing import Draw
from bench.fuzz.target import Run, Target
from bench.fuzz.targets.files import CLOCK
from combray import settings
from combray.engine import open as open_engine
from combray.errors import CombrayError, ModelError
from combray.language import dates, scripts, tables, tokens
from combray.models.onnx import OnnxEmbedder, encode, open_tokenizer

_LANGUAGES = Path(tables.__file__).parent


@contextlib.contextmanager
def environment(values: dict[str, str]) -> Iterator[None]:
    """These variables, on top of what there are, for a while."""
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _settings(folder: Path) -> Run:
    path = folder / "combray.toml"

    def run(data: bytes) -> Any:
        draw = Draw(data)
        chosen = [draw.pick(settings.SETTINGS).variable for _ in range(draw.byte() % 3)]
        # An environment cannot hold NUL or half surrogates that are no bytes of a name.
        values = {name: draw.raw(30).replace(b"\0", b"").decode("utf-8", "surrogateescape") for name in chosen}
        path.write_bytes(draw.raw())
        with environment(values):
            return settings.load(file=path)

    return run


def _settings_seeds() -> list[bytes]:
    text = "\n".join(f"{each.name} = {json.dumps(each.default)}" for each in settings.SETTINGS)
    return [b"\x00" + text.encode(), b"\x02\x00\x05\x00\x051e999\x00\x03yes" + text.encode()]


@contextlib.contextmanager
def added(folder: Path, section: str, data: bytes) -> Iterator[None]:
    """The language xx with these bytes as a section, for a while."""
    language = folder / "languages" / "xx"
    language.mkdir(parents=True, exist_ok=True)
    (language / f"{section}.json").write_bytes(data)
    tables.add_folder(language.parent)
    try:
        yield
    finally:
        tables.remove_folder(language.parent)


def _lexicon(folder: Path) -> Run:
    def run(data: bytes) -> Any:
        with added(folder, "words", data):
            return tokens.query_terms("Where did Ada go?"), scripts.language("Wo ist das Haus?")

    return run


def _lexicon_seeds() -> list[bytes]:
    return _cut_tables("words")[:4]


def _cut_tables(section: str) -> list[bytes]:
    found = [
        json.loads(path.read_text(encoding="utf-8")) for path in sorted(_LANGUAGES.glob(f"*/{section}.json"))
    ]
    return [json.dumps(_cut(each), ensure_ascii=False).encode() for each in found]


def _cut(value: Any) -> Any:
    """A table with two entries where it has many, small enough to be mutated well."""
    if isinstance(value, dict):
        return {name: _cut(each) for name, each in itertools.islice(value.items(), 30)}
    return [_cut(each) for each in value[:2]] if isinstance(value, list) else value


def _date_tables(folder: Path) -> Run:
    def run(data: bytes) -> Any:
        with added(folder, "dates", data):
            return dates.parse_moment("in 3 days", dates.parse_moment("2026-03-01T00:00+00:00"))

    return run


def _date_seeds() -> list[bytes]:
    return _cut_tables("dates")[:2]


def _tokenizer() -> bytes:
    return str(Tokenizer(WordLevel({"[UNK]": 0, "red": 1}, unk_token="[UNK]")).to_str()).encode()


def _tokenizers(folder: Path) -> Run:
    path = folder / "tokenizer.json"

    def run(data: bytes) -> Any:
        path.write_bytes(data)
        try:
            return [each.ids for each in encode(open_tokenizer(path, 32), ["red blue", ""])]
        except ModelError:
            # Of several fields that are missing, the library names now this and now that.
            return "refused"

    return run


def _model() -> bytes:
    """An ONNX file that hands its ids on as numbers: one Cast node (field numbers of onnx.proto3)."""

    def part(field: int, value: bytes) -> bytes:
        return bytes([field << 3 | 2, len(value)]) + value

    def value(name: bytes, kind: int) -> bytes:
        shape = part(1, part(2, b"b")) + part(1, part(2, b"t"))
        return part(1, name) + part(2, part(1, bytes([8, kind]) + part(2, shape)))

    node = part(1, b"input_ids") + part(2, b"y") + part(4, b"Cast")
    node += part(5, part(1, b"to") + bytes([24, 1]) + struct.pack("<BBB", 160, 1, 2))
    graph = part(1, node) + part(2, b"g") + part(11, value(b"input_ids", 7)) + part(12, value(b"y", 1))
    return bytes([8, 7]) + part(7, graph) + part(8, part(1, b"") + bytes([16, 11]))


def _onnx(folder: Path) -> Run:
    (folder / "tokenizer.json").write_bytes(_tokenizer())

    def run(data: bytes) -> Any:
        (folder / "model.onnx").write_bytes(data)
        return OnnxEmbedder(str(folder)).embed(["red", "red blue"]).shape

    return run


def _stored(folder: Path) -> bytes:
    path = folder / "made.db"
    with open_engine(path, embedder="none", clock=lambda: CLOCK) as engine:
        for text in ("Ada moved to Berlin.", "The rollout failed because of a lock.", "三天前我们去了北京"):
            engine.remember(text, tags=["x"], entities=["Ada"])
    return path.read_bytes()


def damage(path: Path, good: bytes, cut: int, draw: Draw) -> None:
    """Lay out a store's file with some bytes changed, and its end missing if `cut` says so."""
    damaged = bytearray(good)
    while draw.left:
        # Page headers and cells are where a parser of the file can be led astray.
        place = draw.whole(65535) * (1 if draw.byte() % 2 else 16) % len(damaged)
        damaged[place] = draw.byte()
    for suffix in ("", "-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
    path.write_bytes(damaged[: len(damaged) - cut * 64] if cut % 4 == 1 else damaged)


def _store(folder: Path) -> Run:
    """Bytes are places and values: that many bytes of a good file are changed, and the file may be cut."""
    good = _stored(folder)
    path = folder / "damaged.db"

    def run(data: bytes) -> Any:
        draw = Draw(data)
        damage(path, good, draw.byte(), draw)
        with open_engine(path, embedder="none", clock=lambda: CLOCK) as engine:
            found = engine.recall("Where is Ada?")
            engine.store.doctor()
            engine.remember("A new thing.")
            return len(found) >= 0

    return run


def _damages() -> list[bytes]:
    return [b"\x00", b"\x00\x00\x10\x01\xff", b"\x05", bytes(range(200)), b"\x00" + bytes(range(0, 250, 5)) * 3]


_ALLOWED = (CombrayError, ValueError)
TARGETS = (
    Target("settings", "a TOML file and the environment", _settings, _settings_seeds, ("combray.settings",)),
    Target("lexicon", "a language table", _lexicon, _lexicon_seeds, ("combray.language",), _ALLOWED),
    Target("date-tables", "a table of dates", _date_tables, _date_seeds, ("combray.language.dates",), _ALLOWED),
    Target("tokenizer", "tokenizer.json of a model", _tokenizers, lambda: [_tokenizer()], ("combray.models",)),
    Target("onnx", "model.onnx", _onnx, lambda: [_model()], ("combray.models",)),
    Target("store", "the store's file", _store, _damages, ("combray.stores",), longest=600),
)
