"""Preset mnemo: three wordings leave room for another subject; a day is one day in every notation.

Source: Mnemo's page, stages 7 ("penalizing results that are too similar") and 1 ("date format normalization").
"""

from __future__ import annotations

import itertools
from datetime import UTC, datetime

import pytest

import combray
from combray.testing.fakes import FakeClock

UNRELATED = ("Lunch is at noon", "The printer is out of paper", "Three trees stand at the gate")
WORDINGS = [
    ("Where does the Kafka cluster run?", "The Kafka cluster needs 12 brokers",
     "The Kafka cluster runs in Frankfurt", "Kafka's cluster is running in Frankfurt",
     "In Frankfurt the Kafka cluster runs"),
    ("Ana allergy", "Ana keeps a pen with adrenaline against allergic shock", "Ana is allergic to peanuts",
     "Ana has a peanut allergy", "Ana's allergy is to peanuts"),
    ("Why did the deploy fail?", "The deploy needs two reviewers", "The deploy failed because of the lock",
     "The deploy failed due to the lock", "Because of the lock the deploy failed"),
    ("Bob chess", "Bob won a chess cup in Lyon", "Bob plays chess on Sunday", "On Sunday Bob plays chess",
     "Bob is playing chess on Sunday"),
    ("Was ist mit dem Server?", "Der Server hat 64 GB Speicher", "Der Server steht in Bonn",
     "In Bonn steht der Server", "Unser Server steht in Bonn"),
    ("服务器", "服务器有64GB内存", "我们的服务器在上海", "服务器位于上海", "上海有我们的服务器"),
    ("Que fait le chat ?", "Le chat mange du thon", "Le chat dort sur le sofa", "Sur le sofa dort le chat",
     "Le chat dort sur un sofa"),
    ("invoices", "Invoices carry a QR code", "Invoices are sent on Monday", "On Monday invoices are sent",
     "Invoices get sent on Monday"),
    ("cache", "The cache expires after an hour", "The cache lives in Redis", "Redis holds the cache",
     "Our cache lives in Redis"),
    ("What about Clara?", "Clara studies geology", "Clara moved to Oslo", "Clara has moved to Oslo",
     "Clara moved over to Oslo"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "other", *"abc"), WORDINGS)
@pytest.mark.parametrize("embedder", ["none", None])
def test_three_wordings_do_not_crowd_out_another_subject(
    question: str, other: str, a: str, b: str, c: str, embedder: str | None
) -> None:
    with combray.open(":memory:", preset="mnemo", embedder=embedder, worker=False) as engine:
        engine.remember_many([a, b, c, other, *UNRELATED], diff=False)
        assert other in [hit.memory.content for hit in engine.recall(question, limit=3).hits]


WRITTEN = [
    "3月5日去看牙医",
    "dentist 03/05",
    "dentist 3/5",
    "牙医 03-05",
    "March 5: dentist",
    "牙医 03月05日",
    "2024-03-05 dentist",
]
ASKED = ["3月5日", "03/05", "3/5", "March 5", "2024-03-05", "03月05日", "ngày 5 tháng 3"]


@pytest.mark.parametrize(("asked", "written"), [*itertools.product(ASKED, WRITTEN)])
def test_a_day_meets_every_notation_of_it(asked: str, written: str) -> None:
    clock = FakeClock(datetime(2024, 3, 10, tzinfo=UTC).timestamp())
    with combray.open(":memory:", preset="mnemo", embedder="none", worker=False, clock=clock) as engine:
        engine.remember_many([written, "dentist 03/15", "5月3日去看牙医", *UNRELATED], diff=False)
        assert [hit.memory.content for hit in engine.recall(asked).hits][:1] == [written]
