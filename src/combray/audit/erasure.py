"""Erasure: derived memories, memories that quote the text, and a proof that searches every file of the store.

The audit stores one digest of the searched byte strings, under a salt that only the certificate contains. The
holder of certificate and text can show that the text was searched for; the store itself cannot recover it.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import asdict
from pathlib import Path
from typing import Any

from combray.audit import looking
from combray.audit.log import AuditLog, digest
from combray.audit.reading import EntryFilter, latest
from combray.errors import StoreError
from combray.language import substrings
from combray.language.caches import forget_texts
from combray.language.substrings import occurring
from combray.records import dataclass, replace
from combray.runtime import Filter, Provable, Reader, Runtime, Trace
from combray.types import Memory
from combray.values import MADE_BY

OPERATION = "erase.proof"
_QUOTABLE = 16
"""Minimum length of a text that another memory can quote."""
_BACKUP = ".backup-v"
_IN_AUDIT = ("id", "word", "tag", "author")
"""Not searched in the audit: ids are random and stay there; a single word may be a verb or an account."""


@dataclass(frozen=True, slots=True)
class Derived:
    """Memories and files related to memories that are to be erased.

    `made`: memories that Combray derived from their text; these are erased with them. `resting`: memories that
    name them, or one of `made`, as evidence. `quoting`: other memories that contain the whole text of one, or are
    contained in it. `files`: the indexed files that they are chunks of, if these still exist.
    """

    made: tuple[Memory, ...] = ()
    resting: tuple[Memory, ...] = ()
    quoting: tuple[Memory, ...] = ()
    files: tuple[str, ...] = ()

    @property
    def file(self) -> str:
        """The first of the files, or ""."""
        return next(iter(self.files), "")


def made_of(reader: Reader, memories: Sequence[Memory]) -> list[int]:
    """Return the keys of memories that consolidation and auto-memory derived from these episodes."""
    episodes = {each.id for each in memories if each.kind == "episode"}
    if not episodes:
        return []
    every = Filter(statuses=(), sources=MADE_BY, trusts=())
    found = [each.id for each in reader.memories(reader.scan(every).tolist()) if _is_made_of(each, episodes)]
    return list(reader.keys_of(found).values())


def derived(reader: Reader, memories: Sequence[Memory]) -> Derived:
    """Return what is related to some memories, from the whole namespace."""
    every = reader.memories(reader.scan(Filter(statuses=(), trusts=())).tolist())
    gone = {each.id for each in memories}
    others = [each for each in every if each.id not in gone]
    episodes = {each.id for each in memories if each.kind == "episode"}
    made = [each for each in others if _is_made_of(each, episodes)]
    gone.update(each.id for each in made)
    resting: list[Memory] = []
    # Evidence is transitive.
    while more := [each for each in others if each.id not in gone and gone.intersection(named_by(each))]:
        resting += more
        gone.update(each.id for each in more)
    quoting = _quoting(memories, [each for each in others if each.id not in gone])
    files = dict.fromkeys(filter(None, map(_file_of, memories)))
    return Derived(tuple(made), tuple(resting), tuple(quoting), tuple(files))


def named_by(memory: Memory) -> tuple[str, ...]:
    """Return the ids of the memories that one rests on: its evidence, and what it was distilled from."""
    return (*memory.evidence, *distilled_from(memory))


def distilled_from(memory: Memory) -> tuple[str, ...]:
    """Return the ids of the episodes that a fact was distilled from. A caller may store anything by that name."""
    origin = memory.metadata.get("distilled_from")
    return tuple(map(str, origin)) if isinstance(origin, list) else ()


def _is_made_of(memory: Memory, episodes: Set[str]) -> bool:
    if memory.source not in MADE_BY:
        return False
    origin = memory.evidence if memory.source == "auto" else distilled_from(memory)
    return not episodes.isdisjoint(origin)


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _quoting(memories: Sequence[Memory], others: Sequence[Memory]) -> list[Memory]:
    """Return the others that contain the whole text of a memory, or are part of one. Short texts are skipped."""
    texts = list(dict.fromkeys(_plain(each.content) for each in memories))
    plain = [_plain(each.content) for each in others]
    inside = _occurring(plain, texts)
    # Hardly any text occurs in another memory: only with those is each memory compared.
    whole = [texts[at] for at in _occurring(texts, plain)]
    return [
        memory for at, memory in enumerate(others) if at in inside or any(text in plain[at] for text in whole)
    ]


def _occurring(wanted: Sequence[str], texts: Sequence[str]) -> set[int]:
    """Return the indices in `wanted` of texts of at least _QUOTABLE characters that one of `texts` contains."""
    long = [at for at, text in enumerate(wanted) if len(text) >= _QUOTABLE]
    found = occurring([wanted[at].encode() for at in long], (text.encode() for text in texts))
    return {long[place] for place in found}


def _file_of(memory: Memory) -> str:
    root, path = memory.metadata.get("root"), memory.metadata.get("path")
    if memory.kind != "chunk" or not isinstance(root, str) or not isinstance(path, str):
        return ""
    place = Path(root, path)
    return str(place) if place.is_file() else ""


@dataclass(frozen=True, slots=True)
class Left:
    """Remains of a memory: the file, the kind of byte string, and the count."""

    file: str
    kind: str
    count: int


@dataclass(frozen=True, slots=True)
class Certificate:
    """The result of an erasure with proof: what was searched for, where, and what was found.

    `ids`: all erased memories that the caller named; `id` is the first. `derived`: ids of memories erased with
    them. `quoted_by`: ids of memories that are left and name them as evidence or contain their whole text.

    `looked_for`: number of byte strings by kind. `files`: files of the store, all searched completely. `left`:
    remains in these. `searched_copies`: older copies that were searched (backups beside the store, backups that
    the audit recorded, files that the caller named). `copies`: remains in these. `rows`: tables that still name a
    memory. `sealed`: encrypted or compressed files, whose bytes prove nothing. If the database is among them,
    every row of every table was read through the key instead.

    `digests`: HMAC-SHA-256 of every byte string under `salt`, which is stored nowhere else. `commitment`: SHA-256
    of all digests, also in the audit. `seq`: number of the audit entry, 0 without an audit. The entry names the
    first 100 ids only.
    """

    id: str
    namespace: str
    looked_for: dict[str, int]
    files: tuple[str, ...]
    left: tuple[Left, ...]
    rows: tuple[str, ...]
    searched_copies: tuple[str, ...]
    copies: tuple[Left, ...]
    commitment: str
    ids: tuple[str, ...] = ()
    derived: tuple[str, ...] = ()
    quoted_by: tuple[str, ...] = ()
    sealed: tuple[str, ...] = ()
    seq: int = 0
    salt: str = ""
    digests: tuple[str, ...] = ()

    @property
    def clean(self) -> bool:
        """Whether nothing is left in the store itself. Copies are reported separately."""
        return not self.left and not self.rows

    def as_json(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {"clean": self.clean, **asdict(self)}


def provable(runtime: Runtime) -> Provable:
    """Return the store. Raises StoreError if it cannot prove an erasure."""
    if not isinstance(runtime.store, Provable):
        raise StoreError(f"{runtime.store.location}: this kind of store cannot prove an erasure.")
    return runtime.store


@dataclass(frozen=True, slots=True)
class Erased:
    """Ids of erased memories, of those erased with them and of those that quote them; keys and traces."""

    ids: tuple[str, ...]
    with_it: tuple[str, ...]
    quoted_by: tuple[str, ...]
    keys: tuple[int, ...]
    traces: tuple[Trace, ...]


def prove(runtime: Runtime, namespace: str, erased: Erased, also: Sequence[str]) -> Certificate:
    """Search every file for the traces of what was erased: a memory, and what was erased with it.

    `also`: more files that may hold copies. Raises StoreError for a file that cannot be read.
    """
    store = provable(runtime)
    forget_texts()
    store.let_go()
    shared = store.shared(erased.traces)
    wanted = [trace for trace in erased.traces if trace not in shared]
    own, copies = _places(store, runtime, also)
    found, sealed = _look([*own, *copies], wanted)
    location = str(Path(runtime.store.location).absolute())
    rows = store.rows_holding(namespace, wanted, everywhere=location in sealed or not own)
    in_tables = Counter((table, trace.kind) for table, trace in rows)
    salt = secrets.token_hex(16)
    digests = tuple(sorted(digest(bytes.fromhex(salt), trace.value.hex()) for trace in wanted))
    certificate = Certificate(
        id=erased.ids[0],
        ids=erased.ids,
        namespace=namespace,
        looked_for=dict(sorted(Counter(trace.kind for trace in wanted).items())),
        files=tuple(own),
        left=(
            *(
                left
                for path in own
                for left in _told(path, found[path], audit=path.startswith(f"{location}.audit"))
            ),
            *(Left(f"table {table}", kind, count) for (table, kind), count in sorted(in_tables.items())),
        ),
        rows=tuple(store.rows_left(erased.keys)),
        searched_copies=tuple(copies),
        copies=tuple(left for path in copies for left in _told(path, found[path], audit=False)),
        commitment=hashlib.sha256("".join(digests).encode()).hexdigest(),
        derived=erased.with_it,
        quoted_by=erased.quoted_by,
        sealed=tuple(sealed),
        salt=salt,
        digests=digests,
    )
    if runtime.audit is None:
        return certificate
    elsewhere = ("id", "ids", "namespace", "seq", "salt", "digests")
    detail = {name: value for name, value in certificate.as_json().items() if name not in elsewhere}
    result = "ok" if certificate.clean else "failed"
    seq = runtime.audit.record(OPERATION, namespace, result=result, ids=certificate.ids, detail=detail)
    return replace(certificate, seq=seq)


def _places(store: Provable, runtime: Runtime, also: Sequence[str]) -> tuple[list[str], list[str]]:
    """Files of the store, and copies of it: beside it, known to the audit, or named."""
    beside = store.files()
    copies = [path for path in beside if _BACKUP in Path(path).name]
    own = [path for path in beside if path not in copies]
    entries = (
        latest(runtime.audit, EntryFilter(operation="backup"), None)
        if isinstance(runtime.audit, AuditLog)
        else []
    )
    recorded = [str(entry.detail["path"]) for entry in entries if "path" in entry.detail]
    for path in (*recorded, *also):
        place = str(Path(path).absolute())
        if Path(place).is_file() and place not in (*own, *copies):
            copies.append(place)
    return own, copies


def _look(paths: Sequence[str], wanted: Sequence[Trace]) -> tuple[dict[str, list[Trace]], list[str]]:
    """What of the traces each file holds, and the files whose bytes tell nothing.

    Looked for by another process (`audit/looking.py` says why).
    """
    asked = json.dumps({"files": list(paths), "wanted": [trace.value.hex() for trace in wanted]})
    command = [sys.executable, "-I", looking.__file__, substrings.__file__]
    done = subprocess.run(command, input=asked, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise StoreError(f"the files cannot be searched: {done.stderr.strip().splitlines()[-1:]}")
    answer = json.loads(done.stdout)
    found = {}
    for path, places in answer["found"].items():
        if isinstance(places, str):
            raise StoreError(
                f"{path}: cannot be searched ({places}); the memory is erased, but nothing is proved."
            )
        found[path] = [wanted[place] for place in places]
    return found, answer["sealed"]


def _told(path: str, found: Sequence[Trace], *, audit: bool) -> list[Left]:
    """What was found in a file by kind; in a file of the audit, all but what stands there by right."""
    kinds = Counter(trace.kind for trace in found if not (audit and trace.kind in _IN_AUDIT))
    return [Left(path, kind, count) for kind, count in sorted(kinds.items())]
