from pathlib import Path

import pytest

from bench.quality.sets import Collection, Item, QuestionSet
from bench.speed import engine as own
from bench.speed.floors import PlainFTS5, Scan
from bench.speed.gate import passes
from bench.speed.memory import field
from bench.speed.report import page
from bench.speed.stages import copied, stored_texts
from bench.speed.texts import Text, clauses, long_texts, questions, texts
from bench.speed.timing import summarised
from combray.testing.fakes import FakeEmbedder

POOL = [f"the miller of village{n} ground barley{n};" for n in range(120)]


def test_clauses_are_cut_at_punctuation_and_short_ones_left_out() -> None:
    items = (Item("1", "Wind turned the mill, so the flour was fine. Yes. It was."),)
    found = clauses([QuestionSet("s", (Collection("c", items, ()),))])
    assert found == ["Wind turned the mill,", "so the flour was fine."]


def test_texts_are_distinct_and_the_same_for_the_same_seed() -> None:
    made = list(texts(POOL, 3000, seed=5))
    assert len({each.text for each in made}) == 3000
    assert made[:50] == list(texts(POOL, 50, seed=5))


def test_a_few_clauses_are_frequent_and_most_are_rare() -> None:
    made = [each.text for each in texts(POOL, 2000)]
    counts = sorted((sum(clause in text for text in made) for clause in POOL), reverse=True)
    # Zipf with 1/(rank + 10): the first has 130 / 11 = 11.8 times the weight of the last.
    assert counts[0] > 5 * counts[-1] > 0


def test_a_pool_too_small_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot make"):
        next(texts(POOL[:50], 10))


def test_questions_name_the_author_and_words_of_a_stored_text() -> None:
    (asked,) = questions([Text("barley harvest failed near Lisbon", "Wren")], 1)
    topic = asked.removeprefix("What did Wren say about ").rstrip("?").split()
    assert 3 <= len(topic) <= 5
    assert set(topic) <= {"barley", "harvest", "failed", "near", "lisbon"}


def test_the_floors_find_what_they_hold(tmp_path: Path) -> None:
    plain = ["red kiln", "blue kiln", "green bench"]
    keyword = PlainFTS5(tmp_path / "floor.db")
    keyword.add(plain)
    assert keyword.ask("Where is the green one?") == ["green bench"]
    keyword.close()
    scan = Scan(FakeEmbedder())
    scan.add(plain)
    assert scan.ask("green bench")[0] == 2


def test_a_filled_store_is_copied_with_the_files_beside_it(tmp_path: Path) -> None:
    store, folder = tmp_path / "notes.db", tmp_path / "copy"
    folder.mkdir()
    with own.opened(store, "default", "none") as engine:
        engine.remember("The kiln is red.", author="Mara")
        with pytest.raises(ValueError, match="was not closed"):
            copied(store, folder)
    copy = copied(store, folder)
    assert (folder / "combray.db.audit").read_bytes() == Path(f"{store}.audit").read_bytes()
    with own.opened(copy, "default", "none") as engine:
        engine.remember("The bench is green.")
        assert stored_texts(engine)[0] == 2
    with own.opened(store, "default", "none") as engine:
        assert stored_texts(engine) == (1, [Text("The kiln is red.", "Mara")])


def test_percentiles_by_hand() -> None:
    # 1..21: the median is 11, the 95th percentile the 20th of 21 values.
    found = summarised(range(1, 22), [2.0, 1.0, 9.0])
    assert (found.p50, found.p95, found.cpu, found.calls) == (11.0, 20.0, 2.0, 21)
    assert found.p99 == pytest.approx(20.8)


def test_long_messages_have_about_2500_characters_of_one_author() -> None:
    made = texts(POOL, 3000)
    (first, second) = long_texts(made, 2)
    assert all(2500 <= len(each.text) + 1 < 2800 for each in (first, second))
    assert first.text != second.text


def test_proportional_memory_is_read_from_the_kernels_sums() -> None:
    rollup = "55d0-7ffd ---p 00000000 00:00 0 [rollup]\nRss:   51200 kB\nPss:   10240 kB\nPss_Anon: 9000 kB\n"
    assert (field(rollup, "Rss"), field(rollup, "Pss")) == (51200, 10240)


def test_the_gate_measures_again_before_it_fails(capsys: pytest.CaptureFixture[str]) -> None:
    slow = iter([9.0, 9.0, 8.0, 9.0])
    noisy = iter([9.0, 4.0, 5.0, 2.0])
    assert passes(lambda _: 2.0, {"recall": 3.0})
    assert passes(lambda _: next(noisy), {"recall": 3.0})
    assert not passes(lambda _: next(slow), {"recall": 3.0})
    assert "recall: 9.0 times the floor, limit 3.0: too slow" in capsys.readouterr().out


def test_the_page_is_made_of_the_figures() -> None:
    ask = {"p50": 2.0, "p95": 3.0, "p99": 4.0, "cpu": 2.0, "calls": 200}
    rate = {"wall": 1000.0, "cpu": 2000.0}
    result = {
        "size": 1000,
        "asks": {"FTS5": ask | {"cpu": 0.5}, "combray": ask, "combray while written": ask | {"p99": 6.0}},
        "adds": {"FTS5, batches": rate | {"wall": 50_000.0}, "combray, batches": rate},
        "starts": {"combray recall": ask | {"p50": 250.0}},
        "memory": [{"processes": 5, "resident": 300.0, "proportional": 120.0}],
        "reached": 98.0,
        "file": 3.5,
    }
    content = {
        "preset": "default", "embedder": "wordllama", "no_diff": False, "python": "3.11", "machine": "x86_64",
        "cores": 2, "commit": "abc", "date": "2026-01-01", "results": [result],
    }  # fmt: skip
    made = page(content)
    assert "| combray, p50 | 2.00 |" in made
    assert "| CPU p50: combray / FTS5 | 4.00 |" in made
    assert "| while written: p99 / p50 | 3.00 |" in made
    assert "| batches: combray / FTS5 | 0.02 |" in made
    assert "| 5 processes, PSS: shared pages once | 120 |" in made
