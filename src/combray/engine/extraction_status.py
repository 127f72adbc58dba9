"""What extraction has read, left and cost in a namespace. Apart from it, so that `status` loads no pipeline."""

from __future__ import annotations

from typing import Any

from combray.conversation.extraction_batches import DayBudget, ledger
from combray.engine.namespace import Namespace
from combray.runtime.queue import EXTRACTION
from combray.settings import read_prices


def budget_of(at: Namespace) -> DayBudget:
    """Return what a day may cost."""
    name = str(getattr(at.runtime.language_model, "name", ""))
    prices = read_prices(str(at.settings.get("prices", "")))
    return DayBudget.of(at.settings, prices.get(name, prices.get(name.rpartition(":")[0])))


def extraction_status(at: Namespace) -> dict[str, Any]:
    """Turns read, waiting and set aside, what became of the answers, the cost, and why it stands still."""
    runtime, reader, budget = at.runtime, at.reader, budget_of(at)
    backlog = next((each for each in reader.queue.backlogs() if each.model == EXTRACTION), None)
    spent = ledger(reader).on(runtime.local(runtime.clock()).date().isoformat())
    return {
        "mode": str(at.settings.get("extract", "model")),
        "waiting": backlog.waiting if backlog else 0,
        "set_aside": backlog.failed if backlog else 0,
        **{name: getattr(spent, name) for name in spent.__struct_fields__ if name != "day"},
        "cost_today": budget.money(spent.tokens_today),
        "cost": budget.money(spent.tokens),
        "stopped": budget.exhausted(spent) if runtime.language_model is not None else "",
        "error": backlog.error if backlog else "",
    }
