"""The command: `python -m bench.agent --data DATA [--turns 100] [--conversations 5]`."""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.agent.simulating import Session, simulate
from bench.quality.loaders import load

VERBS = ("session-start", "prompt", "stop")


def main(arguments: Sequence[str] | None = None) -> int:
    """Simulate the sessions and print a table."""
    made = argparse.ArgumentParser(prog="python -m bench.agent", description=__doc__)
    made.add_argument("--data", type=Path, required=True, help="folder with locomo/*.json")
    made.add_argument("--turns", type=int, default=100)
    made.add_argument("--conversations", type=int, default=5)
    made.add_argument("--embedder", default="wordllama")
    options = made.parse_args(arguments)
    files = sorted((options.data / "locomo").glob("*.json"))
    if not files:
        print(f"no LoCoMo file in {options.data / 'locomo'}", file=sys.stderr)
        return 1
    collections = [each for path in files for each in load("locomo", path).collections][: options.conversations]
    sessions = []
    for each in collections:
        with tempfile.TemporaryDirectory() as folder:
            sessions.append(simulate(each, options.turns, Path(folder), {"COMBRAY_EMBEDDER": options.embedder}))
        print(_row(sessions[-1]), flush=True)
    print(table(sessions))
    return 0


def table(sessions: Sequence[Session]) -> str:
    """One row a session, and one over all; then the times."""
    head = (
        "| conversation | turns | recall@10 | in the prompt | ratio | echoes | tokens a turn | captured |\n"
        "|---|---|---|---|---|---|---|---|"
    )
    rows = [_row(each) for each in sessions]
    if len(sessions) > 1:
        rows.append(_row(_all(sessions)))
    times = ["| hook | p50 ms | p95 ms | processor time p50 ms | p95 ms | calls |", "|---|---|---|---|---|---|"]
    whole = _all(sessions)
    for verb in VERBS:
        cells = [f"{each:.0f}" for taken in (whole.times[verb], whole.busy[verb]) for each in _quantiles(taken)]
        times.append(f"| {verb} | {' | '.join(cells)} | {len(whole.times[verb])} |")
    return "\n".join([head, *rows, "", *times])


def _quantiles(taken: Sequence[float]) -> tuple[float, float]:
    """The median, and the 95th percentile."""
    return statistics.median(taken), sorted(taken)[max(0, -(-95 * len(taken) // 100) - 1)]


def _row(session: Session) -> str:
    held, found = map(statistics.fmean, (session.injected, session.recalled))
    cells = (
        session.name,
        len(session.injected),
        f"{100 * found:.1f}",
        f"{100 * held:.1f}",
        f"{held / found:.2f}",
        f"{session.echoes} of {session.lines}",
        f"{statistics.fmean(session.tokens[1:]):.0f}",
        f"{session.captured} of {session.said}",
    )
    return f"| {' | '.join(map(str, cells))} |"


def _all(sessions: Sequence[Session]) -> Session:
    whole = Session("all")
    for each in sessions:
        for name in ("injected", "recalled", "tokens"):
            getattr(whole, name).extend(getattr(each, name))
        for verb in each.times:
            whole.times.setdefault(verb, []).extend(each.times[verb])
            whole.busy.setdefault(verb, []).extend(each.busy[verb])
        for name in ("echoes", "lines", "captured", "said"):
            setattr(whole, name, getattr(whole, name) + getattr(each, name))
    return whole


if __name__ == "__main__":
    raise SystemExit(main())
