"""Counts of requests and of what the store holds for Prometheus, and spans if OpenTelemetry is installed."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from combray.engine import Engine
from combray.types import LIVE_STATUSES

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper bounds of the histogram, in seconds."""
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
METHODS = ("GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS")
"""Methods that are counted one by one. A client may send any other word as one."""
MOST_NAMESPACES = 100
"""Namespaces whose memories are counted one by one."""
Follow = Callable[[str], None]


class Measures:
    """What happened since the start. Used by the event loop's thread only."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._buckets: dict[str, list[int]] = defaultdict(lambda: [0] * (len(BOUNDS) + 1))
        self._seconds: Counter[str] = Counter()

    def add(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one request."""
        self._requests[method if method in METHODS else "other", route, status] += 1
        self._buckets[route][bisect_left(BOUNDS, seconds)] += 1
        self._seconds[route] += seconds  # type: ignore[assignment]

    def lines(self, gauges: dict[str, list[tuple[dict[str, str], float]]]) -> str:
        """Return the whole text. `gauges`: name -> labels and value."""
        found = ["# TYPE combray_requests_total counter"]
        for (method, route, status), count in sorted(self._requests.items()):
            found.append(_line("combray_requests_total", count, method=method, route=route, status=str(status)))
        found.append("# TYPE combray_request_seconds histogram")
        for route in sorted(self._buckets):
            found += self._histogram(route)
        for name, values in gauges.items():
            found.append(f"# TYPE {name} gauge")
            found += [_line(name, value, **labels) for labels, value in values]
        return "\n".join(found) + "\n"

    def _histogram(self, route: str) -> Iterator[str]:
        total = 0
        for bound, count in zip((*map(str, BOUNDS), "+Inf"), self._buckets[route], strict=True):
            total += count
            yield _line("combray_request_seconds_bucket", total, route=route, le=bound)
        yield _line("combray_request_seconds_sum", self._seconds[route], route=route)
        yield _line("combray_request_seconds_count", total, route=route)


def of_store(engine: Engine) -> dict[str, list[tuple[dict[str, str], float]]]:
    """Return live memories and waiting vectors of each namespace."""
    memories: list[tuple[dict[str, str], float]] = []
    waiting: list[tuple[dict[str, str], float]] = []
    for name in engine.store.namespaces()[:MOST_NAMESPACES]:
        reader = engine.runtime.store.reader(name)
        counts: dict[str, Any] = reader.status()["by_status"]
        memories.append(({"namespace": name}, sum(counts.get(each, 0) for each in LIVE_STATUSES)))
        waiting.append(({"namespace": name}, sum(each.waiting + each.failed for each in reader.queue.backlogs())))
    return {"combray_memories": memories, "combray_vectors_waiting": waiting}


def _line(name: str, value: float, **labels: str) -> str:
    shown = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels.items())
    return f"{name}{{{shown}}} {value:g}" if shown else f"{name} {value:g}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


try:
    from opentelemetry import trace
except ModuleNotFoundError:
    _tracer: Any = None
else:
    _tracer = trace.get_tracer("combray")


@contextmanager
def request_span(method: str, route: str) -> Iterator[Callable[[int], None]]:
    """Record a span; call what it gives with the status of the answer."""
    if _tracer is None:
        yield lambda _status: None
        return
    with _tracer.start_as_current_span(f"{method} {route}", kind=trace.SpanKind.SERVER) as span:
        span.set_attribute("http.request.method", method)
        span.set_attribute("http.route", route)
        yield lambda status: span.set_attribute("http.response.status_code", status)


@contextmanager
def stages(follow: Follow) -> Iterator[Follow]:
    """Give a follower that also records each stage as a span within that of the request."""
    if _tracer is None:
        yield follow
        return
    current: Any = None

    def traced(step: str) -> None:
        nonlocal current
        follow(step)
        if current is not None:
            current.end()
        current = _tracer.start_span(step)

    try:
        yield traced
    finally:
        if current is not None:
            current.end()
