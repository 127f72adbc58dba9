"""Killed with SIGKILL while indexing: every file is in the index whole or not at all; the next run goes on."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from notes import make_notes
from tiers import nightly

import combray

CODE = """
import sys, combray
with combray.open(sys.argv[1], embedder="none") as engine:
    print("open", flush=True)
    def told(done, total):
        print(done, flush=True)
        if sys.argv[3] == "waits":
            sys.stdin.read()
    engine.documents.index(sys.argv[2], progress=told)
print("done", flush=True)
"""


@pytest.mark.parametrize("count", [60, *nightly([200], "more files")])
def test_a_killed_index_is_whole_and_goes_on(tmp_path: Path, count: int) -> None:
    root, store = tmp_path / "notes", str(tmp_path / "a.db")
    make_notes(root, count)
    cut = 0
    # The first is killed in the middle, the others at any moment.
    for delay, waits in ((0.0, True), (0.0, False), (0.05, False), (0.12, False)):
        command = [sys.executable, "-c", CODE, store, str(root), "waits" if waits else "goes on"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == "open\n"
            assert not waits or child.stdout.readline()
            time.sleep(delay)
            child.send_signal(signal.SIGKILL)
            cut += "done" not in child.stdout.read()
        with closing(combray.open(store, embedder="none")) as engine:
            documents = engine.reader.documents
            files = documents.files(str(root))
            for each in files:
                text = (root / each.path).read_text(encoding="utf-8-sig").splitlines()
                keys = [key for key, _ in documents.chunks(str(root), each.path)]
                last = engine.reader.memories(keys)[-1]
                assert last.metadata["end_line"] == len(text), "a file is in the index to its end"
            assert engine.store.status()["total_insights"] == documents.chunk_count(str(root))
            assert engine.runtime.store.check() == []
    assert cut
    with closing(combray.open(store, embedder="none")) as engine:
        before = len(engine.reader.documents.files(str(root)))
        report = engine.documents.index(root)
        assert (report.files, report.added) == (count, count - before)
