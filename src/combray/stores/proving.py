"""Proof of erasure: the bytes of erased memories that should be found nowhere, and where they are still found.

Of an encrypted file the rows are searched, with the key.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, tzinfo
from itertools import chain
from typing import Any

import msgspec

from combray.language.indexing import index_entry
from combray.language.substrings import occurring
from combray.runtime import Trace
from combray.stores.rows import to_memory
from combray.stores.session import StoreSession
from combray.types import CATEGORIES, EDGE_TYPES, KINDS, STATUSES, TIERS, TRUSTS, Memory

_PIECE = 16
"""Characters of a piece of text. Any 31 consecutive characters contain a whole piece."""
_TOKENS = 4 * 96
"""Bytes of a piece of token vectors: four tokens of the usual model."""
_MOST_PIECES = 64
_MOST_WORDS = 128
_LEAST_BYTES = 5
"""Shorter byte strings occur in any large file by chance."""
_LEAST_DIGITS = 9
"""Shorter numbers too: ids and hashes are full of digits."""
_WORD = re.compile(r"\w+")
_NOTED = "added skipped replaced memories edges restored refused known jobs queued moved unmerged remember"
_OWN_WORDS = " ".join((*STATUSES, *KINDS, *CATEGORIES, *TIERS, *TRUSTS, *EDGE_TYPES, _NOTED))
"""Words that the store itself writes: values of columns, and details of the operation log."""


class ProvableStore(ABC):
    """The part of `runtime.Provable` that looks at rows."""

    zone: tzinfo = UTC

    @abstractmethod
    def _proving(self, namespace: str = "") -> AbstractContextManager[StoreSession]:
        """Open a transaction that sees every row of the store."""

    def traces(self, namespace: str, keys: Sequence[int]) -> list[Trace]:
        with self._proving(namespace) as session:
            return traces_of(session, keys)

    def rows_left(self, keys: Sequence[int]) -> list[str]:
        """Return the tables with rows that name one of the keys."""
        with self._proving() as session:
            return [row[0] for row in session.rows(session.sql.erasure.rows_left, [int(key) for key in keys])]

    def shared(self, traces: Sequence[Trace]) -> set[Trace]:
        """Return the traces that other memories contain too, in any letter case."""
        with self._proving() as session:
            sql = session.sql
            kept = sql.erasure.memory_texts, sql.erasure.version_texts, sql.erasure.edge_texts, sql.erasure.names
            rows = chain.from_iterable(map(session.stream, kept))
            texts = (_folded(row, separator) for row in rows for separator in session.separators)
            hashes = (row[0] for row in session.stream(sql.erasure.hashes_held))
            codes = (row[0] for row in session.stream(sql.erasure.codes_held))
            tokens = (_token_pieces(row[0]) for row in session.stream(sql.erasure.token_codes_held))
            return _shared(traces, texts, hashes, chain(codes, chain.from_iterable(tokens)))

    def rows_holding(
        self, namespace: str, traces: Sequence[Trace], *, everywhere: bool
    ) -> list[tuple[str, Trace]]:
        """Return (table, trace) for traces found in rows.

        Terms are looked up in the keyword index, whose storage a search for bytes may not be able to read. With
        `everywhere` every row of every table is searched too.
        """
        with self._proving(namespace) as session:
            sql = session.sql
            words = {each.value.decode("utf-8", "surrogatepass"): each for each in traces if each.kind == "word"}
            present = session.holding(list(words))
            held = [(session.term_table, trace) for word, trace in words.items() if present.get(word)]
            if everywhere:
                for (table,) in session.rows(sql.erasure.tables):
                    rows = session.stream(sql.erasure.table_rows.format(table=table))
                    held += ((table, each) for each in _held_in(rows, traces))
            return list(dict.fromkeys(held))


def traces_of(session: StoreSession, keys: Sequence[int]) -> list[Trace]:
    """Return the bytes of the memories, including those that other memories contain too."""
    if session.number is None:
        return []
    sql = session.sql
    rows = session.of_rows(sql.memories.whole, [int(key) for key in keys])
    memories, wanted = [to_memory(row, session.name) for row in rows], [row[0] for row in rows]
    strings = {memory.id: dict.fromkeys(_strings(dict(memory.metadata))) for memory in memories}
    befores = [msgspec.json.decode(text) for (text,) in session.of_rows(sql.versions.of_keys, wanted)]
    versions = dict.fromkeys(text for each in befores for text in _strings(each))
    # The id of an episode that a fact was distilled from is no text: the audit holds ids by right.
    texts = list(dict.fromkeys(chain(versions, *strings.values())))
    ids = {row[0] for row in session.of_rows(sql.memories.ids_among, texts)}
    found: list[Trace] = []
    for memory in memories:
        found += [Trace("id", memory.id.encode()), Trace("hash", memory.content_hash.encode()), *_named(memory)]
        told = (memory.content, memory.context, *(each for each in strings[memory.id] if each not in ids))
        found += (Trace("text", piece) for text in told for piece in _pieces(text))
    found += (Trace("hash", text.encode()) for (text,) in session.of_rows(sql.erasure.hashes, wanted))
    found += (Trace("vector", code) for (code,) in session.of_rows(sql.erasure.codes, wanted))
    for (code,) in session.of_rows(sql.erasure.token_codes, wanted):
        found += (Trace("vector", piece) for piece in _token_pieces(code))
    found += (Trace("version", piece) for text in versions if text not in ids for piece in _pieces(text))
    found += (Trace("word", word) for word in _rare_words(memories, session))
    return list(dict.fromkeys(each for each in found if len(each.value) >= _LEAST_BYTES))


def _rare_words(memories: Sequence[Memory], session: StoreSession) -> Iterator[bytes]:
    """Yield the words and index terms that no other memory of the namespace contains."""
    terms = [dict.fromkeys(each for field in index_entry(memory).fields for each in field) for memory in memories]
    counts = Counter(each for some in terms for each in some)
    everywhere = session.holding(list(counts))
    rare = {each for each, count in counts.items() if everywhere.get(each) == count}
    for memory, own in zip(memories, terms, strict=True):
        yield from _telling_words(memory, [each for each in own if each in rare])


def _shared(
    wanted: Sequence[Trace], texts: Iterable[bytes], hashes: Iterable[str], codes: Iterable[bytes]
) -> set[Trace]:
    """Return the traces that the rows left behind contain too, in any letter case.

    `texts` are casefolded; hashes and codes are compared whole.
    """
    spoken = [each for each in wanted if each.kind not in ("vector", "hash", "id")]
    spelt = [each.value.decode("utf-8", "replace").casefold() for each in spoken]
    folded = [each.encode("utf-8", "surrogatepass") for each in spelt]
    found = {spoken[place] for place in occurring(folded, chain((_OWN_WORDS.encode(),), texts))}
    exact = {each.value: each for each in wanted if each.kind in ("hash", "vector")}
    held = chain((each.encode() for each in hashes), codes)
    return found | {exact[value] for value in held if value in exact}


def _token_pieces(code: bytes) -> list[bytes]:
    """Return the pieces of a memory's token vectors.

    A long value is spread over several pages of a file, so it is nowhere whole. Equal texts have equal pieces.
    """
    return [code[at : at + _TOKENS] for at in range(0, len(code), _TOKENS)]


def _folded(row: Sequence[Any], separator: str = "\0") -> bytes:
    """Return the texts of a row, joined and casefolded."""
    return separator.join(part for part in row if part).casefold().encode("utf-8", "surrogatepass")


def _held_in(rows: Iterable[Sequence[Any]], wanted: Sequence[Trace]) -> list[Trace]:
    """Return the traces in the texts and bytes of rows."""
    blocks = (
        value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass")
        for row in rows
        for value in row
        if isinstance(value, (str, bytes))
    )
    return [wanted[place] for place in sorted(occurring([each.value for each in wanted], blocks))]


def _named(memory: Memory) -> Iterator[Trace]:
    single = (("author", [memory.author or ""]), ("slot", [memory.slot or ""]))
    aliases = [each for listed in memory.aliases.values() for each in listed]
    for kind, names in (("entity", (*memory.entities, *memory.aliases, *aliases)), ("tag", memory.tags), *single):
        for name in names:
            yield from (Trace(kind, spelling.encode()) for spelling in (name, name.casefold()))


def _strings(value: Any) -> Iterator[str]:
    """Yield every text in a decoded JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple, dict)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _strings(each)


def _pieces(text: str) -> list[bytes]:
    """Return pieces spread over a long text; a short text whole."""
    pieces = [text[at : at + _PIECE] for at in range(0, max(1, len(text) - _PIECE + 1), _PIECE)]
    step = max(1, -(-len(pieces) // _MOST_PIECES))
    return [piece.encode("utf-8", "surrogatepass") for piece in pieces[::step]]


def _telling_words(memory: Memory, rare: Sequence[str]) -> list[bytes]:
    """Return the rare terms of a memory and its words that begin like one of them."""
    # A word and its stem have the same beginning.
    beginnings = tuple({each[:4] for each in rare})
    spelt = dict.fromkeys(_WORD.findall(f"{memory.content} {memory.context}"))
    words = [word for word in spelt if word.casefold().startswith(beginnings)]
    # A short number occurs by chance, as part of an id and the number behind it in a page.
    telling = [each for each in (*rare, *words) if len(each) >= _LEAST_DIGITS or not each.isdigit()]
    return [word.encode() for word in telling[:_MOST_WORDS]]
