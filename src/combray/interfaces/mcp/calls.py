"""The MCP tools. Each is one call of the engine; its docstring is the description that a model reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mcp_types import CallToolResult

from combray.engine.graph import worth_linking
from combray.errors import InvalidInputError
from combray.interfaces.mcp import lines
from combray.interfaces.mcp.decisions import Decisions, Filled, State
from combray.interfaces.mcp.results import questions, quoting, reported, result, suggested, taken
from combray.interfaces.mcp.turns import TurnCalls
from combray.prompt.excerpt import excerpt
from combray.types import DEFAULT_TRUST, Answer, EdgeType, Remembered, Verdict, Where

if TYPE_CHECKING:
    from combray.engine.graph import Related

_SUGGESTIONS = 3
_STATUS = (
    "tier", "models", "without_vector", "namespace", "preset", "embedder", "writable", "total_insights",
    "by_status", "by_kind", "edge_count",
)  # fmt: skip
"""What the tool `status` shows of the store's status."""
_TRUST = {"user": DEFAULT_TRUST, "agent": "agent", "external": "untrusted"}


class Calls(TurnCalls, Decisions):
    """The tools of one engine. The namespace is the engine's: no argument of a tool reaches another.

    Whoever starts the server may name `namespaces`: recall, search_memory, think and list_memories read these.
    """

    def remember(self, text: str, source: str = "agent", **fields: Any) -> CallToolResult:
        """Store one fact, decision, preference or insight that will matter in a later conversation.

        Use it when the user states a preference, when a decision is made, or when asked to remember something.
        The result says whether the text was added, superseded an older memory, or was skipped as a duplicate, and
        which earlier memories it may change: settle those with settle_memories. External text supersedes nothing.
        Do not store secrets, small talk, or text that these tools returned.
        """
        # Third-party content must not supersede the user's statements.
        compared = source != "external"
        done = self._engine.remember(text, diff=compared, source=source, trust=_TRUST[source], **fields)
        told = self._remembered(done)
        return self._which_holds(done, told) if done.may_revise else told

    def recall(self, query: str, limit: int = 5, full: bool = False, **options: Any) -> CallToolResult:
        """Search memory. Use it before you answer about earlier work, decisions, dates, people or preferences.

        It searches by keywords, meaning, time and cause; for "why" questions, causes come first. If nothing is
        found, say that you searched and found nothing; do not guess. `confidence` is the probability that one of
        the first three hits answers: at 0.8 four in five do. You may decline an answer below a bound of your own.
        """
        answer = self._engine.recall(query, limit=limit, namespaces=self._namespaces, **options)
        return self._answered(answer, full=full)

    def search_memory(
        self, query: str, search_type: str = "both", limit: int = 5, full: bool = False
    ) -> CallToolResult:
        """Search only facts or only episodes. Use it when the difference matters; otherwise use recall.

        If nothing is found, say so; do not guess.
        """
        found = self._engine.search_memory(query, search_type, limit, namespaces=self._namespaces)
        return self._answered(found, full=full)

    def think(self, question: str, limit: int = 8, **options: Any) -> CallToolResult:
        """Answer one question from memory. Every sentence cites the memory that supports it.

        Use it for an answer that you can pass on; use recall to read the memories yourself. If the answer is not
        known, say that you searched and found nothing; do not guess.
        """
        if not question.strip():
            raise InvalidInputError("question", "is empty.", "Ask something.")
        thought = self._engine.think(question, limit=limit, namespaces=self._namespaces, **options)
        cited = {each.number: thought.sources[each.number - 1] for each in thought.citations}
        names = self._short(hit.memory.id for hit in cited.values())
        behind = [
            f"[{n}] = {self._told(hit, names[hit.memory.id], question, full=False)}" for n, hit in cited.items()
        ]
        said = [*map(lines.one_line, thought.answer.splitlines()), *behind]
        said += [] if thought.known else ["Say that you searched and found nothing."]
        unwritten = thought.details.get("writer") and thought.mode != "model"
        tier, notes = self._tier(thought.details, [thought.reason] if unwritten else [])
        structured = {
            "answer": thought.answer,
            "known": thought.known,
            "mode": thought.mode,
            "reason": thought.reason,
            "confidence": round(thought.confidence, 3),
            "citations": [{"number": n, "id": names[hit.memory.id]} for n, hit in cited.items()],
            "tier": tier,
        }
        return quoting([*said, *notes], structured)

    def list_memories(
        self, limit: int = 20, full: bool = False, unsettled: bool = False, **options: Any
    ) -> CallToolResult:
        """List stored memories by their fields, in pages, to manage them. To answer a question use recall."""
        if unsettled:
            return self._unsettled(limit)
        page = self._engine.list(limit=limit, namespaces=self._namespaces, **options)
        names = self._short(each.id for each in page)
        said = [lines.whole(each) if full else lines.short(each, names[each.id]) for each in page]
        if (fits := lines.fitting(said)) < len(said):
            # A shorter page, whose cursor goes on where it ends.
            return self.list_memories(fits, full, **options)
        said += [
            f"{len(page)} of {page.total} memories" + (f"; go on with after {page.cursor}" if page.cursor else "")
        ]
        results = [lines.as_json(each, names[each.id], full=full) for each in page]
        structured = {"results": results, "total": page.total, "cursor": page.cursor}
        return quoting(said, structured)

    def settle_memories(
        self, new: str, old: str, verdict: Verdict | None = None, reason: str = "", all_earlier: bool = False
    ) -> CallToolResult:
        """Say which of two memories holds, when remember asks or a person tells you; not if you are unsure."""
        if verdict is None:
            return self._which_of(new, old)
        done = self._engine.settle(new, old, verdict, reason, all_earlier=all_earlier)
        names = self._short([done.new, done.old, *done.others])
        back = f"; {done.undone} is taken back" if done.undone else ""
        settled = ", ".join(f"[{names[each]}]" for each in (done.old, *done.others))
        said = f"settled: [{names[done.new]}] {done.verdict} {settled}{back}"
        told = {"new": done.new, "old": done.old, "verdict": done.verdict, "undone": done.undone}
        return result([said], told | ({"others": list(done.others)} if done.others else {}))

    def update_memory(self, memory_id: str, **given: Any) -> CallToolResult:
        """Correct a memory in place; what it said before stays in its history. Only what is given changes.

        If something has changed in the world, remember the new fact with supersedes instead.
        """
        changes = {name: value for name, value in given.items() if value is not None}
        if not changes:
            raise InvalidInputError("update_memory", "changes nothing.", f"Give {', '.join(given)}.")
        memory = self._engine.update(memory_id, **changes)
        name = self._short([memory.id])[memory.id]
        said = [f"updated {lines.short(memory, name)}", *lines.held_back(memory)]
        return result(said, lines.as_json(memory, name, full=False))

    def forget(
        self,
        memory_id: str | None = None,
        where: Where | None = None,
        about: str | None = None,
        include: Sequence[str] = (),
        confirm: int | None = None,
    ) -> CallToolResult:
        """Hide a memory from recall, when the user asks for it or it proves wrong. A person can restore it.

        With where or about all that match: ask first without confirm, which only shows them, then with its count.
        """
        if about is not None and (memory_id is not None or where is not None):
            raise InvalidInputError("forget", "takes about alone.", "Give about, or id and where.")
        if about is not None:
            found = self._engine.forget(about=about, include=include, confirm=confirm)
            shown = taken(found, self._short)
            call: dict[str, Any] = {"about": about, "include": list(include)}
            return self._whether_to_forget(call, found.ids, shown) if found.dry_run and found.ids else shown
        if memory_id is not None and where is None:
            memory = self._engine.forget(memory_id)
            return result([f"forgotten [{memory.id}]"], {"id": memory.id, "status": memory.status})
        if memory_id is None and where is None:
            raise InvalidInputError("forget", "names nothing.", "Give id, where or about.")
        ids = None if memory_id is None else [memory_id]
        done = self._engine.forget(ids, where=where, dry_run=confirm is None, confirm=confirm)
        structured = {"ids": list(done.ids), "count": done.count, "dry_run": done.dry_run}
        preview = f"{done.count} memories match. Nothing is forgotten yet: give confirm {done.count}."
        told = result([preview if done.dry_run else f"forgotten: {done.count} memories"], structured)
        again = {"memory_id": memory_id, "where": where}
        return self._whether_to_forget(again, done.ids, told) if done.dry_run and done.ids else told

    def forget_decided(self, state: State, answer: Filled) -> CallToolResult:
        """Forget what the preview showed if a person agreed."""
        if answer and answer.get("forget") is True:
            return self.forget(**state["call"])
        return self._with(state, ["No person agreed; nothing was forgotten."], [])

    def status(self) -> CallToolResult:
        """Report the number of memories, the models in use, and whether any part of recall is unavailable."""
        facts = self._engine.store.status()
        structured = {name: facts[name] for name in _STATUS if name in facts}
        tier = structured["tier"] = lines.tier_as_json(facts["tier"])
        said = f"{facts['total_insights']} memories and {facts['edge_count']} links"
        where = f"in namespace {lines.one_line(facts['namespace'])}"
        how = f"preset {facts['preset']}, embedder {facts['embedder']}"
        waiting = facts["without_vector"]
        behind = [f"memories without a vector, found by keywords and links only: {waiting}"] if waiting else []
        fared = [lines.model_line(each) for each in facts["models"]]
        first = f"{said} {where}; {how}{'' if facts['writable'] else '; read only'}."
        return result([first, lines.tier_line(tier), *behind, *fared], structured)

    # -- notes and links ---------------------------------------------------------------------------

    def memory_search(self, query: str, max_results: int = 6, min_score: float | None = None) -> CallToolResult:
        """Search the Markdown notes of the workspace (MEMORY.md, memory/*.md). Use it first for prior work.

        It returns the path and lines of each hit; read more with memory_get. If nothing is found, say that you
        checked.
        """
        found = self._engine.documents.search(query, max_results=max_results, min_score=min_score)
        tier, notes = self._tier(found.details)
        shown = {**found.as_json(), "tier": tier}
        caution = [f"note: {lines.one_line(found.warning)}"] if found.warning else []
        caution += notes
        if not found:
            why = found.reason or "no note matches"
            return result([f"Nothing found: {why}. Say that you checked.", *caution], shown)
        said = [
            f"{lines.one_line(each.citation)} {each.score:.2f} "
            + lines.one_line(excerpt(each.snippet, query, lines.WIDTH))
            for each in found
        ]
        return quoting([*said, *caution], shown)

    def memory_get(self, path: str, **which: Any) -> CallToolResult:
        """Read a note of the workspace, or some lines of it. Use it to read around a hit of memory_search."""
        found = self._engine.documents.read(path, withhold=True, **which)
        name = lines.one_line(found.path)
        if not found.text:
            return result([f"{name} does not exist or does not have these lines."], found.as_json())
        place = f"{name}, lines {found.start_line} to {found.end_line} of {found.total_lines}"
        on = f"; continue from {found.next_line}" if found.next_line else ""
        return quoting([f"{place}{on}", lines.quoted(found.text)], found.as_json())

    def link(self, source: str, target: str, subtype: str | None = None, **how: Any) -> CallToolResult:
        """Link two memories. Use it for cause and effect, or for related memories; recall follows links."""
        edge = self._engine.link(source, target, subtype=subtype or "", **how)
        names = self._short([edge.source, edge.target])
        structured = {"source": edge.source, "target": edge.target, "type": edge.type, "weight": edge.weight}
        structured |= {"sub_type": edge.subtype} if edge.subtype else {}
        kind = f"{edge.type}: {edge.subtype}" if edge.subtype else edge.type
        said = f"linked [{names[edge.source]}] → [{names[edge.target]}] ({kind}, weight {edge.weight:g})"
        return result([said], structured)

    def related(
        self, memory_id: str, type: EdgeType | None = None, depth: int = 2, limit: int = 10, full: bool = False
    ) -> CallToolResult:
        """Show linked memories, nearest first. Use it to find the causes, effects and context of a memory."""
        every = self._engine.related(memory_id, type=type, depth=depth)
        found = every[:limit]
        if not found:
            by = f" by {type} links" if type else ""
            return result([f"No memory is linked to it{by}."], {"results": []})
        names = self._short(each.memory.id for each in found)
        said = [
            f"{each.depth} {'step' if each.depth == 1 else 'steps'}, {_by(each)}: "
            + (lines.whole(each.memory) if full else lines.short(each.memory, names[each.memory.id]))
            for each in found
        ]
        fits = lines.fitting(said)
        said, found = said[:fits], found[:fits]
        said += (
            [f"{len(every) - fits} more; use a higher limit, or one without full."] if len(every) > fits else []
        )
        structured = [
            lines.as_json(each.memory, names[each.memory.id], full=full)
            | {"depth": each.depth, "type": each.via, "weight": round(each.weight, 3)}
            | {"edges": [_edge(*edge, sub) for edge, sub in zip(each.edges, each.subtypes, strict=True)]}
            for each in found
        ]
        return quoting(said, {"results": structured})

    # -- answers -----------------------------------------------------------------------------------

    def _remembered(self, done: Remembered) -> CallToolResult:
        near = {str(each["id"]): str(each["content"]) for each in worth_linking(done)[:_SUGGESTIONS]}
        asked = [each.id for each in done.may_revise]
        names = self._short([done.id, *([done.replaced_id] if done.replaced_id else []), *near, *asked])
        said = [f"{done.action} [{names[done.id]}]"]
        if done.replaced_id:
            said[0] += f", instead of [{names[done.replaced_id]}], which is kept as superseded"
        said += [lines.one_line(done.reason)] if done.reason else []
        said += [f"note: {lines.one_line(warning)}" for warning in done.quality_warnings]
        said += questions(done.id, done.may_revise, names)
        if near and "link" in self._offered:
            said += ["Possibly related memories; link them with the tool link if they are.", lines.NOTICE]
            said += [f"[{names[each]}] {lines.one_line(text, lines.WIDTH)}" for each, text in near.items()]
        tier, notes = self._tier({})
        structured = {
            "id": done.id, "action": done.action, "replaced_id": done.replaced_id,
            "warnings": list(done.quality_warnings),
            "may_revise": [each.as_json() for each in done.may_revise],
            "perhaps_related": list(near), "tier": tier, **suggested(done, linking="link" in self._offered),
        }  # fmt: skip
        return result([*said, *notes], structured)

    def _answered(self, answer: Answer, *, full: bool) -> CallToolResult:
        tier, notes = self._tier(answer.details, answer.details.get("degraded", ()))
        read, told = reported(answer)
        if not answer:
            why = answer.reason or "no memory matches"
            notice = [lines.NOTICE] if told else []
            said = [*notice, *told, *notes, f"Nothing found: {why}. Say that you searched and found nothing."]
            return result(said, {"results": [], "reason": answer.reason, "tier": tier, **read})
        names = self._short(hit.memory.id for hit in answer)
        asked = answer.query
        said = [self._told(hit, names[hit.memory.id], asked, full=full) for hit in answer]
        results = [lines.hit_as_json(hit, names[hit.memory.id], full=full, question=asked) for hit in answer]
        over = len(said) - lines.fitting(said)
        if over:
            said, results = said[:-over], results[:-over]
            notes.append(lines.left_out(over))
        if dropped := answer.details.get("dropped", 0):
            notes.append(f"note: {dropped} weaker hits were dropped; keep=0 returns them.")
        structured = {"results": results, "reason": answer.reason, "tier": tier, **read}
        return quoting([*said, *told, *notes], structured | {"dropped": dropped, "left_out": over})


def _edge(kind: str, weight: float, subtype: str) -> dict[str, Any]:
    return {"type": kind, "weight": round(weight, 3)} | ({"sub_type": subtype} if subtype else {})


def _by(neighbour: Related) -> str:
    """Return the edges that reach a memory, strongest first: `causal 0.70 (causes), temporal 0.50`.

    Edges from several memories of the step before read alike, and are named once.
    """
    said = [
        f"{kind} {weight:.2f}{f' ({lines.one_line(sub)})' if sub else ''}"
        for (kind, weight), sub in zip(neighbour.edges, neighbour.subtypes, strict=True)
    ]
    return ", ".join(dict.fromkeys(said))
