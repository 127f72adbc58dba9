"""What is read back from a store that somebody has changed, and what is shown of stored texts."""

from __future__ import annotations

import contextlib
import io
import itertools
import re
import shutil
import sqlite3
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec

from bench.fuzz.drawing import Draw
from bench.fuzz.target import Run, Target
from bench.fuzz.targets.files import CLOCK, engine
from bench.fuzz.targets.folders import damage
from bench.fuzz.targets.texts import prefixed, sentences
from combray import presets
from combray.engine import Engine
from combray.engine import open as open_engine
from combray.errors import CombrayError
from combray.picture import dot, html
from combray.runtime import Filter
from combray.transfer import export_to
from combray.types import STATUSES

_KEY = bytes(range(32))
_KNOWN = ("Ada moved to Berlin.", "The rollout failed because of a lock.", "三天前我们去了北京", "A new thing.")


def _encrypted(folder: Path) -> Run:
    """Any changed byte of an encrypted file is an error in words, or changes nothing that is read."""
    path = folder / "secret.db"
    with open_engine(path, embedder="none", clock=lambda: CLOCK, key=_KEY) as made:
        for text in _KNOWN[:3]:
            made.remember(text, tags=["x"], diff=False)
    good = path.read_bytes()

    def run(data: bytes) -> Any:
        draw = Draw(data)
        cut, key = draw.byte(), draw.pick((_KEY, _KEY, _KEY, _KEY[::-1]))
        damage(path, good, cut, draw)
        with open_engine(path, embedder="none", clock=lambda: CLOCK, key=key) as opened:
            assert key == _KEY or cut % 4 == 1, "another key opens it"
            found = [hit.memory.content for hit in opened.recall("Where is Ada? rollout")]
            assert set(found) <= set(_KNOWN), found
            return sorted(found), len(opened.store.doctor())

    return run


def _damages() -> list[bytes]:
    return [b"\x00\x00", b"\x00\x03", b"\x00\x00\x00\x05\x01\xff", b"\x05\x00", b"\x00\x00" + bytes(range(200))]


# -- rows -------------------------------------------------------------------------------------------------


class _Store:
    """A store with rows in every table, and the columns that there are."""

    def __init__(self, folder: Path) -> None:
        self.path, self._good = folder / "rows.db", folder / "good.db"
        notes = folder / "notes"
        notes.mkdir()
        (notes / "MEMORY.md").write_text("# Notes\n\nAda lives in Berlin.\n", encoding="utf-8")
        with open_engine(self._good, embedder="none", clock=lambda: CLOCK) as made:
            ids = [made.remember(text, tags=["x"], entities=["Ada"], diff=False).id for text in _KNOWN]
            made.link(ids[0], ids[1], type="causal", reason="because")
            made.documents.index(notes)
            made.forget(ids[2])
            made.consolidation.run()
        with contextlib.closing(sqlite3.connect(self._good)) as open_file:
            self._fill(open_file)
            open_file.execute("PRAGMA journal_mode = DELETE")
            named = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'term_%' ORDER BY name"
            tables = [name for (name,) in open_file.execute(named) if not name.startswith("sqlite_")]
            self.columns = [
                (name, str(column[1]))
                for name in tables
                for column in open_file.execute(f"PRAGMA table_info({name})")
            ]

    def _fill(self, open_file: sqlite3.Connection) -> None:
        """Rows that only a night, a dead worker or a killed run leave."""
        open_file.execute("INSERT INTO embed_job VALUES (1, 1, 'm', 1, 1, 1, 'here:1:a', 0, 'why', 0)")
        open_file.execute("INSERT INTO lease VALUES (1, 'consolidate', 'here:1:a', 1)")
        open_file.execute("INSERT INTO doubt VALUES (1, 1, 2, 'alike', '', 0, 'r')")
        open_file.execute("INSERT INTO run VALUES (1, 'r', 1, NULL, 'running', '{}')")
        open_file.execute("INSERT INTO run_part VALUES (1, 'r', 1, '[]')")
        open_file.commit()

    def change(self, draw: Draw) -> None:
        """A fresh copy, with some values replaced in all rows of a column or in one."""
        for suffix in ("", "-wal", "-shm"):
            Path(f"{self.path}{suffix}").unlink(missing_ok=True)
        shutil.copyfile(self._good, self.path)
        with contextlib.closing(sqlite3.connect(self.path)) as open_file:
            open_file.execute("PRAGMA ignore_check_constraints = ON")
            for _ in range(1 + draw.byte() % 3):
                table, column = self.columns[draw.whole(65535) % len(self.columns)]
                value, where = _value(draw), draw.byte() % 4
                only = (
                    ""
                    if where == 0
                    else f" WHERE {column} = (SELECT {column} FROM {table} LIMIT 1 OFFSET {where - 1})"
                )
                # What the schema itself refuses is no damage.
                with contextlib.suppress(sqlite3.Error, UnicodeEncodeError, OverflowError):
                    open_file.execute(f"UPDATE {table} SET {column} = ?{only}", (value,))
            open_file.commit()


def _value(draw: Draw) -> Any:
    """A number, a text, JSON, bytes, or nothing."""
    kind = draw.byte() % 6
    if kind == 0:
        return draw.pick((0, 1, -1, 2**31, 2**62, -(2**62), 7, 100))
    if kind == 1:
        return draw.text(80)
    if kind == 2:
        return draw.pick(
            ("[]", "{}", "[1]", '["x", null]', '{"a": {}}', "null", "[[", "1", '"x"', '{"guard": [1]}')
        )
    if kind == 3:
        return draw.raw(64)
    return draw.pick((0.5, -1e300, 1e300, None))


def _rows(folder: Path) -> Run:
    store = _Store(folder)

    def run(data: bytes) -> Any:
        draw = Draw(data)
        store.change(draw)
        place = draw.byte() % len(_ASKED)
        with open_engine(store.path, embedder="none", clock=lambda: CLOCK + 86_400) as opened:
            opened.recall("Where is Ada?")
            for ask in (_ASKED[place], _ASKED[(place + 1) % len(_ASKED)]):
                # Each verb for itself: what one refuses, the next may still take.
                with contextlib.suppress(CombrayError):
                    ask(opened)
            return True

    return run


def _each(opened: Engine) -> Any:
    return [opened.history(each.id) for each in opened.reader.memories(opened.reader.scan(_EVERY).tolist())]


def _exported(opened: Engine) -> int:
    stream = io.StringIO()
    export_to(opened.runtime.store, opened.namespace, stream)
    return len(stream.getvalue())


_EVERY = Filter(statuses=STATUSES)
_ASKED: tuple[Callable[[Engine], Any], ...] = (
    lambda opened: opened.store.status(),
    lambda opened: opened.store.log(),
    lambda opened: opened.store.doctor(),
    lambda opened: opened.store.doctor(repair=True),
    lambda opened: opened.consolidation.run(),
    lambda opened: [
        opened.consolidation.runs(),
        opened.consolidation.waiting(),
        opened.quarantine.list(),
        opened.retention.review(),
        opened.retention.candidates(),
    ],
    lambda opened: (
        opened.consolidation.undo(opened.consolidation.runs()[-1].id) if opened.consolidation.runs() else None
    ),
    lambda opened: opened.vectors.make(),
    lambda opened: [opened.vectors.retry_failed(), opened.vectors.pending()],
    lambda opened: opened.documents.search("Berlin"),
    lambda opened: opened.documents.read("MEMORY.md"),
    lambda opened: opened.think("Where does Ada live?"),
    lambda opened: opened.context("Where does Ada live?", 400),
    lambda opened: opened.audit.verify(),
    lambda opened: [opened.audit.entries(since="2020-01-01"), list(opened.audit.lines())],
    lambda opened: [html(opened), dot(opened)],
    lambda opened: [opened.recall("rollout", preset=name) for name in presets.names()],
    lambda opened: opened.remember("A new thing.", tags=["x"]),
    _exported,
    _each,
)


def _row_seeds() -> list[bytes]:
    """Each column in turn with a few values; the verbs change from one to the next."""
    values = (b"\x00\x05", b"\x01\x00\x00\x03abc", b"\x02\x06", b"\x02\x02", b"\x03\x00\x02\xff\x00", b"\x04\x01")
    return [
        b"\x00" + column.to_bytes(2, "big") + values[column % len(values)] + b"\x00" + bytes([column])
        for column in range(140)
    ]


# -- pictures -----------------------------------------------------------------------------------------------


class _Page(HTMLParser):
    """Every element of a page in order, and what stands in its element of data."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.data = ""
        self._in_data = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(f"{tag} {sorted(name for name, _ in attrs)}")
        self._in_data = ("id", "data") in attrs

    def handle_endtag(self, tag: str) -> None:
        self.elements.append(f"/{tag}")
        self._in_data = False

    def handle_data(self, data: str) -> None:
        self.data += data if self._in_data else ""


def _picture(_folder: Path) -> Run:
    """Stored text is text: it makes no element of the page, ends no string, and comes out as it went in."""
    with engine() as empty:
        elements = _Page(html(empty)).elements

    def run(data: bytes) -> Any:
        draw = Draw(data)
        with engine() as opened:
            ids = []
            for _ in range(1 + draw.byte() % 3):
                with contextlib.suppress(CombrayError):
                    made = opened.remember(draw.text(300), diff=False, author=draw.text(20), tags=[draw.text(10)])
                    ids.append(made.id)
            with contextlib.suppress(CombrayError, IndexError):
                opened.link(ids[0], ids[-1], type="causal", reason=draw.text(40), subtype=draw.text(10))
            page, drawn = html(opened), dot(opened)
            stored = [each.content for each in opened.reader.memories(opened.reader.scan(_EVERY).tolist())]
        read = _Page(page)
        assert read.elements == elements, "a stored text makes an element of the page"
        shown = [each["content"] for each in msgspec.json.decode(read.data)["nodes"]]
        assert set(shown) <= set(stored), "a text that is another in the page"
        lines = drawn.split("\n")[4:-2]
        assert all(_is_drawn(line) for line in lines), [line for line in lines if not _is_drawn(line)]
        return len(shown), len(lines)

    return run


def _is_drawn(line: str) -> bool:
    """Whether a line is one node or one edge: names, and strings that end where they should."""
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', "S", line)
    return re.fullmatch(r"  m\d+( -> m\d+)? \[[a-z]+=S(, [a-z]+=(S|[\d.]+))*\];", bare) is not None


def _picture_seeds() -> list[bytes]:
    texts = [
        "</script><script>alert(1)</script>", '"]; evil [label="x', "\\", 'a\\"', "<!--", "]]>",
        "&lt;/script&gt;", "\u2028\u2029", "a\r\nb", "<img src=x onerror=alert(1)>", "/*DATA*/ POLICY",
        *(each[:80] for each in sentences()[:4]),
    ]  # fmt: skip
    return [
        b"\x01"
        + b"".join(prefixed(each) for each in (one, "Ada", "x", other, one[:20], "y", other[:40], one[:10]))
        for one, other in itertools.pairwise(texts)
    ]


_PICTURE = ("combray.picture",)
_STORES = ("combray.stores", "combray.consolidate", "combray.documents", "combray.embedding")
TARGETS = (
    Target("encrypted", "an encrypted store's file", _encrypted, _damages, ("combray.stores",), longest=600),
    Target("rows", "rows of a store, changed", _rows, _row_seeds, _STORES, longest=256, repeatable=False),
    Target(
        "picture",
        "stored text in a page and a graph",
        _picture,
        _picture_seeds,
        ("combray.picture",),
        longest=1024,
    ),
)
