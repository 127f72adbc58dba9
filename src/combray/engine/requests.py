"""Forget or erase by request: what an identifier, a name or a description finds is shown before it is done.

Certain are the memories that hold an identifier of the request, or all of its words that the namespace has; the
hits of a recall are possible ones. The caller, who reads them, decides.
Cost: one pass over the texts of the namespace, and one recall. It is a rare call.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from combray.audit.audited import audited, record_read
from combray.audit.erasure import distilled_from, named_by
from combray.engine import matches
from combray.engine.changes import erase_keys, hide
from combray.engine.matches import Request
from combray.engine.namespace import Namespace
from combray.errors import InvalidInputError, brief
from combray.records import dataclass
from combray.runtime import Filter, Reader, Writer
from combray.runtime.calls import step
from combray.types import LIVE_STATUSES, STATUSES, Memory
from combray.values import MADE_BY, counted

if TYPE_CHECKING:
    from combray.audit.erasure import Certificate

FOUND = "found by recall"
_ATTEMPTS = 3
_VISIBLE = tuple(each for each in STATUSES if each != "forgotten")


class ForgetOptions(TypedDict, total=False):
    """What a request to forget takes beside its text.

    `include`: ids of possible matches to take too. `exclude`: ids to keep. `confirm`: the count of the preview;
    without it nothing changes. `namespaces`: these instead of the engine's own.
    """

    include: Sequence[str]
    exclude: Sequence[str]
    confirm: int | None
    dry_run: bool
    namespaces: Sequence[str] | None


class AskedErased(ForgetOptions, total=False):
    """What a request to erase takes beside its text."""

    prove: bool
    also: Sequence[str | PathLike[str]]


_OF_WORDS = frozenset(("about", "include", "exclude", "namespaces"))


def asks(memory_id: object, given: Mapping[str, Any], options: type) -> bool:
    """Whether a call says in words what it is about. Raises InvalidInputError if it also names memories.

    `options`: what may be given beside the words.
    """
    beside = {*options.__annotations__, *ForgetOptions.__annotations__}
    if given.get("about") is None:
        if wrong := sorted(name for name in _OF_WORDS & given.keys() if given[name]):
            raise InvalidInputError(wrong[0], "needs about.", "Give about, or leave it out.")
        return False
    wrong = sorted(given.keys() - beside - {"about"}) + ([] if memory_id is None else ["ids"])
    if wrong:
        raise InvalidInputError(wrong[0], "cannot be combined with about.", "Give one of the two.")
    return True


def without_words(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a call that names memories, without the empty ones of a request in words."""
    return {name: value for name, value in given.items() if name not in _OF_WORDS}


@dataclass(frozen=True, slots=True)
class Match:
    """A memory that a request matches, and why. The score is 1 for a certain match, else that of the recall."""

    memory: Memory
    why: str
    score: float = 1.0


@dataclass(frozen=True, slots=True)
class Taken:
    """What a request takes, or with `dry_run` would take.

    `certain`: memories that hold an identifier, or all words of the request. `derived`: what was made of them.
    `possible`: what a recall finds; taken only if it was named in `include`.
    """

    about: str
    certain: tuple[Match, ...]
    derived: tuple[Match, ...]
    possible: tuple[Match, ...]
    included: tuple[str, ...] = ()
    dry_run: bool = True
    certificates: tuple[Certificate, ...] = ()
    """The proof of an erasure, one a namespace, if it was asked for."""

    @property
    def shown(self) -> tuple[Match, ...]:
        """All matches, by group."""
        return (*self.certain, *self.derived, *self.possible)

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of everything that is taken."""
        chosen = set(self.included)
        ticked = [each for each in self.possible if each.memory.id in chosen]
        return tuple(each.memory.id for each in (*self.certain, *self.derived, *ticked))

    @property
    def count(self) -> int:
        """How many memories are taken: what `confirm` takes."""
        return len(self.ids)


@audited("forget", reads=False)
def forget(at: Namespace, about: str, **asked: Unpack[ForgetOptions]) -> Taken:
    """Hide what a request asks for."""
    return _carried_out(at, about, asked, hiding=True)


@audited("erase", reads=False)
def erase(
    at: Namespace,
    about: str,
    *,
    prove: bool = False,
    also: Sequence[str | PathLike[str]] = (),
    **asked: Unpack[ForgetOptions],
) -> Taken:
    """Destroy what a request asks for."""
    return _carried_out(at, about, asked, hiding=False, prove=prove, also=also)


def _carried_out(at: Namespace, about: str, asked: ForgetOptions, *, hiding: bool, **how: Any) -> Taken:
    wanted = matches.parsed(about, asked.get("include", ()), asked.get("exclude", ()), hiding=hiding)
    spaces = at.several(asked.get("namespaces"))
    at.flush()
    plans = [_Plan.of(space, wanted) for space in spaces]
    known = {each.memory.id for plan in plans for each in (*plan.certain, *plan.derived, *plan.possible)}
    known = known.union(*(plan.excluded for plan in plans))
    for field, ids in (("include", wanted.include), ("exclude", wanted.exclude)):
        if unknown := [each for each in ids if each not in known]:
            remedy = "Give ids that the preview shows, in full."
            raise InvalidInputError(field, f"{brief(unknown[0])} is not among the matches.", remedy)
    confirm = asked.get("confirm")
    if confirm is None or asked.get("dry_run", False):
        shown = _joined(about, plans, dry_run=True)
        record_read(at, "forget" if hiding else "erase", [each.memory.id for each in shown.shown])
        return shown
    count = sum(len(plan.keys) for plan in plans)
    if isinstance(confirm, bool) or confirm != count:
        found = counted(count, "memory", "memories")
        problem = f"is {brief(confirm)}, but the request takes {found} now. Nothing was changed."
        remedy = f"The store or the request differs from the preview. Look again, then give confirm={count}."
        raise InvalidInputError("confirm", problem, remedy)
    proofs = [_settled(plan, **how) for plan in plans if plan.keys]
    return _joined(about, plans, dry_run=False, certificates=[each for each in proofs if each])


def _settled(plan: _Plan, **how: Any) -> Certificate | None:
    """Carry out a plan. If the namespace was written to in between, it must still take the same memories."""
    for _ in range(_ATTEMPTS):
        try:
            return plan.carry_out(**how)
        except _Moved:
            again = _Plan.of(plan.space, plan.wanted)
            if set(again.keys) != set(plan.keys):
                break
            plan = again
    problem = (
        f"no longer holds: namespace {plan.space.namespace!r} was written to a moment ago and was not changed."
    )
    raise InvalidInputError("confirm", problem, "Look again.")


class _Moved(Exception):  # noqa: N818
    """The namespace was written to after the plan was made."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """What a request takes in one namespace, at a revision of it."""

    space: Namespace
    wanted: Request
    revision: int
    keys: tuple[int, ...]
    certain: tuple[Match, ...]
    derived: tuple[Match, ...]
    possible: tuple[Match, ...]
    included: tuple[str, ...]
    excluded: tuple[str, ...]

    @classmethod
    def of(cls, space: Namespace, wanted: Request) -> _Plan:
        reader = space.reader
        revision = reader.revision()
        # Rows of every status and trust: a superseded or quarantined memory holds an identifier as well.
        statuses = _VISIBLE if wanted.hiding else ()
        keys = reader.scan(Filter(statuses=statuses, trusts=())).tolist()
        step(f"read {len(keys)} memories")
        memories = dict(zip(keys, reader.memories(keys), strict=True))
        found = matches.certain(space, wanted, memories)
        ticked, kept = set(wanted.include), set(wanted.exclude)
        by_id = {memory.id: memory for memory in memories.values()}
        certain = [Match(memories[key], why) for key, why in found.items()]
        excluded = tuple(each.memory.id for each in certain if each.memory.id in kept)
        certain = [each for each in certain if each.memory.id not in kept]
        hits = matches.possible(space, wanted, {memories[key].id for key in found})
        possible = [Match(hit.memory, FOUND, hit.score) for hit in hits if hit.memory.id not in kept]
        included = [each.memory.id for each in possible if each.memory.id in ticked]
        taken = dict.fromkeys([*(each.memory.id for each in certain), *included])
        derived, shared = _derived(reader, wanted, by_id, taken)
        gone = {*taken, *(each.memory.id for each in derived)}
        more = [each for each in shared if each.memory.id not in gone]
        listed = {each.memory.id for each in more}
        ranked = [each for each in possible if each.memory.id in included or each.memory.id not in gone | listed]
        included += [each.memory.id for each in more if each.memory.id in ticked]
        excluded += tuple(each for each in kept & by_id.keys() if each not in excluded)
        every = [*gone, *(each for each in included if each not in gone)]
        keys_of = reader.keys_of(every)
        return cls(
            space, wanted, revision, tuple(keys_of[each] for each in every), tuple(certain), tuple(derived),
            (*more, *ranked), tuple(included), excluded,
        )  # fmt: skip

    def carry_out(self, *, prove: bool = False, also: Sequence[Any] = ()) -> Certificate | None:
        """Hide or erase. Raises _Moved, with nothing changed, if the namespace was written to since."""
        now = self.space.runtime.clock()
        if not self.wanted.hiding:
            return erase_keys(self.space, list(self.keys), self._unchanged, derived=False, prove=prove, also=also)
        with self.space.runtime.store.transaction(self.space.namespace) as tx:
            self._unchanged(tx)
            made = set(tx.keys_of([each.memory.id for each in self.derived]).values())
            with_them = hide(tx, [key for key in self.keys if key not in made], now)
            hide(tx, [key for key in self.keys if key in made.difference(with_them)], now)
            step(f"forget {len(self.keys)} memories")
            tx.note("forget", "", f"{len(self.keys)} memories", now)
        return None

    def _unchanged(self, tx: Writer) -> None:
        # An open transaction counts itself.
        if tx.revision() - 1 != self.revision:
            raise _Moved


def _derived(
    reader: Reader, wanted: Request, by_id: dict[str, Memory], taken: Collection[str]
) -> tuple[list[Match], list[Match]]:
    """Return what was made of some memories alone, and what rests on others too.

    Merged memories go together in both directions. An erasure takes what Combray made of them in any case: its
    text is theirs.
    """
    gone, kept = set(taken), set(wanted.exclude)
    found: list[Match] = []
    shared: dict[str, Match] = {}
    grew = True
    while grew:
        grew = False
        for memory in by_id.values():
            if memory.id in gone or memory.id in kept:
                continue
            why = _made(reader, wanted, by_id, memory, gone)
            if why.startswith("also"):
                shared[memory.id] = Match(memory, why, 1.0)
            elif why:
                found.append(Match(memory, why))
                gone.add(memory.id)
                grew = True
    return found, list(shared.values())


def _made(
    reader: Reader, wanted: Request, by_id: dict[str, Memory], memory: Memory, gone: Collection[str]
) -> str:
    """Return how a memory was made of others: "" if it was not, "also …" if it rests on further ones."""
    if memory.merged_into in gone:
        return f"merged into {memory.merged_into}"
    absorbed = next((each for each in gone if each in by_id and by_id[each].merged_into == memory.id), "")
    if absorbed:
        return f"{absorbed} was merged into it"
    named = named_by(memory)
    rests = [each for each in named if each in gone]
    if not rests:
        return ""
    made = memory.source in MADE_BY and rests[0] in (distilled_from(memory) or memory.evidence)
    others = [each for each in named if each not in gone]
    live = [each for each in reader.memories(reader.keys_of(others).values()) if each.status in LIVE_STATUSES]
    if live and (wanted.hiding or not made):
        return f"also rests on {len(live)} other memories"
    return f"made of {rests[0]}"


def _joined(
    about: str, plans: Sequence[_Plan], *, dry_run: bool, certificates: Sequence[Certificate] = ()
) -> Taken:
    def every(name: str) -> tuple[Any, ...]:
        return tuple(each for plan in plans for each in getattr(plan, name))

    return Taken(
        about=about,
        certain=every("certain"),
        derived=every("derived"),
        possible=every("possible"),
        included=every("included"),
        dry_run=dry_run,
        certificates=tuple(certificates),
    )
