"""Short texts that name something: paths of files, models, peers, keys, prices, moments, namespaces."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock
from urllib.parse import urlsplit

from bench.fuzz.drawing import HOSTILE, Draw
from bench.fuzz.target import Run, Target
from bench.fuzz.targets.files import CLOCK, engine
from bench.fuzz.targets.folders import environment
from combray import models, settings
from combray.engine.namespace import check_namespace, shown_trusts
from combray.errors import CombrayError, ModelError
from combray.models.http import Client
from combray.peers import open_peers
from combray.runtime.background import is_there, new_holder
from combray.stores.sqlite.encryption import key_from
from combray.values import as_moment, is_loopback

_SECRET = "xylophone 4711"
_PARTS = (
    "MEMORY.md", "memory", "2026-03-01.md", "sub", "x.md", "link.md", "linked", "secret.md", "..", ".", "", "/",
    "pipe.md", ".venv", "outside", "talk.jsonl", "MEMORY.MD", "notes.txt", "~", "%2e%2e", "..\\", "C:",
)  # fmt: skip


def _paths(folder: Path) -> Run:
    """Only what is indexed is read, whatever it is called: nothing outside, nothing behind a link."""
    root, outside = folder / "root", folder / "outside"
    for place in (root / "memory" / "sub", root / ".venv", outside):
        place.mkdir(parents=True)
    for place in (root / "MEMORY.md", root / "memory" / "2026-03-01.md", root / "memory" / "sub" / "x.md"):
        place.write_text("# Notes\n\n" + "A line of it.\n" * 20, encoding="utf-8")
    for place in (outside / "secret.md", outside / "notes.txt", root / ".venv" / "x.md", root / "notes.txt"):
        place.write_text(_SECRET, encoding="utf-8")
    (outside / "talk.jsonl").write_text('{"role": "user", "content": "A line of it."}\n', encoding="utf-8")
    (root / "memory" / "link.md").symlink_to(outside / "secret.md")
    (root / "memory" / "linked").symlink_to(outside, target_is_directory=True)
    os.mkfifo(root / "memory" / "pipe.md")
    opened = engine()
    opened.documents.index(root, sessions=[outside / "talk.jsonl"])

    def run(data: bytes) -> Any:
        draw = Draw(data)
        parts = [draw.pick(_PARTS) for _ in range(draw.byte() % 6)]
        before = draw.pick(("", f"{root}/", f"{outside}/", "memory/", "./", f"{root}/memory/linked/"))
        path = before + "/".join(parts) + (draw.text(80) if draw.byte() % 2 else "")
        start, lines = (draw.value() if draw.byte() % 2 else None for _ in range(2))
        try:
            shown = opened.documents.read(path, start=start, lines=lines)
        except CombrayError as error:
            return _hidden(str(error))
        assert _SECRET not in shown.text, f"{path} was read"
        assert set(shown.text.split("\n")) <= {"# Notes", "A line of it.", "User: A line of it.", ""}, shown.text
        return shown

    return run


def _hidden(told: str) -> str:
    assert _SECRET not in told, "an error that shows the file"
    return told


def _path_seeds() -> list[bytes]:
    plain = [bytes([1, part, place, 0, 0, 0]) for part in range(len(_PARTS)) for place in (0, 1, 3)]
    deep = [bytes([3, 1, one, other, 0, 0, 1, 0, 2, 1, 3]) for one in (3, 6, 8) for other in (4, 7, 0)]
    texts = [b"\x00\x00\x01\x00" + len(each).to_bytes(2, "big") + each for each in
             (b"memory/../../outside/secret.md", b"MEMORY.md\x00", b"memory//sub/x.md", b"x" * 80)]  # fmt: skip
    return [*plain, *deep, *texts, *(b"\x00\x00\x01\x01\x00\x08\xed\xa0\x80" + bytes([at]) for at in range(3))]


# -- specs ------------------------------------------------------------------------------------------------


def _peers(text: str) -> Any:
    """No question goes in the clear to another machine unless its spec says so."""
    opened = open_peers(text, 5.0, lambda: CLOCK)
    for each in opened:
        url = urlsplit(each._model.url)  # type: ignore[attr-defined]
        assert url.scheme == "https" or is_loopback(url.hostname or "") or "+plain" in text, text
        assert url.username is None, "a password in an address"
    return [(each.name, each.timeout) for each in opened]


def _prices(text: str) -> Any:
    found = settings.read_prices(text)
    assert all(0 <= price < float("inf") for price in found.values()), found
    return found


def _key(text: str) -> Any:
    key = key_from(text, "COMBRAY_KEY")
    assert text not in repr(key), "a key that shows itself"
    return len(key.bytes(b"0" * 16)) if key.raw else len(key.passphrase)


def _holder(text: str) -> Any:
    machine = new_holder().rpartition(":")[0].rpartition(":")[0]
    return is_there(text) in (True, False) and is_there(f"{machine}:{text}:0") in (True, False)


def _spec(open_model: Callable[[str], Any], provider: str) -> Callable[[str], Any]:
    return lambda text: getattr(open_model(f"{provider}:{text}"), "name", None)


def _secret(text: str) -> Any:
    with environment({"COMBRAY_X_FILE": text.encode("utf-8", "replace").decode().replace("\0", "")}):
        return settings.secret("COMBRAY_X")


_READERS: tuple[Callable[[str], Any], ...] = (
    _peers,
    _prices,
    _key,
    _holder,
    _secret,
    check_namespace,
    lambda text: shown_trusts(text, "work"),
    lambda text: as_moment("since", text, CLOCK),
    *(_spec(models.embedder, name) for name in ("openai", "ollama", "voyage", "nothing")),
    *(_spec(models.reranker, name) for name in ("jina", "ollama")),
    *(_spec(models.language_model, name) for name in ("openai", "anthropic")),
    models.embedder,
)


def _specs(folder: Path) -> Run:
    del folder

    def run(data: bytes) -> Any:
        draw = Draw(data)
        reader = draw.pick(_READERS)
        if draw.byte() % 8 == 7:
            return as_moment("since", draw.value(), CLOCK)
        text = draw.text(300)
        # A table of words or a model's folder would be loaded: `onnx` and `tokenizer` see to those.
        if text.startswith(("wordllama", "onnx")):
            return None
        # An embedder whose length is not said is asked for it: nobody is, here.
        with mock.patch.object(Client, "post", side_effect=ModelError("nobody is asked")):
            return reader(text)

    return run


def _spec_seeds() -> list[bytes]:
    texts = {
        0: ("combray=http://127.0.0.1:8200,mem0:team=https://mem0.example", "mem0+plain=http://a.example", "x=y",
            "lightrag=http://[::1", "combray=http://a:b@127.0.0.1", "combray=http://127.0.0.1:99999", "mem0=https://h/²"),
        1: ("openai:m=0.5,voyage:m=0.06", "a=nan", "a=1e999", "=1", "a=-1", "a=1_0"),
        2: ("a" * 64, "a long passphrase", "short", "é" * 12, "a\nb" * 9),
        3: ("²", "9" * 30, "1", "-1", "1:2"),
        4: ("~nosuchuser/key", "~", "/nowhere", "", "\x00"),
        5: ("work", "a b", "x" * 300, "é"),
        6: ("agent", "work=owner, other=agent", "=", "work=", "x=nothing"),
        7: ("yesterday", "2026-03-01T25:00", "1e9", "9999-12-31T23:59-23:59", "0001-01-01T00:00+23:59"),
        8: ("m#3@http://127.0.0.1:1/v1", "m#99999", "m#0", "#3", "m@https://a:b@h", "m@http://[::1", "@"),
        9: ("m@http://h:99999", "", "m#²", " "),
    }  # fmt: skip
    return [
        bytes([at, 0, 0, len(text.encode()) >> 8, len(text.encode()) & 255]) + text.encode()
        for at, listed in texts.items()
        for text in listed
    ] + [
        bytes([at, 0, 0, 1, 44]) + piece.encode("utf-8", "replace")
        for at in range(len(_READERS))
        for piece in HOSTILE[::6]
    ]


_DOCUMENTS = ("combray.documents", "combray.engine.documents")
_SPECS = (
    "combray.models",
    "combray.peers",
    "combray.settings",
    "combray.engine.quarantine",
    "combray.values",
    "combray.runtime.background",
)
TARGETS = (
    Target("paths", "paths of indexed files", _paths, _path_seeds, _DOCUMENTS, longest=256),
    Target("specs", "names of models, peers, keys, prices, moments", _specs, _spec_seeds, _SPECS, longest=400),
)
