"""The report of an import into a server, which says of the file what a local import says."""

from __future__ import annotations

from collections.abc import Iterator

from combray.records import replace
from combray.transfer.parser import ImportReport, Parsed, Problem, left_of


def completed(report: ImportReport, parsed: Parsed) -> ImportReport:
    """Return the server's report with what was found while the file was read, and with the file's places."""
    problems = (*parsed.problems, *_placed(report, parsed))
    return replace(report, shape=parsed.shape, problems=problems, left=left_of(parsed.left))


def _placed(report: ImportReport, parsed: Parsed) -> Iterator[Problem]:
    """Yield the server's problems. Those of entries that could not be read are known already."""
    before = 2 if parsed.shape == "combray" else 1
    for each in report.problems:
        at = each.line - before
        if not each.line or not 0 <= at < len(parsed.entries):
            yield each
        elif not parsed.entries[at].broken:
            entry = parsed.entries[at]
            yield replace(each, line=entry.line, item=entry.item)
