"""A first hit about somebody else yields to one about the person who is asked about."""

from __future__ import annotations

import pytest

import combray

TOLD = [
    ("Oona", "Mondays and Thursdays I'm at Fitbox, the one over the tyre dealer."),
    ("Emeka", "I live in a rented room in Peckham."),
    (
        "user",
        "I live in Flogsta, in the student corridor.",
    ),
    ("user", "On trains it's the quiet carriage or nothing."),
    ("Clementine", "I have three dogs."),
    ("user", "Clementine Marsh goes to school on the 7:20 bus, line 44."),
    ("Chị Nhàn", "Giá tô lớn vẫn bốn mươi lăm ngàn."),
    ("user", "Chị Quyên vẫn ngồi phòng kế toán."),
]


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Where do I live?", "I live in Flogsta"),
        ("Where does Emeka live?", "I live in a rented room in Peckham"),
        # A note by another author is about the author whom it names.
        ("How does Clementine get to school?", "Clementine Marsh goes to school"),
        # The first word of an author's name, with another name behind it, is somebody else.
        ("Chị Quyên ngồi phòng nào?", "Chị Quyên vẫn ngồi phòng kế toán"),
    ],
)
def test_who_is_asked_about_leads(embedder: str, question: str, first: str) -> None:
    with combray.open(":memory:", embedder=embedder, worker=False) as engine:
        for author, text in TOLD:
            engine.remember(text, author=author, occurred_at="2026-01-01")
        hits = engine.recall(question)
    assert [hit.memory.content for hit in hits][:1], question
    assert hits[0].memory.content.startswith(first)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


LISTS = [
    ("user", "Our neighbours have pets as well, two ferrets."),
    ("user", "My sister has a parrot as a pet. It swears."),
    ("user", "We have a dog, Pretzel."),
    ("user", "There's a cat in the house since Friday."),
    ("Ines", "My boss speaks six languages, the show-off."),
    ("Ines", "I speak Galician at home."),
    ("user", "The office plants are watered on Mondays."),
    ("user", "The car passed its inspection."),
]


@pytest.mark.parametrize(
    ("question", "own", "embedder"),
    [
        ("What pets do we have?", "We have a dog, Pretzel.", "wordllama"),
        ("Which languages does Ines speak?", "I speak Galician at home.", "wordllama"),
        # Without vectors nothing says that a dog is a pet.
        ("Which languages does Ines speak?", "I speak Galician at home.", "none"),
    ],
)
def test_a_list_of_ones_own_is_not_measured_by_what_relatives_have(
    question: str, own: str, embedder: str
) -> None:
    """The notes about others hold every word of the question, the right ones "pets" and "languages" nowhere."""
    with combray.open(":memory:", embedder=embedder, worker=False) as engine:
        for author, text in LISTS:
            engine.remember(text, author=author, occurred_at="2026-01-01")
        hits = engine.recall(question)
        about_others = engine.recall("Which pets does my sister have?")
    assert hits
    assert hits[0].memory.content == own
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert about_others[0].memory.content.startswith("My sister")


NOTES = [
    ("Adaeze", "I'm a data engineer at Quillfeather, on the ingestion side."),
    ("Bartosz", "Export jobs are capped at 50,000 rows, see limits.toml."),
    ("Consuelo", "The Orinoco export job keeps its files for 90 days."),
    ("Imke", "Nightly job duration is 41 minutes on average."),
    ("Adaeze", "Femi is a barista now, at the new place on Dock Road."),
    ("Imke", "The machine at work broke, we all had tea."),
    ("Farrukh", "Visitors: the upholstery workshop is in the yard behind 19 Tanner Row."),
    ("Consuelo", "Our shop closes at 18:00 on weekdays."),
]


@pytest.mark.parametrize(
    ("question", "answer", "embedder"),
    [
        # Without vectors nothing joins "engineer" and "job".
        ("What is Adaeze's job?", "data engineer", "wordllama"),
        ("Where does Femi work?", "barista", "none"),
        ("Where does Femi work?", "barista", "wordllama"),
        ("What's the address of Farrukh's workshop?", "19 Tanner Row", "none"),
        ("What's the address of Farrukh's workshop?", "19 Tanner Row", "wordllama"),
    ],
)
def test_who_wrote_a_note_counts_more_than_words_that_others_use(
    question: str, answer: str, embedder: str
) -> None:
    with combray.open(":memory:", embedder=embedder, worker=False) as engine:
        for author, text in NOTES:
            engine.remember(text, author=author, occurred_at="2026-01-01")
        for number in range(60):
            author = f"Writer{number}"
            engine.remember(f"Room {number} is booked for the fair.", author=author, diff=False)
        found = [hit.memory.content for hit in engine.recall(question, limit=3)]
    assert any(answer in text for text in found), found


def test_a_living_is_a_job_and_no_home() -> None:
    with combray.open(":memory:", embedder="wordllama", worker=False) as engine:
        for text in ("I live in Lisbon.", "We have a dog called Rufus.", "I work as a nurse at St. Brannoc's."):
            engine.remember(text, author="user")
        job = [hit.memory.content for hit in engine.recall("What do I do for a living?")]
        home = [hit.memory.content for hit in engine.recall("Where do I live?")]
    assert job[:1] == ["I work as a nurse at St. Brannoc's."]
    assert "I live in Lisbon." not in job
    assert home[:1] == ["I live in Lisbon."]


def test_a_note_that_only_its_author_brings_says_so() -> None:
    with combray.open(":memory:", embedder="wordllama", worker=False) as engine:
        engine.remember("I'm head of chemistry at St Aldhelm's, so in June I vanish.", author="Priya")
        engine.remember("We moved the backups.", author="Ann")
        (hit,) = engine.recall("What does Priya do for a living?")
        others = engine.recall("What does Priya do for a living?", where={"author": "Ann"})
    assert (hit.memory.author, hit.via) == ("Priya", "author")
    assert not others, "the caller's filter holds"
