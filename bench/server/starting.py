"""Seconds from the start of `combray serve` to `/ready` on a store: `python -m bench.server.starting STORE`."""

from __future__ import annotations

import argparse
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from bench.server.__main__ import PORT, processor

REQUEST = f"GET {{}} HTTP/1.1\r\nHost: 127.0.0.1:{PORT}\r\nConnection: close\r\n\r\n"


def answered(path: str) -> bool:
    """Whether the server answers 200. A library for HTTP would take longer than the answer."""
    try:
        with socket.create_connection(("127.0.0.1", PORT)) as connection:
            connection.sendall(REQUEST.format(path).encode())
            return b" 200 " in connection.recv(64)
    except OSError:
        return False


def start(store: Path) -> tuple[float, float]:
    """Wall and processor seconds until the server is ready."""
    started = time.perf_counter()
    program = [sys.executable, "-m", "combray", "serve", "--db", str(store), "--port", str(PORT)]
    with subprocess.Popen(program, stderr=subprocess.DEVNULL) as server:
        try:
            while not answered("/ready"):
                time.sleep(0.005)
            return time.perf_counter() - started, processor(server.pid)
        finally:
            server.terminate()


def main() -> None:
    """Print the medians and the slowest."""
    parser = argparse.ArgumentParser()
    parser.add_argument("store", type=Path)
    parser.add_argument("--times", type=int, default=10)
    given = parser.parse_args()
    found = np.array([start(given.store) for _ in range(given.times)])
    wall, cpu = np.median(found, axis=0)
    slowest = found[:, 0].max()
    sys.stdout.write(f"wall {wall:.2f} s (slowest {slowest:.2f}), processor {cpu:.2f} s\n")


if __name__ == "__main__":
    main()
