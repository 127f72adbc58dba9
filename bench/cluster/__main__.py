"""Namespaces on 1, 2 and 4 PostgreSQL servers: `python -m bench.cluster [--servers 1 2 4] [--seconds 20]`.

The servers share nothing: each has a part of the namespaces, and an address says which. Servers of their own in
temporary folders, with the disk's flushes on. Clients are processes of this machine, so that they and the servers
share its cores: beside calls a second it reports processor time a call, of clients and of servers.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections.abc import Sequence

import numpy as np

import combray
from bench.cluster import events
from bench.cluster.load import Part, Told, asking, processor, writing
from bench.speed.engine import items
from bench.speed.texts import Text, clauses, questions, sources, texts
from combray.testing.postgres import Server

NAMESPACES, STORED, CLIENTS = 8, 250, 4
SETTINGS = {"shared_buffers": "64MB"}
HEAD = (
    "| servers | calls | calls/s | p50, ms | p99, ms | CPU of clients, ms a call | CPU of servers, ms a call | "
    "of the busiest server |"
)


def measure(count: int, seconds: float, every: Sequence[Text]) -> list[str]:
    """Return the lines of writes and recalls with `count` servers."""
    servers = [Server(durable=True, settings=SETTINGS) for _ in range(count)]
    try:
        wanted = questions(list(every[:STORED]), 200)
        parts = []
        for place in range(NAMESPACES):
            url, namespace = servers[place % count].url(), f"space {place}"
            with combray.open(url, namespace=namespace, worker=False) as engine:
                engine.remember_many(items(every[:STORED], 0), batch=STORED, diff=False)
            own = every[STORED * (1 + place) : STORED * (2 + place)]
            parts.append(Part(url, namespace, [each.text for each in own], wanted))
        lines = []
        for name, call in (("remember", writing), ("recall", asking)):
            before = [processor(server) for server in servers]
            with multiprocessing.get_context("spawn").Pool(CLIENTS) as pool:
                shares = [(parts[client::CLIENTS], seconds) for client in range(CLIENTS)]
                told: list[Told] = pool.starmap(call, shares)
                spent = [processor(server) - past for server, past in zip(servers, before, strict=True)]
            times = np.array([each for one in told for each in one.times])
            p50, p99 = np.percentile(times * 1000, [50, 99])
            clients = sum(one.processor for one in told) * 1000 / len(times)
            rate = sum(len(one.times) / one.seconds for one in told)
            own_time = [each * 1000 / len(times) for each in spent]
            figures = f"{rate:.0f} | {p50:.0f} | {p99:.0f} | {clients:.1f}"
            lines.append(f"| {count} | `{name}` | {figures} | {sum(own_time):.1f} | {max(own_time):.1f} |")
        return lines
    finally:
        for server in servers:
            server.stop()


def main(arguments: list[str] | None = None) -> int:
    """Measure, and print the tables of the page."""
    parser = argparse.ArgumentParser(prog="python -m bench.cluster", description=__doc__)
    parser.add_argument("--servers", type=int, nargs="*", default=[1, 2, 4])
    parser.add_argument("--seconds", type=float, default=20.0)
    options = parser.parse_args(arguments)
    every = list(texts(clauses(sources(None)), STORED * (NAMESPACES + 1)))
    print(f"{HEAD}\n{'|---' * 8}|")
    for count in options.servers:
        print("\n".join(measure(count, options.seconds, every)), flush=True)
    print("\n" + "\n".join(events.killed(4, options.seconds)), flush=True)
    print("\n" + "\n".join(events.moved()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
