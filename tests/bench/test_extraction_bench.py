from bench.extraction.measuring import measure, rows, turns
from bench.extraction.scripted import KINDS


def test_every_turn_is_read_once_whatever_fails() -> None:
    result = measure(120, every=3)
    assert (result.read, result.marks) == ({1: 120}, {"read": 120})
    assert (result.stored, result.twice, result.wrong_evidence) == (result.expected, 0, 0)
    assert (result.superseded, result.injected) == (result.changes, 0)
    assert (result.calls, result.tokens) == (result.calls_counted, result.tokens_counted)
    assert set(result.failed) >= set(KINDS[:10])
    assert dict(rows(result))["read once"] == "120"


def test_the_turns_are_the_same_in_every_run() -> None:
    assert turns(50) == turns(50)
    assert sum(bool(each.changes) for each in turns(50)) == 4
