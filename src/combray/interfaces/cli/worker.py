"""The verbs that keep running: `worker` embeds pending memories, `mcp` serves memory to an agent."""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from combray.errors import MissingExtraError
from combray.interfaces.cli.declared import command
from combray.interfaces.cli.failures import INTERRUPTED, NOTHING_FOUND, say
from combray.interfaces.cli.options import Target
from combray.interfaces.cli.output import answer, for_people, progress, show_lines
from combray.values import is_loopback

if TYPE_CHECKING:
    from combray.conversation.extraction import Extracted
    from combray.embedding.working import Worked
    from combray.engine import Engine

_A_ROUND = 40
"""Turns that are read before the next round of vectors."""


@command(pipelines=True)
def worker(
    target: Target, once: bool, batch: int, everywhere: bool, reembed: bool, retry_failed: bool, drop: str | None
) -> None:
    """Make vectors once or until Ctrl-C."""
    if drop is not None and (once or everywhere or reembed or retry_failed):
        raise click.UsageError("--drop excludes the other options of worker. Give it alone.")
    with target.open() as engine:
        if drop is not None:
            done = engine.vectors.reembed(drop=drop)
            said = f"{done.dropped} vectors of {drop} deleted; {done.memories} memories have {done.model}."
            answer(target, said, **asdict(done))
            return
        if retry_failed:
            for each in _engines(engine, everywhere):
                each.vectors.retry_failed()
        try:
            if once:
                _once(target, engine, batch, everywhere, reembed)
            else:
                _stay(target, engine, batch, everywhere, reembed)
        except KeyboardInterrupt:
            raise click.exceptions.Exit(INTERRUPTED) from None


def _engines(engine: Engine, everywhere: bool) -> list[Engine]:
    return [engine.within(name) for name in engine.store.namespaces()] if everywhere else [engine]


def _queue_all(engine: Engine, everywhere: bool, seen: dict[str, int]) -> None:
    """Queue memories without a vector in namespaces that changed after they were `seen`."""
    for each in _engines(engine, everywhere):
        if seen.get(each.namespace) != each.store.revision():
            each.vectors.reembed()
            seen[each.namespace] = each.store.revision()


def _once(target: Target, engine: Engine, batch: int, everywhere: bool, reembed: bool) -> None:
    if reembed:
        _queue_all(engine, everywhere, {})
    with progress("Embedding", None if everywhere else engine.vectors.pending()) as step:
        worked = engine.vectors.make(batch=batch, everywhere=everywhere, progress=step)
    read = engine.extraction.read(everywhere=everywhere)
    _show(target, worked, read)
    if worked.failed and not worked.embedded:
        raise click.exceptions.Exit(NOTHING_FOUND)


def _stay(target: Target, engine: Engine, batch: int, everywhere: bool, reembed: bool) -> None:
    """Process jobs until interrupted; print a line for each round that did something."""
    from combray.conversation.extraction import Extracted
    from combray.embedding.background import pause_after
    from combray.embedding.working import Worked
    from combray.errors import StoreError

    pause = 0.0
    seen: dict[str, int] = {}
    while True:
        try:
            if reembed:
                # Other processes may have written memories without a vector of this embedder.
                _queue_all(engine, everywhere, seen)
            worked = engine.vectors.make(batch=batch, everywhere=everywhere)
            read = engine.extraction.read(everywhere=everywhere, limit=_A_ROUND)
        except StoreError as error:
            say(str(error))
            worked, read = Worked(failed=1), Extracted()
        if worked.embedded or worked.failed or read.read or read.failed:
            _show(target, worked, read, a_line=True)
        pause = pause_after(worked + Worked(read.read, read.failed), pause)
        time.sleep(pause)


def _show(target: Target, worked: Worked, read: Extracted, *, a_line: bool = False) -> None:
    plain = asdict(worked) | ({"extraction": asdict(read)} if read.calls else {})
    if a_line and not for_people(target):
        click.echo(json.dumps(plain))
        return
    said = [f"{worked.embedded} embedded, {worked.failed} failed, {worked.left} left."]
    if read.calls:
        said.append(f"{read.read} turns read, {len(read.facts)} facts, {read.left} turns left.")
    show_lines(target, plain, said, filter(None, [worked.error, read.error]))


@command(pipelines=True)
def mcp(
    target: Target,
    tools: str,
    http: bool,
    host: str,
    port: int,
    keys: Path | None,
    memory_file: Path | None,
    ask_seconds: float,
    namespaces: tuple[str, ...] | None,
) -> None:
    """Serve until the input ends or the process is stopped."""
    # What the SDK's import makes stays: to look for garbage in it costs a tenth of the start.
    gc.disable()
    try:
        from combray.interfaces.mcp.keys import Keys
        from combray.interfaces.mcp.server import Http, serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types"):
            raise
        raise MissingExtraError("The MCP server", "mcp") from error
    finally:
        gc.enable()
    if memory_file is None and (named := os.environ.get("MEMORY_FILE_PATH")):
        memory_file = Path(named)
    at = None
    if http:
        listed = os.environ.get("COMBRAY_MCP_KEYS", "")
        known = Keys.of_file(keys) if keys else Keys.read(listed, "COMBRAY_MCP_KEYS") if listed else None
        if known is None and not is_loopback(host):
            raise click.UsageError(
                f"--host {host} lets other machines connect. Give --keys FILE or set COMBRAY_MCP_KEYS."
            )
        if known and (namespaces or memory_file):
            raise click.UsageError("With keys, --in and --memory-file do not apply: a key names its namespaces.")
        at = Http(port, host, known)
        say(f"serving MCP on http://{host}:{port}/mcp. Ctrl-C ends it.")
    elif sys.stdin.isatty():
        say("waiting for an MCP client on standard input. An agent normally starts this command. Ctrl-D ends it.")
    engine = target.open(to_write=True, stays=True)
    serve(
        engine,
        namespaces or (),
        profile=tools,
        http=at,
        patience=ask_seconds,
        memory_file=memory_file,
    )
