"""The engine that sees branches: Atheris (libFuzzer), in a process of its own that a crash may take with it.

It is no dependency of Combray: `pip install atheris` in an environment of your own beside the project.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from bench.fuzz.judging import Judge
from bench.fuzz.target import Target

_STATE = re.compile(r"#(\d+)\s+(\w+)\s+cov: (\d+) ft: (\d+)(?: corp: (\d+))?.*?rss: (\d+)Mb")
_HANG = 60
"""Seconds after which one input counts as a hang, on a busy machine and with instrumented code."""
_MOST_MEGABYTES = 2048


@dataclass(frozen=True)
class Ran:
    """What a run did. `coverage` is of edges, at the start (seeds read) and at the end; memory in MB."""

    executions: int
    coverage: tuple[int, int]
    corpus: int
    memory: int
    crashed: str = ""


def available() -> bool:
    """Whether Atheris is installed here."""
    return importlib.util.find_spec("atheris") is not None


def run(target: Target, seconds: int, folder: Path, seed: int) -> Ran:
    """Fuzz in a child process, and read what it says of itself."""
    corpus = folder / "corpus"
    corpus.mkdir(exist_ok=True)
    for number, each in enumerate(target.seeds()):
        (corpus / f"seed-{number}").write_bytes(each)
    options = {
        "max_total_time": seconds,
        "max_len": target.longest,
        "timeout": _HANG,
        "rss_limit_mb": _MOST_MEGABYTES,
        "seed": seed or 1,
        "artifact_prefix": f"{folder}/stopped-by-",
        "print_final_stats": 1,
    }
    listed = [f"-{name}={value}" for name, value in options.items()]
    done = subprocess.run(
        [sys.executable, "-m", "bench.fuzz.guided", target.name, str(folder), *listed, str(corpus)],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    (folder / "log.txt").write_text(done.stderr, encoding="utf-8")
    return read(done.stderr, done.returncode)


def read(log: str, code: int) -> Ran:
    """The figures of libFuzzer's log."""
    states = _STATE.findall(log)
    began = next((int(cov) for _, kind, cov, *_ in states if kind == "INITED"), 0)
    last = states[-1] if states else ("0", "", "0", "0", "0", "0")
    stopped = re.findall(r"(?:ERROR: libFuzzer: |==ERROR: )(.*)", log)
    crashed = (stopped[0] if stopped else f"exit code {code}: {log[-500:]}") if code else ""
    return Ran(int(last[0]), (began, int(last[2])), int(last[4] or 0), int(last[5]), crashed)


def _import_all(packages: Iterable[str]) -> None:
    """Every module now: what is imported later would be blind."""
    for package in packages:
        module = importlib.import_module(package)
        for found in pkgutil.walk_packages(getattr(module, "__path__", []), f"{package}."):
            importlib.import_module(found.name)


def _main() -> None:
    import atheris

    name, folder, *options = sys.argv[1:]
    packages = options_of(name)
    with atheris.instrument_imports(include=list(packages)):
        _import_all(packages)
    from bench.fuzz.targets import TARGETS

    target = TARGETS[name]
    work = Path(folder) / "work"
    # What an earlier run left is no empty folder.
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    judge = Judge(target, target.open(work), Path(folder))
    atheris.Setup([sys.argv[0], *options], judge)
    atheris.Fuzz()


def options_of(name: str) -> tuple[str, ...]:
    """The packages to instrument, asked of another process: here nothing of them may be imported yet."""
    code = f"from bench.fuzz.targets import TARGETS; print(*TARGETS[{name!r}].instrumented)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return tuple(said.stdout.split())


if __name__ == "__main__":
    _main()
