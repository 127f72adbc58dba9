"""`engine.context` adds nothing that the prompt holds already."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest

import combray
from combray import Engine, InvalidInputError, NotFoundError
from combray.prompt.held import MOST, SESSIONS, add_shown, forget_shown, shown_before
from combray.testing.fakes import FakeClock
from combray.testing.reference import ReferenceStore

FERRY = "The ferry to the islands leaves at nine."
PIER = "The ferry departs from pier four."
QUESTION = "When does the ferry to the islands leave, and from which pier?"


@pytest.fixture(params=["none", "wordllama"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    with combray.open(":memory:", embedder=request.param, clock=FakeClock()) as opened:
        opened.remember(FERRY, category="fact")
        opened.remember(PIER, category="fact")
        yield opened


def test_the_question_itself_is_not_found(engine: Engine) -> None:
    talk = engine.conversation("monday")
    talk.add(QUESTION, author="user")
    made = engine.context(QUESTION)
    assert QUESTION not in made.text
    assert FERRY in made.text
    assert [each.reason for each in made.dropped] == ["repeats the question"]


def test_case_and_punctuation_make_no_new_question(engine: Engine) -> None:
    engine.conversation("monday").add("when does the ferry leave", author="user")
    assert "when does the ferry leave" not in engine.context("When does the ferry leave?").text


@pytest.mark.parametrize(
    "message",
    [
        f"Earlier I said: {FERRY}",
        {"role": "user", "content": f"Note: {FERRY} Thanks."},
        {"role": "user", "text": FERRY},
        {"role": "user", "content": [{"type": "text", "text": FERRY}, {"type": "image", "source": "x"}]},
    ],
)
def test_a_message_of_the_prompt_is_not_repeated(engine: Engine, message: object) -> None:
    made = engine.context(QUESTION, messages=[message, {"role": "assistant", "content": None}])  # type: ignore[list-item]
    assert FERRY not in made.text
    assert PIER in made.text
    assert made.dropped[0].reason == "the prompt holds it already"


def test_a_part_of_a_word_is_no_repetition(engine: Engine) -> None:
    engine.remember("ferry pier", category="fact")
    made = engine.context("which ferry pier is it", messages=["the ferry pierced the fog"], keep=0)
    assert "ferry pier (" in made.text


def test_turns_and_ids_are_left_out(engine: Engine) -> None:
    talk = engine.conversation("monday")
    turn = talk.add("My ferry ticket for the islands is booked.", author="user")
    found = engine.context("ferry ticket islands", messages=talk.turns())
    assert turn.content not in found.text
    known = engine.recall("pier four")[0].memory.id
    assert PIER not in engine.context(QUESTION, exclude=[known]).text


@pytest.mark.parametrize("wrong", ["one text", 7, [{"content": 7}], [7]])
def test_what_is_no_list_of_messages_is_refused(engine: Engine, wrong: object) -> None:
    with pytest.raises(InvalidInputError, match="messages"):
        engine.context(QUESTION, messages=wrong)  # type: ignore[arg-type]


def test_nothing_is_shown_twice_in_a_session(engine: Engine) -> None:
    first = engine.context(QUESTION, session="s")
    assert FERRY in first.text
    assert PIER in first.text
    again = engine.context(QUESTION, session="s")
    assert again.text == ""
    assert {each.reason for each in again.dropped} == {"the prompt holds it already"}
    assert engine.context(QUESTION, session="other").text == first.text
    assert engine.context(QUESTION).text == first.text


def test_the_same_words_in_another_memory_are_not_shown_again(engine: Engine) -> None:
    engine.conversation("monday").add("Ferry tickets are cheap!", author="Ana")
    assert "tickets are cheap" in engine.context("ferry tickets cheap", session="s").text
    engine.conversation("tuesday").add("ferry tickets are cheap", author="Bo")
    assert "tickets are cheap" not in engine.context("ferry tickets cheap", session="s").text


def test_a_later_line_has_the_next_number(engine: Engine) -> None:
    engine.context(QUESTION, session="s")
    engine.remember("The ferry does not sail on Sundays.")
    later = engine.context("ferry on Sundays", session="s")
    assert "[3] The ferry does not sail on Sundays." in later.text


def test_after_a_compaction_memories_may_come_again(engine: Engine) -> None:
    engine.context(QUESTION, session="s")
    forget_shown(engine.runtime.store, engine.namespace, "s")
    assert FERRY in engine.context(QUESTION, session="s").text


def test_what_was_shown_survives_the_process_and_an_erased_memory_leaves_nothing(tmp_path: Path) -> None:
    place = tmp_path / "a.db"
    with combray.open(place, embedder="none") as engine:
        known = engine.remember(FERRY)
        assert FERRY in engine.context(QUESTION, session="secret session").text
    with combray.open(place, embedder="none") as engine:
        assert engine.context(QUESTION, session="secret session").text == ""
        certificate = engine.erase(known.id, prove=True)
        assert certificate is not None
        assert shown_before(engine.reader, "secret session").ids == ()
        assert engine.store.doctor() is not None
    assert b"secret session" not in place.read_bytes()
    assert known.id.encode() not in place.read_bytes()


def test_a_namespace_knows_only_its_own_sessions(engine: Engine) -> None:
    engine.within("other").remember(FERRY)
    engine.context(QUESTION, session="s")
    assert FERRY in engine.within("other").context(QUESTION, session="s").text


def test_several_namespaces_remember_what_each_gave(engine: Engine) -> None:
    engine.within("other").remember("The ferry costs ten euros.")
    spaces = ["default", "other"]
    assert "ten euros" in engine.context("ferry cost pier islands", namespaces=spaces, session="s", keep=0).text
    assert engine.context("ferry cost pier islands", namespaces=spaces, session="s", keep=0).text == ""


def test_sessions_and_their_memories_are_bounded() -> None:
    store = ReferenceStore()
    with store.transaction("default"):
        pass
    for number in range(SESSIONS + 3):
        add_shown(store, "default", f"s{number}", ["none"], number + 1)
    reader = store.reader("default")
    assert [shown_before(reader, f"s{number}").number for number in (0, 2, 3, SESSIONS + 2)] == [
        0,
        0,
        4,
        SESSIONS + 3,
    ]
    assert MOST == 2_000


def test_a_read_only_store_answers_and_remembers_nothing(tmp_path: Path) -> None:
    with combray.open(tmp_path / "a.db", embedder="none") as engine:
        engine.remember(FERRY)
    with combray.open(tmp_path / "a.db", embedder="none", read_only=True) as engine:
        assert FERRY in engine.context(QUESTION, session="s").text
        assert FERRY in engine.context(QUESTION, session="s").text


def test_weak_evidence_gives_nothing_if_that_is_asked_for() -> None:
    with combray.open(":memory:", embedder="wordllama", clock=FakeClock()) as engine:
        engine.remember_many([f"The ferry number {n} leaves from pier {n} at {n} o'clock." for n in range(60)])
        weak = "commit the change to the ferry parser and push it to the staging branch of the repository"
        assert "weak" in engine.recall(weak).details
        made = engine.context(weak, sure=True)
        assert (made.text, made.sections) == ("", ())
        assert "weak" in made.state
        assert "pier 7" in engine.context("When does the ferry number 7 leave?", sure=True).text


HOSTILE = 'A "quoted" ferry <b>& more</b>\n</memory></memories> ]} islands'


def test_xml_is_well_formed_whatever_is_stored(engine: Engine) -> None:
    engine.remember(HOSTILE, trust="untrusted", author='Eve "E" <e>')
    made = engine.context("quoted ferry more islands", format="xml", keep=0)
    root = ET.fromstring(made.text)
    texts = {each.text: each.attrib for each in root}
    shown = texts[" ".join(HOSTILE.split())]
    assert shown["trust"] == "untrusted"
    assert shown["source"] == 'Eve "E" <e>'
    assert set(shown) == {"n", "id", "date", "source", "trust"}


def test_json_is_valid_whatever_is_stored(engine: Engine) -> None:
    engine.remember(HOSTILE)
    made = engine.context("quoted ferry more islands", format="json", keep=0)
    listed = json.loads(made.text)["memories"]
    assert " ".join(HOSTILE.split()) in {each["text"] for each in listed}
    assert [each["n"] for each in listed] == list(range(1, len(listed) + 1))


@pytest.mark.parametrize("format", ["text", "markdown", "xml", "json"])
def test_every_format_keeps_the_budget_and_is_whole(engine: Engine, format: str) -> None:
    engine.remember("ferry " + 'islands & "more" <text> ' * 200, category="fact")
    made = engine.context("ferry islands more text", 150, format=format)  # type: ignore[arg-type]
    assert 0 < made.tokens <= 150
    if format == "xml":
        assert list(ET.fromstring(made.text))
    if format == "json":
        assert json.loads(made.text)["memories"]


def test_a_format_that_does_not_exist_is_refused(engine: Engine) -> None:
    with pytest.raises(InvalidInputError, match="format"):
        engine.context("ferry", format="yaml")  # type: ignore[arg-type]


def test_the_id_of_a_line_is_what_get_takes(engine: Engine) -> None:
    made = engine.context(QUESTION, format="json")
    for each in json.loads(made.text)["memories"]:
        assert engine.get(each["id"]).content == each["text"]


def test_an_ambiguous_id_names_its_candidates(engine: Engine) -> None:
    ids = [f"0a0a0a0a-0000-7000-8000-00000000000{digit}" for digit in "123"]
    for each in ids:
        engine.remember(f"Memory {each[-1]} of many.", id=each)
    with pytest.raises(NotFoundError, match=f"several memories.*{ids[0]}, {ids[1]}, {ids[2]}.*more characters"):
        engine.get("0a0a0a0a")


def test_a_superseded_memory_is_marked(engine: Engine) -> None:
    old = engine.remember("The office is in Lisbon.", category="fact")
    new = engine.remember("The office is in Porto.", category="fact")
    engine.settle(new.id, old.id, "supersedes")
    made = engine.context("where is the office", statuses=["active", "superseded"])
    assert "Lisbon" in made.text
    assert "outdated: replaced by" in made.text
