"""The audit of the open store: entries, certificates, verification, and measures that are counted from it."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from combray.audit.audited import record_read
from combray.engine.namespace import Namespace
from combray.engine.service_tier import model_usage
from combray.errors import StoreError
from combray.settings import read_prices
from combray.types import Moment
from combray.values import whole

if TYPE_CHECKING:
    from combray.audit.entry import Entry
    from combray.audit.log import AuditLog
    from combray.audit.reading import Report

_ASKS = ("recall", "search", "search_memory", "memory_search")
_USES = ("think", "get", "related", "history", "settle", "link", "update")
"""Verbs that take up a memory by its id. The ids of `think` are its citations."""
_STREAMS = "context"
_SINGLE_WORDS = {"add": "added", "replace": "replaced", "skip": "skipped"}
_MANY = ("remember_many", "import", "ingest")
_COUNTED = re.compile(r"(\d+) (added|replaced|skipped)").findall
MOST_DAYS = 366
MOST_LINES = 100_000
"""Lines of the operation log that are counted."""


class AuditTrail:
    """`engine.audit`: who read and wrote what. Its verbs raise StoreError if the audit is switched off."""

    def __init__(self, at: Namespace) -> None:
        self._at = at

    @property
    def log(self) -> AuditLog:
        """The audit log."""
        from combray.audit.log import AuditLog

        log = self._at.runtime.audit
        if not isinstance(log, AuditLog):
            location = self._at.runtime.store.location
            raise StoreError(f"{location}: the audit is switched off. Remove COMBRAY_AUDIT=false.")
        return log

    def entries(
        self,
        limit: int | None = 20,
        *,
        operation: str | None = None,
        since: Moment | None = None,
        namespace: str | None = None,
        memory_id: str | None = None,
        query: str | None = None,
    ) -> list[Entry]:
        """Return the latest matching entries, newest first, of all namespaces unless one is named.

        `operation` matches a verb called directly or by another verb. `memory_id` may be a prefix. `query`
        matches reads that asked exactly this. `limit` None returns all. Raises InvalidInputError.
        """
        from combray.audit.reading import EntryFilter, latest
        from combray.values import as_moment

        wanted = EntryFilter(
            operation=operation,
            since=as_moment("since", since, self._at.runtime.clock(), self._at.runtime.zone),
            namespace=namespace,
            memory_id=memory_id,
            query=None if query is None else self.log.key.digest(query),
        )
        return latest(self.log, wanted, None if limit is None else whole("limit", limit, 0, sys.maxsize))

    def certificates(self, memory_id: str) -> list[Entry]:
        """Return the erasure proofs of a memory id or prefix, newest first, without their salts."""
        from combray.audit.erasure import OPERATION

        return self.entries(None, operation=OPERATION, memory_id=memory_id)

    def lines(self) -> Iterator[str]:
        """Yield every line of the audit as stored, oldest first."""
        from combray.audit.reading import lines

        return lines(self.log)

    def verify(self) -> Report:
        """Check every line, their order, and the heads kept in the database and the anchor. Raises OSError."""
        from combray.audit.reading import verify

        return verify(self.log)

    def record_read(self, operation: str, ids: Iterable[str] = (), count: int | None = None) -> None:
        """Record that memories were handed out by other means than a verb. Does nothing without an audit."""
        record_read(self._at, operation, ids, count)


# -- measures ----------------------------------------------------------------------------------------


def metrics(at: Namespace, log: AuditLog, days: int) -> dict[str, Any]:
    """Return the measures of the last days. A share is None where nothing was counted.

    They are the measures of success of the Semantic facts page.
    Source: docs/reference/presets.md, preset semantic-facts, "Success Metrics".
    """
    from combray.audit.reading import since

    now = at.runtime.local(at.runtime.clock())
    start = now - timedelta(days=whole("days", days, 1, MOST_DAYS))
    entries = [each for each in since(log, start) if each.namespace == at.namespace and each.result == "ok"]
    asked = [each.counts.get("found", 0) > 0 for each in entries if each.operation in _ASKS]
    texts = _texts(at, start)
    return {
        "days": days,
        "asked": len(asked),
        "answered": _share(sum(asked), len(asked)),
        **_streamed(entries),
        **_written(texts),
        **_consolidated(entries),
        "by_day": _by_day(entries, texts, start, now),
        "cost": _cost(at),
    }


def _streamed(entries: Iterable[Entry]) -> dict[str, Any]:
    """Count memories that were given without being asked for, and those of them that were used afterwards."""
    shown: dict[str, bool] = {}
    for each in entries:
        if each.operation == _STREAMS:
            shown |= {memory_id: shown.get(memory_id, False) for memory_id in each.ids}
        elif each.operation in _USES:
            shown |= {memory_id: True for memory_id in each.ids if memory_id in shown}
    return {"streamed": len(shown), "used": _share(sum(shown.values()), len(shown))}


def _texts(at: Namespace, start: datetime) -> list[tuple[datetime, Counter[str]]]:
    """Return when texts were given, and their number by what became of them, as the operation log names it."""
    found = []
    for line in at.reader.log(MOST_LINES):
        if line["at"] < start:
            break
        if line["operation"] == "remember":
            found.append((line["at"], Counter([_SINGLE_WORDS.get(line["detail"], "")])))
        elif line["operation"] in _MANY:
            counts = Counter({word: int(count) for count, word in _COUNTED(line["detail"])})
            found.append((line["at"], counts))
    return found


def _written(texts: Iterable[tuple[datetime, Counter[str]]]) -> dict[str, Any]:
    counts = sum((each for _, each in texts), Counter[str]())
    given = counts["added"] + counts["skipped"] + counts["replaced"]
    return {"written": given, "duplicates": _share(counts["skipped"], given)}


def _by_day(
    entries: Iterable[Entry], texts: Iterable[tuple[datetime, Counter[str]]], start: datetime, now: datetime
) -> list[dict[str, Any]]:
    """Return questions, questions without an answer, and stored texts of each day of the runtime's zone."""
    days = [(start + timedelta(days=number)).date() for number in range((now.date() - start.date()).days + 1)]
    asked, empty, written = Counter[date](), Counter[date](), Counter[date]()
    for each in entries:
        if each.operation in _ASKS:
            day = datetime.fromisoformat(each.at).astimezone(now.tzinfo).date()
            asked[day] += 1
            empty[day] += not each.counts.get("found", 0)
    for at, counts in texts:
        written[at.astimezone(now.tzinfo).date()] += counts["added"] + counts["replaced"]
    return [
        {"day": day.isoformat(), "asked": asked[day], "empty": empty[day], "written": written[day]}
        for day in days
    ]


def _consolidated(entries: Iterable[Entry]) -> dict[str, Any]:
    counts: Counter[str] = Counter()
    for each in entries:
        if each.operation == "consolidate":
            counts.update(each.counts)
    return {"consolidated": {name: count for name, count in sorted(counts.items()) if name != "noted"}}


def _cost(at: Namespace) -> float | None:
    """Return what the models of this process have cost; None if no price is set (COMBRAY_PRICES)."""
    prices = read_prices(str(at.settings.get("prices", "")))
    costs = [each["cost"] for each in model_usage(at.runtime, prices) if each["cost"] is not None]
    return round(sum(costs), 6) if costs else None


def _share(part: int, whole_count: int) -> float | None:
    return round(part / whole_count, 4) if whole_count else None
