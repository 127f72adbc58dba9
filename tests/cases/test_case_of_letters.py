"""Texts that differ only in the case of letters are two texts (omega-memory/omega-memory#73).

Case carries the value in units, identifiers, file names and codes. It carries none in the first word of a
sentence, and in a text that is all in capitals.
"""

from __future__ import annotations

from contextlib import closing
from datetime import timedelta
from io import StringIO
from pathlib import Path

import msgspec
import psycopg
import pytest
from emptied import Emptied

import combray
from combray.language.indexing import content_hash
from combray.stores.sqlite.store import SqliteStore

GIVEN = [
    ("The station delivers 5 MW.", "The station delivers 5 mW."),
    ("The uplink is 100 MB/s.", "The uplink is 100 Mb/s."),
    ("The variable is called Total.", "The variable is called total."),
    ("The file is README.md.", "The file is readme.md."),
    ("The part number is 7aB.", "The part number is 7Ab."),
]
FURTHER = [
    ("The charger gives 20 mAh.", "The charger gives 20 MAh."),
    ("The branch to release from is Main.", "The branch to release from is main."),
    ("My locker code is xK9.", "My locker code is Xk9."),
    ("Set the flag -v for the build.", "Set the flag -V for the build."),
    ("The class is HttpClient in the new module.", "The class is HTTPClient in the new module."),
    ("Der Ordner heißt Berichte/Neu.", "Der Ordner heißt berichte/neu."),
    ("Die Probe hat 3 mg Eisen.", "Die Probe hat 3 Mg Eisen."),
    ("Die Maße sind falsch.", "Die Masse sind falsch."),
    ("La variable se llama Suma.", "La variable se llama suma."),
    ("服务器的密码是 aB3。", "服务器的密码是 Ab3。"),
    ("变量叫 Count。", "变量叫 count。"),
    ("Config.yaml is the file that counts.", "config.yaml is the file that counts."),
    ("mW is what the meter shows.", "MW is what the meter shows."),
]
SAME = [
    ("Polish the silver", "polish the silver"),
    ("I like tea.", "i like tea."),
    ("Das Paket ist da. Die Rechnung fehlt.", "das Paket ist da. die Rechnung fehlt."),
    ("- Buy oat milk", "- buy oat milk"),
    ("¿Dónde está la llave?", "¿dónde está la llave?"),
    ("I'm allergic to nuts.", "i'm allergic to nuts."),
    ("THE DOOR OF THE CELLAR IS OPEN.", "The door of the cellar is open."),
]


@pytest.mark.parametrize("preset", ["default", "mnemon", "mnemo", "engram"])
@pytest.mark.parametrize(("first", "second"), GIVEN + FURTHER)
def test_both_are_stored(first: str, second: str, preset: str) -> None:
    with combray.open(":memory:", preset=preset) as engine:
        done = engine.remember(first), engine.remember(second)
        assert [each.action for each in done] == ["added", "added"]
        assert engine.remember(second).action == "skipped"


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
@pytest.mark.parametrize(("first", "second"), GIVEN + FURTHER)
def test_both_of_a_batch_are_stored(first: str, second: str, embedder: str) -> None:
    with combray.open(":memory:", embedder=embedder) as engine:
        assert [each.action for each in engine.remember_many([first, second, first])] == [
            "added",
            "added",
            "skipped",
        ]


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
@pytest.mark.parametrize(("first", "second"), SAME)
def test_where_case_says_nothing_the_second_is_a_duplicate(first: str, second: str, embedder: str) -> None:
    with combray.open(":memory:", embedder=embedder) as engine:
        assert [each.action for each in (engine.remember(first), engine.remember(second))] == ["added", "skipped"]
        assert [each.action for each in engine.remember_many([second, first])] == ["skipped", "skipped"]


@pytest.mark.parametrize(("first", "second"), GIVEN)
def test_consolidation_does_not_merge_them(first: str, second: str) -> None:
    with combray.open(":memory:") as engine:
        done = [engine.remember(each) for each in (first, second)]
        engine.consolidation.run()
        assert {engine.get(each.id).status for each in done} == {"active"}


def test_a_slot_takes_a_value_that_differs_in_case() -> None:
    with combray.open(":memory:") as engine:
        engine.remember("The station delivers 5 MW.", slot="station.power")
        assert engine.remember("The station delivers 5 mW.", slot="station.power").action != "skipped"


def test_a_prompt_shows_both() -> None:
    with combray.open(":memory:") as engine:
        engine.remember_many(["The station delivers 5 MW.", "The station delivers 5 mW."])
        text = engine.context("What does the station deliver?").text
        assert "5 MW" in text
        assert "5 mW" in text


def test_a_chunk_of_a_file_is_read_again_when_only_case_changed(tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text("# Power\n\nThe station delivers 5 MW.\n")
    with combray.open(":memory:") as engine:
        engine.documents.index(tmp_path)
        note.write_text("# Power\n\nThe station delivers 5 mW.\n")
        engine.documents.index(tmp_path)
        (hit,) = engine.recall("What does the station deliver?").hits
        assert "5 mW" in hit.memory.content


def test_a_store_from_before_recognises_its_texts(tmp_path: Path) -> None:
    path = str(tmp_path / "old.db")
    with combray.open(path, embedder="none") as engine:
        kept = engine.remember("The Ferry to Texel leaves at Nine.").id
    with closing(SqliteStore(path)) as store, store.transaction("default") as tx:
        (key,) = tx.keys_of([kept]).values()
        tx.session.connection.execute("UPDATE memory SET content_hash = ? WHERE key = ?", (64 * "a", key))
        tx.session.connection.execute("UPDATE setting SET value = '5' WHERE name = 'terms_version'")
    with combray.open(path, embedder="none") as engine:
        assert engine.remember("The Ferry to Texel leaves at Nine.").action == "skipped"
        assert engine.remember("The Ferry to Texel leaves at nine.").action == "added"
        memory = engine.get(kept)
        assert memory.content_hash == content_hash(msgspec.structs.replace(memory, content_hash=""))


def test_a_server_from_before_recognises_its_texts(postgres: Emptied) -> None:
    with combray.open(postgres.url, embedder="none", timezone="Asia/Tokyo") as engine:
        kept = engine.remember("The Ferry to Texel leaves at Nine.", occurred_at="2026-06-02").id
    with psycopg.connect(postgres.url.partition("&schema=")[0], autocommit=True) as connection:
        connection.execute("UPDATE combray.memory SET content_hash = %s", (64 * "a",))
        connection.execute("UPDATE combray.setting SET value = '5' WHERE name = 'terms_version'")
    with combray.open(postgres.url, embedder="none", timezone="Asia/Tokyo") as engine:
        assert engine.remember("The Ferry to Texel leaves at Nine.", occurred_at="2026-06-02").action == "skipped"
        assert engine.remember("The Ferry to Texel leaves at nine.", occurred_at="2026-06-02").action == "added"
        memory = engine.get(kept)
        assert memory.content_hash == content_hash(memory)
        assert memory.recorded_at.utcoffset() == timedelta(hours=9)


def test_an_export_from_before_is_read_with_the_hash_of_today() -> None:
    stream = StringIO()
    with combray.open(":memory:", embedder="none") as engine:
        kept = engine.remember("The Ferry to Texel leaves at Nine.")
        engine.store.export_to(stream)
        now = engine.get(kept.id).content_hash
    lines = stream.getvalue().replace(now, 64 * "a").splitlines()
    with combray.open(":memory:", embedder="none") as engine:
        engine.store.import_from(lines, dry_run=False)
        assert engine.get(kept.id).content_hash == now
