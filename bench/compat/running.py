"""Runs a suite or an example in its environment, and reads what came of it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from bench.compat.declaration import PLUGINS, ROOT, Suite
from bench.compat.environment import PLACE, FailedError, environment, source

RESULTS = Path(__file__).parent / "results"
_LONGEST = 900
"""Seconds after which a suite hangs."""
_SHOWN = 160


@dataclass
class Result:
    """What came of a suite: how many tests passed, and each other one with its reason."""

    suite: str
    version: str
    passed: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    """Test -> why it is right to fail; "" if no reason is declared."""
    said: dict[str, str] = field(default_factory=dict)
    """Failed test -> the first line of its error."""
    skipped: dict[str, str] = field(default_factory=dict)
    """Test -> the reason that the owners' own suite gives."""
    left_out: dict[str, str] = field(default_factory=dict)
    """Test -> why it says nothing about our class."""
    seconds: float = 0.0

    @property
    def unexplained(self) -> list[str]:
        """Failures without a declared reason."""
        return [test for test, why in self.failed.items() if not why]

    def save(self) -> None:
        """Write the result where the page is made from; the seconds and errors are of this run alone."""
        kept = {name: value for name, value in asdict(self).items() if name not in ("seconds", "said")}
        text = json.dumps(kept, indent=2, ensure_ascii=False) + "\n"
        (RESULTS / f"{self.suite}.json").write_text(text, encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> Result:
        """Return a saved result."""
        kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return cls(**kept)


def run(suite: Suite) -> Result:
    """Run a suite of the owners on our class. Raises FailedError if it cannot be prepared or collected."""
    start = time.monotonic()
    requires = ("pytest>=8.3", f"{suite.package}=={suite.version}", *suite.requires)
    python = environment(suite.name, suite.extra, requires)
    folder = source(suite) if suite.tests else PLUGINS
    tests = suite.tests or (f"{suite.plugin}.py",)
    report = PLACE / f"{suite.name}.xml"
    report.unlink(missing_ok=True)
    plugins = ("-p", "compat_left_out", *(("-p", suite.plugin) if suite.tests else ()))
    command = [
        *(str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", *plugins, *suite.options),
        *(f"--junit-xml={report}", "-o", "junit_family=xunit1", "--rootdir", str(folder), *tests),
    ]
    done = _call(command, folder, {"COMPAT_LEFT_OUT": json.dumps(dict(suite.left_out))})
    if not report.is_file():
        raise FailedError((done.stdout + done.stderr).strip()[-2000:])
    return _result(suite, report, time.monotonic() - start)


def run_example(extra: str, path: Path) -> str:
    """Run an example in an environment with only its extra. Return what it printed. Raises FailedError."""
    python = environment(f"example-{extra}", extra)
    done = _call([str(python), str(path)], PLACE)
    if done.returncode or not done.stdout.strip():
        raise FailedError((done.stdout + done.stderr).strip()[-2000:] or "printed nothing")
    return done.stdout.strip()


def _call(
    command: list[str], folder: Path, also: Mapping[str, str] = MappingProxyType({})
) -> subprocess.CompletedProcess[str]:
    # No settings of the caller's own store, no audit in the caller's folder, and no telemetry.
    quiet = {"COMBRAY_AUDIT": "false", "ANONYMIZED_TELEMETRY": "False", "HAYSTACK_TELEMETRY_ENABLED": "False"}
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("COMBRAY_", "PYTEST_"))}
    kept |= {
        **quiet,
        **also,
        "PYTHONPATH": os.pathsep.join((str(PLUGINS), str(folder))),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    try:
        return subprocess.run(
            command, cwd=folder, env=kept, capture_output=True, text=True, timeout=_LONGEST, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise FailedError(f"did not end after {_LONGEST} seconds") from error


def _result(suite: Suite, report: Path, seconds: float) -> Result:
    result = Result(suite.name, suite.version, seconds=round(seconds, 1))
    for case in ElementTree.parse(report).iter("testcase"):  # written by our own pytest
        test = "::".join(filter(None, (_classes(case.get("classname", "")), case.get("name", ""))))
        broken = next((each for each in case if each.tag in ("failure", "error")), None)
        skipped = next((each for each in case if each.tag == "skipped"), None)
        if broken is not None:
            result.failed[test] = suite.reason(test, suite.right_to_fail)
            result.said[test] = _first_line(broken)
        elif skipped is None:
            result.passed += 1
        elif why := suite.reason(test, suite.left_out):
            result.left_out[test] = why
        else:
            result.skipped[test] = skipped.get("message", "")
    if not result.passed:
        raise FailedError("no test passed: " + "; ".join(result.said.values())[:1000])
    return result


def _classes(dotted: str) -> str:
    """Return the module's name, and the class where there is one."""
    return "::".join(part for part in dotted.split(".") if part not in ("tests", "test"))


def _first_line(broken: ElementTree.Element) -> str:
    text = (broken.get("message") or broken.text or "").strip()
    return re.sub(r"\s+", " ", text.replace(str(ROOT), "."))[:_SHOWN]
