"""Proof of erasure: after a memory was destroyed, every file of the store is searched for what it was made of.

What was looked for goes into the audit as one digest under a salt that only the certificate holds: who has the
certificate and the text can show that the text was looked for; the store cannot tell any more what it was.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from combray.audit import looking
from combray.audit.key import digest
from combray.audit.log import AuditLog
from combray.audit.reading import Wanted, latest
from combray.errors import StoreError
from combray.language.contrast import forget_texts
from combray.runtime import Audit, Provable, Runtime, Trace

OPERATION = "erase.proof"
_BACKUP = ".backup-v"
_IN_AUDIT = ("id", "word", "tag", "author")
"""Not looked for in the audit: ids are random and stay there; a single word may be a verb's or an account's."""


@dataclass(frozen=True, slots=True)
class Left:
    """Something of the memory that was found: in which file, what kind of thing, how many of them."""

    file: str
    kind: str
    count: int


@dataclass(frozen=True, slots=True)
class Certificate:
    """What was looked for after a memory was erased, where, and what was found.

    `looked_for`: how many byte strings of each kind. `files`: those of the store, all searched whole. `left`:
    what was found in them. `copies`: what was found in older copies: backups beside the store, those that the
    audit knows of, and files that were named; `searched_copies` are all of them. `rows`: tables that still name
    the memory. `digests`: of every byte string, by HMAC-SHA-256 under `salt`, which is kept nowhere else;
    `commitment` is the SHA-256 of them all, and in the audit. `seq`: the entry there, 0 without an audit.
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
    seq: int = 0
    salt: str = ""
    digests: tuple[str, ...] = ()

    @property
    def clean(self) -> bool:
        """Whether nothing is left in the store itself; copies are told apart."""
        return not self.left and not self.rows

    def as_json(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {"clean": self.clean, **asdict(self)}


def provable(runtime: Runtime) -> Provable:
    """The store, if it can prove an erasure. Raises StoreError."""
    if not isinstance(runtime.store, Provable):
        raise StoreError(f"{runtime.store.location}: this kind of store cannot prove an erasure.")
    return runtime.store


def prove(
    runtime: Runtime,
    namespace: str,
    memory_id: str,
    keys: Sequence[int],
    traces: Sequence[Trace],
    also: Sequence[str],
) -> Certificate:
    """Search every file for the traces of what was erased: a memory, and what was made of it alone.

    `also`: more files that may hold copies. Raises StoreError for a file that cannot be read.
    """
    store = provable(runtime)
    forget_texts()
    store.let_go()
    held = store.shared(traces)
    wanted = [trace for trace in traces if trace not in held]
    own, copies = _places(store, runtime, also)
    found = _look([*own, *copies], wanted)
    audit_files = f"{Path(runtime.store.location).absolute()}.audit"
    salt = secrets.token_hex(16)
    digests = tuple(sorted(digest(bytes.fromhex(salt), trace.value.hex()) for trace in wanted))
    certificate = Certificate(
        id=memory_id,
        namespace=namespace,
        looked_for=dict(sorted(Counter(trace.kind for trace in wanted).items())),
        files=tuple(own),
        left=tuple(left for path in own for left in _told(path, found[path], audit=path.startswith(audit_files))),
        rows=tuple(dict.fromkeys(table for key in keys for table in store.rows_left(key))),
        searched_copies=tuple(copies),
        copies=tuple(left for path in copies for left in _told(path, found[path], audit=False)),
        commitment=hashlib.sha256("".join(digests).encode()).hexdigest(),
        salt=salt,
        digests=digests,
    )
    return certificate if runtime.audit is None else _written_down(certificate, runtime.audit)


def _written_down(certificate: Certificate, audit: Audit) -> Certificate:
    told = {
        name: value
        for name, value in certificate.as_json().items()
        if name not in ("id", "namespace", "seq", "salt", "digests")
    }
    result = "ok" if certificate.clean else "failed"
    seq = audit.record(OPERATION, certificate.namespace, result=result, ids=(certificate.id,), detail=told)
    return Certificate(**{**_fields(certificate), "seq": seq})


def _fields(certificate: Certificate) -> dict[str, Any]:
    return {name: getattr(certificate, name) for name in Certificate.__dataclass_fields__}


def _places(store: Provable, runtime: Runtime, also: Sequence[str]) -> tuple[list[str], list[str]]:
    """Files of the store, and copies of it: beside it, known to the audit, or named."""
    beside = store.files()
    copies = [path for path in beside if _BACKUP in Path(path).name]
    own = [path for path in beside if path not in copies]
    for path in (*_backups(runtime.audit), *also):
        place = str(Path(path).absolute())
        if Path(place).is_file() and place not in (*own, *copies):
            copies.append(place)
    return own, copies


def _backups(audit: Audit | None) -> list[str]:
    """Where backups went, as far as the audit knows."""
    if not isinstance(audit, AuditLog):
        return []
    entries = latest(audit, Wanted(operation="backup"), None)
    return [str(entry.detail["path"]) for entry in entries if "path" in entry.detail]


def _look(paths: Sequence[str], wanted: Sequence[Trace]) -> dict[str, list[Trace]]:
    """What of the traces each file holds; looked for by another process (`audit/looking.py` says why)."""
    asked = json.dumps({"files": list(paths), "wanted": [trace.value.hex() for trace in wanted]})
    command = [sys.executable, "-I", looking.__file__]
    done = subprocess.run(command, input=asked, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise StoreError(f"the files cannot be searched: {done.stderr.strip().splitlines()[-1:]}")
    answer: dict[str, list[int] | str] = json.loads(done.stdout)
    found = {}
    for path, places in answer.items():
        if isinstance(places, str):
            raise StoreError(
                f"{path}: cannot be searched ({places}); the memory is erased, but nothing is proved."
            )
        found[path] = [wanted[place] for place in places]
    return found


def _told(path: str, found: Sequence[Trace], *, audit: bool) -> list[Left]:
    """What was found in a file by kind; in a file of the audit, all but what stands there by right."""
    kinds = Counter(trace.kind for trace in found if not (audit and trace.kind in _IN_AUDIT))
    return [Left(path, kind, count) for kind, count in sorted(kinds.items())]
