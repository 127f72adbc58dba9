"""What users met: `python -m bench.cases FILE… [--src SRC]` tries each case on a source tree.

A FILE has one case a line (bench/cases/README.md). For each kind the share that holds is printed, cases with odd
numbers, which the builders may read, beside the even ones, which they may not. `--show` names the odd ones that
fail, and why.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

Case = Mapping[str, Any]
START = datetime(2026, 5, 4, 9, tzinfo=UTC)
STEP = timedelta(days=3)
"""Between two texts whose moment a case leaves open."""
TURNS_OF = (8, 9, 10)
"""Kinds about transcripts: files are ingested."""
SHOWN = 7
"""The kind about what is shown of a long memory, over MCP."""


def main(arguments: list[str] | None = None) -> int:
    """Try the cases and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.cases", description=__doc__)
    parser.add_argument("file", type=Path, nargs="+")
    parser.add_argument("--src", type=Path, help="folder that holds the package combray; default: this one")
    parser.add_argument("--show", action="store_true", help="name the odd cases that fail")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.one:
        for case in _cases(options.file):
            sys.stdout.write(json.dumps({"case": case, "failed": tried(case)}) + "\n")
            sys.stdout.flush()
        return 0
    found: dict[int, dict[bool, list[bool]]] = defaultdict(lambda: {True: [], False: []})
    for line in _child(options.file, options.src):
        case, failed = line["case"], line["failed"]
        odd = int(case["id"].rpartition("-")[2]) % 2 == 1
        found[case["kind"]][odd].append(not failed)
        if options.show and odd and failed:
            sys.stderr.write(f"{case['id']} ({case['why']}): {'; '.join(failed)}\n")
    sys.stdout.write("| kind | read | unread |\n| --: | --: | --: |\n")
    for kind, halves in sorted(found.items()):
        read, unread = (f"{sum(half)} of {len(half)}" for half in (halves[True], halves[False]))
        sys.stdout.write(f"| {kind} | {read} | {unread} |\n")
    return 0


def _cases(files: Iterable[Path]) -> Iterable[Case]:
    for file in files:
        yield from map(json.loads, file.read_text(encoding="utf-8").splitlines())


def _child(files: Iterable[Path], src: Path | None) -> Iterable[dict[str, Any]]:
    environment = dict(os.environ)
    if src:
        environment["PYTHONPATH"] = os.pathsep.join((str(src.absolute()), str(Path.cwd())))
    command = [sys.executable, "-m", "bench.cases", "--one", *map(str, files)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True) as process:
        yield from map(json.loads, process.stdout or ())


def tried(case: Case) -> list[str]:
    """Return what of a case does not hold; nothing if all does."""
    os.environ["TZ"] = case.get("timezone") or "Etc/UTC"
    time.tzset()
    try:
        with tempfile.TemporaryDirectory() as folder:
            if case["kind"] in TURNS_OF:
                return _ingested(case, Path(folder))
            return _shown(case, Path(folder)) if case["kind"] == SHOWN else _asked(case)
    except Exception as error:  # noqa: BLE001 - a case that raises fails; the others go on
        return [repr(error)]


# -- in the library ------------------------------------------------------------------------------------


def _asked(case: Case) -> list[str]:
    import combray

    clock = [START]
    want = case["want"]
    with combray.open(":memory:", worker=False, clock=lambda: clock[0].timestamp()) as engine:
        ids: list[str] = []
        proposed: list[list[int]] = []
        for text in case["store"]:
            given: dict[str, Any] = {"text": text} if isinstance(text, str) else text
            if "at" in given:
                clock[0] = datetime.fromisoformat(given["at"])
            fields: dict[str, Any] = {
                key: given[key] for key in ("expires_at", "valid_from", "valid_to") if key in given
            }
            if case["kind"] == 4:  # auto-memory
                before = {each.id for each in engine.list({"kind": "fact"}, limit=100)}
                engine.conversation(f"s{len(ids)}").add(given["text"], author="user", extract="rules")
                facts = [each.id for each in engine.list({"kind": "fact"}, limit=100) if each.id not in before]
                ids.append(facts[0] if facts else "")
            else:
                done = engine.remember(given["text"], author="user", **fields)
                ids.append(done.id)
                proposed += [[len(ids) - 1, ids.index(each.id)] for each in done.may_revise if each.id in ids]
            clock[0] += STEP if "at" not in given else timedelta()
        if case.get("now"):
            clock[0] = datetime.fromisoformat(case["now"])
        failed = []
        if "stored" in want and (size := engine.list(limit=100).total) != want["stored"]:
            failed.append(f"{size} stored")
        if "proposed" in want and sorted(proposed) != sorted(want["proposed"]):
            failed.append(f"proposed {proposed}")
        if "fact" in want and bool(ids[-1]) is not want["fact"]:
            failed.append("no fact" if want["fact"] else "a fact")
        if case.get("ask"):
            kinds = ("fact",) if case["kind"] == 4 else ()
            answer = engine.recall(case["ask"], limit=10, kinds=kinds)
            failed += _compared(want, [(hit.memory.id, _marked(hit)) for hit in answer], ids)
    return failed


def _marked(hit: Any) -> bool:
    return bool(hit.may_be_outdated_by or hit.outdated_by)


def _compared(want: Mapping[str, Any], hits: list[tuple[str, bool]], ids: list[str]) -> list[str]:
    """Return what of an answer is not as wanted. A memory is meant by its place among those stored."""
    got = [ids.index(each) for each, _ in hits if each in ids]
    marked = sorted(ids.index(each) for each, is_marked in hits if is_marked and each in ids)
    failed = []
    # What was superseded and so is not shown is as good as marked.
    if "marked" in want and not (set(want["marked"]) <= {*marked, *set(range(len(ids))) - set(got)}):
        failed.append(f"marked {marked}, hits {got}")
    if "marked" in want and set(marked) - set(want["marked"]):
        failed.append(f"marked {marked}")
    if "first" in want and got[:1] != [want["first"]]:
        failed.append(f"hits {got}")
    if "in_three" in want and not set(want["in_three"]) <= set(got[: max(3, len(want["in_three"]))]):
        failed.append(f"hits {got}")
    if "only" in want and sorted(got) != sorted(want["only"]):
        failed.append(f"hits {got}")
    if want.get("empty") and got:
        failed.append(f"hits {got}")
    return failed


# -- over MCP and the shell ----------------------------------------------------------------------------


def _run(*arguments: str, home: Path, sent: str = "") -> str:
    environment = {**os.environ, "COMBRAY_HOME": str(home), "HOME": str(home)}
    command = [sys.executable, "-m", "combray", *arguments]
    done = subprocess.run(command, input=sent, env=environment, capture_output=True, text=True, check=False)
    return done.stdout


def _shown(case: Case, home: Path) -> list[str]:
    from anyio.from_thread import start_blocking_portal
    from mcp import Client, StdioServerParameters

    import combray

    db = str(home / "a.db")
    with combray.open(db, worker=False) as engine:
        for text in case["store"]:
            engine.remember(text, author="user")
    variables = {"COMBRAY_HOME": str(home), "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "combray", "mcp", "--db", db], env=variables
    )
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(Client(server)) as client:
        answer = portal.call(client.call_tool, "recall", {"query": case["ask"]})
    said = " ".join(getattr(each, "text", "") for each in answer.content)
    return [] if case["want"]["shown"] in said else ["the answer is not shown"]


def _ingested(case: Case, home: Path) -> list[str]:
    import combray

    db = str(home / "a.db")
    printed = ""
    with combray.open(db, worker=False) as engine:
        for text in case["store"]:
            engine.remember(text, author="user")
        before = engine.list(limit=500).total
    if any("{{HOOK}}" in json.dumps(each) for each in case["files"]):
        event = {
            "session_id": "s",
            "prompt": case["ask"],
            "cwd": str(home),
            "hook_event_name": "UserPromptSubmit",
        }
        printed = _run("hook", "prompt", "--db", db, home=home, sent=json.dumps(event))
        try:
            printed = json.loads(printed)["hookSpecificOutput"]["additionalContext"]
        except (ValueError, KeyError, TypeError):
            printed = printed.strip("\n")
    for file in case["files"]:
        path = home / file["name"]
        rows = [json.dumps(row).replace("{{HOOK}}", json.dumps(printed)[1:-1]) for row in file["rows"]]
        path.write_text("\n".join(rows) + "\n", encoding="utf-8")
        _run("ingest", str(path), "--db", db, "--no-auto", home=home)
    with combray.open(db, worker=False) as engine:
        listed = engine.list({"kind": "episode"}, limit=500)
        contents = [each.content.replace("\r\n", "\n") for each in listed]
        added = engine.list(limit=500).total - before
    failed = [] if added == case["want"]["turns"] else [f"{added} turns"]
    missing = [each for each in case["want"].get("contents", ()) if each not in contents]
    return [*failed, *(f"not there: {each!r} among {contents}" for each in missing)]


if __name__ == "__main__":
    sys.exit(main())
