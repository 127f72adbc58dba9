"""A shell call ends at once, unless somebody waits for the interpreter to be taken apart."""

from __future__ import annotations

import subprocess
import sys

import pytest

from combray.interfaces.cli import main

CALL = (
    "import atexit, sys, threading\n"
    "from combray.interfaces.cli import main\n"
    "sys.argv = ['combray', {arguments!r}]\n"
    "atexit.register(print, 'registered')\n"
    "{before}\n"
    "try: main()\n"
    "except SystemExit: print('usual end')\n"
)


def said(arguments: str, before: str = "") -> tuple[list[str], int]:
    """Return the lines that a call prints, and its exit code."""
    code = CALL.format(arguments=arguments, before=before)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=180, check=False)
    return done.stdout.splitlines(), done.returncode


def test_what_was_registered_for_the_end_runs_and_all_is_printed() -> None:
    lines, code = said("--version")
    assert lines[0].startswith("combray ")
    assert lines[1:] == ["registered"]
    assert code == 0


def test_the_exit_code_is_that_of_the_verb() -> None:
    assert said("nosuchverb") == (["registered"], 2)


@pytest.mark.parametrize(
    "before",
    [
        "sys.settrace(lambda *_: None)",
        "sys.setprofile(lambda *_: None)",
        # It still runs when the verb has ended, however slow that was.
        "threading.Thread(target=lambda: (threading.main_thread().join(), print('late'))).start()",
    ],
)
def test_debuggers_profilers_and_threads_get_the_usual_end(before: str) -> None:
    lines, _ = said("--version", before)
    assert "usual end" in lines
    assert lines[-1] == "registered"
    assert ("late" in lines) is ("Thread" in before)


def test_a_caller_in_the_same_process_gets_an_exception() -> None:
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0
