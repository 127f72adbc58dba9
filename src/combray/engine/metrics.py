"""How well memory serves: shares counted from the audit, the measures of success of the Semantic facts page.

Source: docs/reference/presets.md, preset semantic-facts, "Success Metrics".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from combray.audit.reading import since
from combray.engine.namespace import Namespace
from combray.engine.service_tier import model_usage
from combray.settings import read_prices
from combray.values import whole

if TYPE_CHECKING:
    from combray.audit.entry import Entry
    from combray.audit.log import AuditLog

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


def metrics(at: Namespace, log: AuditLog, days: int) -> dict[str, Any]:
    """Return the measures of the last days. A share is None where nothing was counted."""
    now = at.runtime.local(at.runtime.clock())
    start = now - timedelta(days=whole("days", days, 1, MOST_DAYS))
    entries = [each for each in since(log, start) if each.namespace == at.namespace and each.result == "ok"]
    texts = _texts(at, start)
    return {
        "days": days,
        **_questions(entries),
        **_streamed(entries),
        **_written(texts),
        **_consolidated(entries),
        "by_day": _by_day(entries, texts, start, now),
        "cost": _cost(at),
    }


def _questions(entries: Iterable[Entry]) -> dict[str, Any]:
    found = [each.counts.get("found", 0) > 0 for each in entries if each.operation in _ASKS]
    return {"asked": len(found), "answered": _share(sum(found), len(found))}


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
