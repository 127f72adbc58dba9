"""Spans for requests and stages, if OpenTelemetry is installed. Without it nothing is recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

try:
    from opentelemetry import trace
except ModuleNotFoundError:
    _tracer: Any = None
else:
    _tracer = trace.get_tracer("combray")

Follow = Callable[[str], None]


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
