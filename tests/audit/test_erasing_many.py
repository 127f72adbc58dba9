"""Many memories are erased in one transaction and proved with one certificate, in one pass over the files."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import combray
from combray.audit.entry import MOST_IDS
from combray.language.substrings import occurring
from combray.runtime import Filter

ROOT = Path(__file__).parents[2]
SYLLABLES = [consonant + vowel for consonant in "bdklmnrst" for vowel in "aeiou"]


def test_many_strings_are_found_as_one_by_one() -> None:
    rng = random.Random(7)
    block = bytes(rng.choices(b"abcdef \xff", k=60_000))
    wanted = [block[at : at + rng.randint(1, 40)] for at in rng.sample(range(60_000), 400)]
    wanted += [bytes(rng.choices(b"abcdef \xff", k=rng.randint(1, 40))) for _ in range(800)]
    parts = [block[:20_000], block[19_950:19_990], b"", block[19_950:]]
    expected = {at for at, value in enumerate(wanted) if any(value in part for part in parts)}
    assert occurring(wanted, parts) == expected


def test_hundreds_of_memories_leave_nothing_and_the_file_is_rewritten_once(tmp_path: Path) -> None:
    rng = random.Random(3)
    texts = ["".join(rng.choices(SYLLABLES, k=4)) + " " + " ".join(
        "".join(rng.choices(SYLLABLES, k=2)) for _ in range(12)
    ) for _ in range(1500)]  # fmt: skip
    with combray.open(tmp_path / "a.db", embedder="none") as engine:
        engine.remember_many(texts, diff=False)
        store = engine.runtime.store
        keys = store.reader("default").scan(Filter()).tolist()
        gone = rng.sample(keys, 500)
        contents = store.reader("default").contents(gone)
        ids = [memory.id for memory in store.reader("default").memories(gone)]
        for kept in [key for key in keys if key not in gone][:3]:
            with store.transaction("default") as tx:
                tx.change(kept, "edit", "t", 1.0, metadata={"see": ids[:2]}, evidence=tuple(ids[:2]))
                tx.change(kept, "edit", "t", 1.0, metadata={}, evidence=(*ids[:2], "kept"))
        statements: list[str] = []
        store._writer.set_trace_callback(statements.append)  # type: ignore[attr-defined]
        certificate = engine.erase(ids, prove=True).certificate
        store._writer.set_trace_callback(None)  # type: ignore[attr-defined]
        assert statements.count("VACUUM") == 1
        assert statements.count("COMMIT") <= 3
        assert certificate is not None
        assert certificate.clean, (certificate.left, certificate.rows)
        assert sorted(certificate.ids) == sorted(ids)
        assert certificate.looked_for["id"] == certificate.looked_for["hash"] == 500
        assert certificate.looked_for["text"] > 500
        assert certificate.looked_for["word"] > 500
        left = store.reader("default")
        assert len(left.scan(Filter(statuses=(), trusts=()))) == 1000
        assert {memory.evidence for memory in left.memories(keys)} == {(), ("kept",)}
        held = (tmp_path / "a.db").read_bytes() + (tmp_path / "a.db-wal").read_bytes()
        assert not any(text.encode() in held for text in contents)
        assert not any(memory_id.encode() in held for memory_id in ids)
        assert store.check() == []


def test_a_word_that_two_touching_columns_spell_is_not_a_trace(tmp_path: Path) -> None:
    with combray.open(tmp_path / "a.db", embedder="none") as engine:
        kept = [each.id for each in engine.remember_many([f"monetary note {n}" for n in range(150)], diff=False)]
        # In the file the end of an id touches the text behind it.
        end = next(each[-2:] for each in kept if each[-2:].isalpha())
        gone = engine.remember(f"The {end}monet is in the blue shed").id
        certificate = engine.erase(gone, prove=True)
    assert certificate is not None
    assert certificate.left == ()


def test_the_certificate_names_every_id_and_its_entry_the_first_hundred(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMBRAY_AUDIT", "1")
    with combray.open(tmp_path / "a.db", embedder="none") as engine:
        done = engine.remember_many([f"Film {at} was shown in hall {at}" for at in range(150)], diff=False)
        ids = tuple(each.id for each in done)
        certificate = engine.erase(list(ids), prove=True).certificate
        assert certificate is not None
        assert certificate.ids == ids
        assert tuple(certificate.as_json()["ids"]) == ids
        (entry,) = engine.audit.certificates(ids[0])
        assert (entry.seq, entry.ids) == (certificate.seq, ids[:MOST_IDS])
        assert engine.audit.certificates(ids[MOST_IDS - 1]) == [entry]
        assert engine.audit.certificates(ids[MOST_IDS]) == []
    page = (ROOT / "docs" / "explanation" / "audit.md").read_text(encoding="utf-8")
    assert f"at most {MOST_IDS} ids" in page
    assert "names every erased id" in page
