"""Import a file of memories: a dry run first; a file with errors is not imported unless asked for.

An export is restored exactly: ids, statuses, history and edges; vectors are recomputed. It may be third-party
content, so memories that look like prompt injection are quarantined. Items of other tools are remembered:
`items`.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol, runtime_checkable

import msgspec
import numpy as np
from numpy.typing import NDArray

from combray.audit.audited import doing
from combray.errors import InvalidInputError
from combray.language.indexing import full_text
from combray.language.scopes import scope_set
from combray.records import dataclass, field, replace
from combray.remember.guard import Guard, shown_words, was_released
from combray.runtime import Arrival, Embedder, Link, Reader, Rememberer, Runtime, Store, Writer
from combray.transfer.exports import check_header, read_edge, read_memory, read_version
from combray.transfer.items import add, plan_additions, read_items
from combray.transfer.parser import ImportReport, Parsed, PlacedObject, Problem, left_of, parse, problem_of, shown
from combray.types import SCOPED_EDGES, Edge, Memory, Version

Progress = Callable[[int], None]
"""Called with the number of memories done."""
_BATCH = 256


@runtime_checkable
class ImportTarget(Rememberer, Protocol):
    """A namespace to import into, such as an `Engine`."""

    @property
    def guard(self) -> Guard:
        """Judges the texts of an export."""
        ...


def import_from(
    target: ImportTarget | Store,
    namespace: str,
    lines: Iterable[str | bytes],
    *,
    dry_run: bool = True,
    skip_bad: bool = False,
    diff: bool = True,
    trusted: bool = False,
    embedder: Embedder | None = None,
    progress: Progress | None = None,
) -> ImportReport:
    """Import the lines of a file (an open file works, preferably binary), or report what an import would do.

    Formats: an export of Combray, restored exactly, with vectors from `embedder` (default: the engine's);
    Mnemon's draft {schema_version: "1", source, insights, edges}; JSON lines or one JSON array of items
    {"content", ...} with the fields of `remember`. In items, "text" is the content, "created_at" the time of
    recording, "timestamp" the time of the event, and "edges" a list of {"target": an item's id or its place from
    0, or a stored id, "type", "weight", "reason"}. Items go through `remember_many` oldest first (`diff=False`:
    without deduplication); then edges and the temporal backbone are written. `formats.read_file` reads the files
    of other tools as lines.

    Memories keep the trust they name, but unless the file is `trusted` the guard judges them as untrusted and
    quarantines prompt injection. A trusted export keeps memories that were released from quarantine.

    A dry run writes nothing. A real run raises InvalidInputError before it writes if a line is invalid, unless
    `skip_bad`. An export is written in one transaction, items in one per batch. Raises ModelError before it
    writes if the vectors of an export cannot be computed.
    """
    engine = target if isinstance(target, ImportTarget) else None
    store = target.runtime.store if isinstance(target, ImportTarget) else target
    if engine is not None and engine.namespace != namespace:
        problem = f"{namespace!r} is not the engine's namespace {engine.namespace!r}."
        raise InvalidInputError("namespace", problem, "Open an engine with that namespace.")
    clock = engine.runtime.clock if engine is not None else time.time
    reader = store.reader(namespace)
    parsed = parse(lines)
    if parsed.shape in ("combray", "empty"):
        plan = plan_restoration(parsed, reader, namespace, engine.guard if engine else Guard(), trusted=trusted)
        if not _go_on(plan.report, dry_run, skip_bad):
            return plan.report
        model = embedder if embedder is not None else engine.runtime.embedder if engine is not None else None
        with doing("import"):
            return restore(plan, store, namespace, clock(), model, progress)
    items = read_items(parsed, namespace, clock(), Runtime(store, clock=clock))
    found = plan_additions(items, parsed.shape, reader, diff)
    found.report = replace(found.report, left=left_of(parsed.left))
    if not _go_on(found.report, dry_run, skip_bad):
        return found.report
    if engine is None:
        problem = "must be an engine to import items, got a store."
        raise InvalidInputError("target", problem, "Open one with combray.open.")
    with doing("import"):
        return add(found, engine, diff, progress, trusted=trusted, atomic=not skip_bad)


def _go_on(report: ImportReport, dry_run: bool, skip_bad: bool) -> bool:
    """Whether to write. Raises InvalidInputError for a real run on a file with errors."""
    if dry_run:
        return False
    if report.problems and not skip_bad:
        several = f"{len(report.problems)} problems" if len(report.problems) > 1 else "a problem"
        raise InvalidInputError(
            "import",
            f"the file has {several} and nothing was written. First problem: {report.problems[0]}",
            "Fix the file (a dry run lists every problem), or skip invalid lines (skip_bad, --skip-bad).",
        )
    return True


# -- an export -----------------------------------------------------------------------------------


@dataclass(slots=True)
class Restoration:
    """The new records of an export, in order; memories must precede versions and edges that name them."""

    reader: Reader
    namespace: str
    guard: Guard
    trusted: bool
    stored: dict[str, str]
    """Texts of the memories that are stored already, by id."""
    problems: list[Problem]
    memories: list[Memory] = field(default_factory=list)
    versions: dict[str, list[Version]] = field(default_factory=lambda: defaultdict(list))
    edges: list[Edge] = field(default_factory=list)
    report: ImportReport = field(default_factory=lambda: ImportReport("combray", True))
    new: set[str] = field(default_factory=set)
    read: Counter[str] = field(default_factory=Counter)
    quarantined: int = 0
    skipped: int = 0

    def read_memory(self, entry: PlacedObject) -> None:
        """Take a memory that is new. Raises InvalidInputError."""
        memory = read_memory(entry.fields, self.namespace)
        if memory.id in self.new:
            raise InvalidInputError("id", f"{memory.id!r} occurs twice in the file.", "Remove one of the lines.")
        known = self.stored.get(memory.id)
        if known is None:
            self.new.add(memory.id)
            self.memories.append(self._guarded(memory))
        elif known == memory.content:
            self.skipped += 1
        else:
            problem = f"{memory.id!r} is already stored with another text: {shown(known)}."
            raise InvalidInputError("id", problem, "Import into another namespace.")

    def _guarded(self, memory: Memory) -> Memory:
        """Return the memory unchanged or quarantined. In a trusted file, released memories stay released."""
        if memory.trust == "quarantined" or (self.trusted and was_released(memory)):
            return memory
        verdict = self.guard.verdict(shown_words(memory), memory.trust, "" if self.trusted else "untrusted")
        if verdict is None or verdict.trust != "quarantined":
            return memory
        self.quarantined += 1
        noted = {**memory.metadata, "guard": verdict.as_metadata(memory.trust)}
        return msgspec.structs.replace(memory, trust="quarantined", metadata=noted)

    def read_version(self, entry: PlacedObject) -> None:
        """Take a version that is new. Raises InvalidInputError."""
        version = read_version(entry.fields)
        self._must_know("memory_id", version.memory_id)
        if version.memory_id not in self.new:
            return
        rows = self.versions[version.memory_id]
        if rows and rows[-1].number >= version.number:
            problem = f"{version.number} must be greater than the previous version's {rows[-1].number}."
            raise InvalidInputError("number", problem, "Keep the order of the export.")
        rows.append(version)

    def read_edge(self, entry: PlacedObject) -> None:
        """Take an edge that is new. Raises InvalidInputError."""
        edge = read_edge(entry.fields)
        self._must_know("source", edge.source)
        self._must_know("target", edge.target)
        # Edges between two memories that were already stored are not changed.
        if edge.source in self.new or edge.target in self.new:
            self.edges.append(edge)

    def _must_know(self, field: str, memory_id: str) -> None:
        if memory_id not in self.new and memory_id not in self.stored:
            raise InvalidInputError(field, f"{memory_id!r} is not in the file or the store.", "Remove the line.")


def plan_restoration(
    parsed: Parsed, reader: Reader, namespace: str, guard: Guard, *, trusted: bool
) -> Restoration:
    """Compare every record with the store; the result has the report of a dry run.

    Unless `trusted`, memories are judged as untrusted, whatever trust they name.
    """
    found = Restoration(reader, namespace, guard, trusted, _stored_texts(parsed, reader), list(parsed.problems))
    try:
        if parsed.shape == "combray":
            check_header(parsed.head)
    except InvalidInputError as error:
        found.problems = [problem_of(error, 1)]
        parsed.entries = []
    kinds = {"memory": found.read_memory, "version": found.read_version, "edge": found.read_edge}
    for entry in parsed.entries:
        if entry.broken:
            continue
        record = entry.fields.get("record")
        try:
            if not isinstance(record, str) or record not in kinds:
                raise InvalidInputError("record", f"must be one of {', '.join(kinds)}, got {shown(record)}.")
            found.read[record] += 1
            kinds[record](entry)
        except InvalidInputError as error:
            found.problems.append(problem_of(error, entry.line))
    if parsed.entries or not found.problems:
        found.problems.extend(_missing(parsed, found.read))
    found.report = ImportReport(
        parsed.shape,
        dry_run=True,
        memories=len(found.memories),
        versions=sum(map(len, found.versions.values())),
        edges=len(found.edges),
        skipped=found.skipped,
        quarantined=found.quarantined,
        problems=tuple(found.problems),
    )
    return found


def _stored_texts(parsed: Parsed, reader: Reader) -> dict[str, str]:
    """Return the stored texts of the ids in the file."""
    names = ("id", "memory_id", "source", "target")
    given = (entry.fields.get(name) for entry in parsed.entries for name in names)
    ids = {each for each in given if isinstance(each, str)}
    keys = reader.keys_of(sorted(ids))
    texts = reader.contents(keys.values())
    found = reader.memories(keys.values())
    # `keys_of` also accepts prefixes of ids; only full ids count here.
    return {memory.id: text for memory, text in zip(found, texts, strict=True) if memory.id in ids}


def _missing(parsed: Parsed, read: Counter[str]) -> list[Problem]:
    """Return a problem for each kind of record of which there are fewer than the header counts."""
    problems = []
    for name, record in (("memories", "memory"), ("versions", "version"), ("edges", "edge")):
        promised = parsed.head.get(name)
        if isinstance(promised, int) and promised > read[record]:
            problem = f"{name}: the header counts {promised}, but the file has {read[record]}."
            problems.append(Problem(1, problem, "The file is truncated; export it again."))
    return problems


def restore(
    plan: Restoration,
    store: Store,
    namespace: str,
    now: float,
    embedder: Embedder | None,
    progress: Callable[[int], None] | None,
) -> ImportReport:
    """Compute the vectors, then write everything in one transaction. Raises ModelError and StoreError."""
    report = replace(plan.report, dry_run=False)
    if not (plan.memories or plan.edges):
        return report
    arrivals = _arrivals(plan.memories, embedder, progress)
    with store.transaction(namespace) as tx:
        keys = dict(zip((memory.id for memory in plan.memories), tx.insert(arrivals), strict=True))
        for memory_id, versions in plan.versions.items():
            tx.put_history(keys[memory_id], versions)
        ends = sorted({end for edge in plan.edges for end in (edge.source, edge.target)} - set(keys))
        keys.update(tx.keys_of(ends))
        # A stored memory may have been erased since it was planned.
        plan.edges = [edge for edge in plan.edges if edge.source in keys and edge.target in keys]
        made: dict[float, list[Link]] = defaultdict(list)
        edges = _within_scopes(plan, keys, tx)
        for edge in edges:
            about = (edge.type, edge.weight, edge.subtype, edge.reason, edge.created_by)
            made[edge.created_at.timestamp()].append(Link(keys[edge.source], keys[edge.target], *about))
        for at, links in sorted(made.items()):
            tx.link(links, at)
        tx.note("import", "", f"{report.memories} memories restored, {report.skipped} known", now)
    return replace(report, edges=len(edges))


def _within_scopes(plan: Restoration, keys: Mapping[str, int], tx: Writer) -> list[Edge]:
    """Return the edges that join no two scopes: older versions made such edges."""
    if not any(scope_set(memory.tags) for memory in plan.memories):
        return plan.edges
    scopes = dict(zip(keys, (scope_set(each.tags) for each in tx.memories(list(keys.values()))), strict=True))
    return [
        edge for edge in plan.edges if edge.type not in SCOPED_EDGES or scopes[edge.source] == scopes[edge.target]
    ]


def _arrivals(
    memories: list[Memory], embedder: Embedder | None, progress: Callable[[int], None] | None
) -> list[Arrival]:
    arrivals = []
    for start in range(0, len(memories), _BATCH):
        some = memories[start : start + _BATCH]
        vectors: list[NDArray[np.float32] | None] = [None] * len(some)
        if embedder is not None:
            # A chunk is embedded without its context, as the index does.
            texts = [each.content if each.kind == "chunk" else full_text(each) for each in some]
            vectors = list(embedder.embed(texts))
        name = embedder.name if embedder is not None else ""
        for memory, vector in zip(some, vectors, strict=True):
            has = vector is not None and np.any(vector)
            if embedder is not None and memory.status == "pending_embed":
                memory = msgspec.structs.replace(memory, status="active")
            arrivals.append(Arrival(memory, {name: vector} if has and vector is not None else {}))
        if progress is not None:
            progress(len(arrivals))
    return arrivals
