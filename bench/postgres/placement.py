"""Where tenants go when memories fill several servers: `python -m bench.postgres.placement [--inputs FILE]`.

Tenants have Zipf sizes. Two ways to place them are compared: consistent hashing of the name, and a directory
that puts each tenant on the emptiest server. A queueing simulation with service times that were measured gives
the waiting. Nothing here is measured but the inputs, which `python -m bench.postgres` writes.
"""

from __future__ import annotations

import argparse
import heapq
import json
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
INPUTS = Path(__file__).parents[1] / "results" / "postgres-inputs.json"
ROW = "| " + " | ".join(["{}"] * 9) + " |\n"
VIRTUAL = 128
"""Places of a server on the ring of consistent hashing."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """What was measured, at `memories` memories."""

    memories: int
    bytes_on_disk: float
    """Of one memory with its terms, edges, labels, vector and their indexes."""
    bytes_in_process: float
    """Of one memory in the process that serves its namespace."""
    copied_each_second: float
    """Memories that one process copies to another server."""
    cold_seconds: float
    """The first recall of a namespace of `memories` memories."""
    recalls: tuple[float, ...]
    """Seconds of processor time of single recalls."""

    @classmethod
    def read(cls, path: Path) -> Inputs:
        """Read what `python -m bench.postgres` has written."""
        made = json.loads(path.read_text(encoding="utf-8"))
        return cls(**{**made, "recalls": tuple(made["recalls"])})


def sizes(tenants: int, memories: int, exponent: float) -> Numbers:
    """Zipf sizes that add up to `memories`, the largest first, at least one memory each."""
    weights = np.arange(1, tenants + 1, dtype=np.float64) ** -exponent
    found: Numbers = np.maximum(1.0, np.floor(weights / weights.sum() * memories))
    return found


def hashed(tenants: int, servers: int, seed: int = 1) -> NDArray[np.int64]:
    """The server of each tenant by consistent hashing; a server's points do not depend on how many there are."""
    points = np.concatenate([np.random.default_rng([seed, each]).random(VIRTUAL) for each in range(servers)])
    owners = np.repeat(np.arange(servers), VIRTUAL)
    order = np.argsort(points)
    places = np.random.default_rng([seed, 10**6]).random(tenants)
    found: NDArray[np.int64] = owners[order][np.searchsorted(points[order], places) % len(points)]
    return found


def listed(load: Numbers, servers: int) -> NDArray[np.int64]:
    """The server of each tenant by a directory: the largest first, each to the server with the least load."""
    heap = [(0.0, server) for server in range(servers)]
    found = np.zeros(len(load), dtype=np.int64)
    for tenant in np.argsort(-load, kind="stable"):
        held, server = heapq.heappop(heap)
        found[tenant] = server
        heapq.heappush(heap, (held + float(load[tenant]), server))
    return found


def grown(owners: NDArray[np.int64], load: Numbers, servers: int) -> NDArray[np.int64]:
    """Add one server to a directory: it takes tenants from the fullest until it has its share."""
    after = owners.copy()
    held = np.bincount(owners, load, minlength=servers + 1)
    share = load.sum() / (servers + 1)
    for tenant in np.argsort(-load, kind="stable"):
        fits = held[servers] + load[tenant] <= share
        if fits and held[after[tenant]] - load[tenant] >= share * 0.98:
            held[after[tenant]] -= load[tenant]
            held[servers] += load[tenant]
            after[tenant] = servers
    return after


def waits(rate: float, cores: int, service: Numbers, arrivals: int = 100_000) -> tuple[float, float]:
    """p50 and p99 of the seconds that a recall takes on a server with so many recalls a second.

    Arrivals are a Poisson process; each waits for the first free core.
    """
    random = np.random.default_rng(7)
    at = np.cumsum(random.exponential(1 / rate, arrivals))
    needs = random.choice(service, arrivals)
    free = [0.0] * cores
    spent = np.zeros(arrivals)
    for place in range(arrivals):
        start = max(at[place], heapq.heappop(free))
        heapq.heappush(free, start + needs[place])
        spent[place] = start + needs[place] - at[place]
    # The first tenth fills the queue.
    p50, p99 = np.percentile(spent[arrivals // 10 :], [50, 99])
    return float(p50), float(p99)


def warm_share(size: Numbers, rate: Numbers, bytes_each: float, room: float) -> tuple[float, int]:
    """The share of recalls whose namespace is in memory, if the busiest per byte are; and how many are."""
    order = np.argsort(-rate / size, kind="stable")
    fits = np.cumsum(size[order]) * bytes_each <= room
    return float(rate[order][fits].sum() / rate.sum()), int(fits.sum())


def main(arguments: list[str] | None = None) -> int:
    """Print the tables of the page."""
    parser = argparse.ArgumentParser(prog="python -m bench.postgres.placement", description=__doc__)
    parser.add_argument("--inputs", type=Path, default=INPUTS)
    parser.add_argument("--memories", type=int, default=10**9)
    parser.add_argument("--tenants", type=int, default=10**6)
    parser.add_argument("--exponents", type=float, nargs="+", default=[0.6, 0.8, 1.0])
    parser.add_argument("--servers", type=int, nargs="+", default=[8, 16, 32])
    parser.add_argument("--cores", type=int, default=16)
    parser.add_argument("--recalls", type=float, default=2000.0, help="recalls a second of all tenants")
    parser.add_argument("--memory", type=float, default=64.0, help="GB of cache beside each server")
    given = parser.parse_args(arguments)
    inputs = Inputs.read(given.inputs)
    service = np.array(inputs.recalls)
    write = sys.stdout.write
    titles = ("zipf", "servers", "placed by", "fullest / mean", "TB on it", "busiest / mean")
    write(ROW.format(*titles, "p50, p99 ms", "warm", "moved by one more"))
    write("|" + "---|" * 9 + "\n")
    for exponent in given.exponents:
        size = sizes(given.tenants, given.memories, exponent)
        # A tenant with more memories asks more, but less than in proportion: assumed, not measured.
        rate = np.sqrt(size)
        rate *= given.recalls / rate.sum()
        for servers in given.servers:
            ring, directory = hashed(given.tenants, servers), listed(size, servers)
            ways = (
                ("hash", ring, hashed(given.tenants, servers + 1)),
                ("directory", directory, grown(directory, size, servers)),
            )
            for name, owners, after in ways:
                held = np.bincount(owners, size, minlength=servers)
                asked = np.bincount(owners, rate, minlength=servers)
                busiest = int(asked.argmax())
                p50, p99 = waits(float(asked[busiest]), given.cores, service)
                mine = owners == busiest
                room = given.memory * 1e9
                warm, _ = warm_share(size[mine], rate[mine], inputs.bytes_in_process, room)
                moved = float(size[owners != after].sum())
                hours = moved / inputs.copied_each_second / 16 / 3600
                write(ROW.format(
                    exponent, servers, name, f"{held.max() / held.mean():.2f}",
                    f"{held.max() * inputs.bytes_on_disk / 1e12:.2f}", f"{asked.max() / asked.mean():.2f}",
                    f"{p50 * 1000:.0f}, {p99 * 1000:.0f}", f"{warm:.2f}",
                    f"{moved / size.sum():.3f}, {hours:.0f} h",
                ))  # fmt: skip
                sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
