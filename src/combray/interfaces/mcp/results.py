"""What the tools share: the engine, short ids, and the shape of a result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mcp_types import CallToolResult, TextContent

from combray.engine import Engine
from combray.engine.namespace import check_namespace
from combray.interfaces.mcp import lines
from combray.prompt.formats import disarmed
from combray.types import Answer, Candidate, Hit, Remembered
from combray.values import short_ids

if TYPE_CHECKING:
    from combray.engine.requests import Match, Taken


class Tools:
    """One engine, the namespaces that its tools read, and the tools that are offered with it."""

    def __init__(self, engine: Engine, namespaces: Sequence[str] = (), offered: Sequence[str] = ()) -> None:
        self._offered = frozenset(offered)
        self._engine = engine
        self._namespaces = [check_namespace(each) for each in namespaces] or None

    def _short(self, ids: Iterable[str]) -> dict[str, str]:
        """Return each id with its shortest beginning that names one memory in the namespaces that are read."""
        return short_ids(list(ids), lambda few: self._engine.store.known(few, namespaces=self._namespaces))

    def _told(self, hit: Hit, name: str, question: str, *, full: bool) -> str:
        said = lines.whole(hit.memory, lines.signals(hit)) if full else lines.short(hit.memory, name, question)
        return said + lines.mark(hit, self._short(lines.marked(hit).values()), self._engine.now)

    def _tier(self, details: Mapping[str, Any], failures: Sequence[str] = ()) -> tuple[dict[str, str], list[str]]:
        """Return the service tier of an answer, and lines for the model if it is degraded or a part failed."""
        now = self._engine.store.tier()
        told = details.get("tier") or {"tier": now.name, "why": now.why}
        tier = lines.tier_as_json(told)
        said = [lines.tier_line(tier)] if now.degraded or tier["tier"] != now.name else []
        said += [lines.one_line(each, lines.WIDTH) for each in failures if each and each not in told["why"]]
        return tier, [f"note: {each}" for each in said]

    def _unsettled(self, limit: int) -> CallToolResult:
        """Return the open pairs of the engine's namespace."""
        found = self._engine.unsettled(limit)
        if not found:
            return result(["No pair of memories waits to be settled."], {"results": []})
        names = self._short(end.id for each in found for end in (each.new, each.old))
        said, structured = [], []
        for each in found:
            new, old = names[each.new.id], names[each.old.id]
            said += [lines.short(each.new, new), f"may change: {lines.short(each.old, old)}", _how(new, old)]
            ends = {
                "new": lines.as_json(each.new, new, full=False),
                "old": lines.as_json(each.old, old, full=False),
            }
            structured.append(ends | {"score": round(each.score, 3)})
        return quoting(said, {"results": structured})


def result(said: list[str], structured: dict[str, Any]) -> CallToolResult:
    """Return text for the model, and the same as data. Control tokens of chat templates are disarmed in both.

    Tools bound their entries (`lines.fitting`). What is longer yet, such as the ids of a thousand memories, is
    truncated here, and the answer says so.
    """
    fits = lines.fitting(said, 2 * lines.MOST)
    said = [*said[:fits], *([lines.left_out(len(said) - fits, "lines")] if fits < len(said) else [])]
    kept = {name: _fitting(value) for name, value in structured.items()}
    over = {
        name: len(structured[name]) - len(each) for name, each in kept.items() if each is not structured[name]
    }
    kept |= {"truncated": over} if over else {}
    text = disarmed("\n".join(said))
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=_disarmed(kept))


def quoting(said: list[str], structured: dict[str, Any]) -> CallToolResult:
    """Return a result that quotes stored text. It begins with the notice."""
    return result([lines.NOTICE, *said], {"notice": lines.NOTICE, **structured})


def _fitting(value: Any) -> Any:
    """Return a value, or the first items of a list that is longer than an answer may be."""
    if not isinstance(value, list):
        return value
    fits = lines.fitting(list(map(str, value)), 2 * lines.MOST)
    return value if fits == len(value) else value[:fits]


def _disarmed(value: Any) -> Any:
    if isinstance(value, str):
        return disarmed(value)
    if isinstance(value, Mapping):
        return {name: _disarmed(each) for name, each in value.items()}
    return [_disarmed(each) for each in value] if isinstance(value, list | tuple) else value


def questions(new: str, candidates: Sequence[Candidate], names: Mapping[str, str]) -> list[str]:
    """Return one line for each memory that a new text may change, with the call that settles it."""
    if not candidates:
        return []
    said = ["It may change earlier memories. Settle each that you are sure about.", lines.NOTICE]
    for each in candidates:
        text = lines.one_line(each.content, lines.WIDTH)
        said.append(f"[{names[each.id]}] {lines.moment(each.at)} {text} - {_how(names[new], names[each.id])}")
    return said


def suggested(done: Remembered, *, linking: bool) -> dict[str, Any]:
    """Return what the diff decided, and the memories that may be cause or effect, as data for the tool link.

    With `linking`, where that tool is offered, also the edges made, the related memories, and the texts of both.
    """
    causal = ("id", "hop", "causal_signal", "cosine", "overlap", "suggested_sub_type")
    found: dict[str, Any] = {
        "diff_suggestion": done.diff_suggestion,
        "embedded": done.embedded,
        "causal_candidates": _candidates(done.causal_candidates, causal, linking),
    }
    if linking:
        related = ("id", "cosine", "overlap", "auto_linked")
        found |= {
            "edges_created": dict(done.edges_created),
            "semantic_candidates": _candidates(done.semantic_candidates, related, linking),
            "effective_importance": done.effective_importance,
            "auto_pruned": done.auto_pruned,
        }
    return found


def _candidates(
    given: Iterable[Mapping[str, Any]], fields: Sequence[str], with_text: bool
) -> list[dict[str, Any]]:
    told = [{name: each.get(name) for name in fields} for each in given]
    for each, one in zip(told, given, strict=True) if with_text else ():
        each["content"] = lines.one_line(str(one["content"]), lines.WIDTH)
    return told


_REPORTED = ("pronouns", "peers", "grouped", "context")


def reported(answer: Answer) -> tuple[dict[str, Any], list[str]]:
    """Return how the question was read and what the preset made of the hits, and lines of both for the model.

    These are the intent (mnemon), the confidence where the preset has an evidence floor, resolved dates and
    pronouns, the results of peers and the text grouped by type (engram), and the text for a prompt (mnemo).
    """
    details: Mapping[str, Any] = answer.details
    found = {"intent": answer.intent} | {name: details[name] for name in _REPORTED if details.get(name)}
    if "confidence" in details:
        found["confidence"] = round(answer.confidence, 3)
    said = []
    read = details.get("resolved_query", answer.query)
    if read != answer.query:
        found["resolved_query"] = read
        said.append(f"note: read as {lines.one_line(read, lines.WIDTH)!r}")
    said += [
        f"from {lines.one_line(str(each.get('peer', 'a peer')))} (untrusted): "
        f"{lines.one_line(str(each.get('text', '')), lines.WIDTH)}"
        for each in details.get("peers") or ()
    ]
    return found, said


def _how(new: str, old: str) -> str:
    return f"settle_memories(new={new!r}, old={old!r}, verdict=supersedes|corrects|same|both)"


def taken(found: Taken, shorten: Callable[[Iterable[str]], Mapping[str, str]]) -> CallToolResult:
    """Return a preview by groups, or the count of what was forgotten. `shorten` gives full id -> shown id."""
    names = shorten(each.memory.id for each in found.shown)
    groups = {"certain": found.certain, "derived": found.derived, "possible": found.possible}
    listed = {
        title: [{"id": each.memory.id, "text": _shown(each, names), "why": each.why} for each in group]
        for title, group in groups.items()
    }
    structured: dict[str, Any] = {
        "ids": list(found.ids),
        "count": found.count,
        "dry_run": found.dry_run,
        **listed,
    }
    if not found.dry_run:
        return result([f"forgotten: {found.count} memories"], structured)
    said = []
    for title, group in groups.items():
        note = " (taken only if included)" if title == "possible" else ""
        said += [f"{title}{note}:"] if group else []
        said += [f"{_shown(each, names)} ({lines.one_line(each.why, lines.WIDTH)})" for each in group]
    last = f"Nothing is forgotten yet: give confirm {found.count}."
    if not found.count:
        last = "Nothing matches for certain." if found.possible else "Nothing matches."
        last += " To forget a possible match, give its id in include." if found.possible else ""
    return result([lines.NOTICE, *said, last], structured)


def _shown(match: Match, names: Mapping[str, str]) -> str:
    name = names[match.memory.id]
    return f"[{name}] (quarantined)" if match.memory.trust == "quarantined" else lines.short(match.memory, name)
