"""Aliases that texts state. The expected pairs were written before the code."""

from __future__ import annotations

import pytest

from combray.language.aliases import learned
from combray.language.names import candidates, meant


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("CI stands for continuous integration and runs on every push.", ("continuous integration", "CI")),
        ("Our SLO (service level objective) is 99.9%.", ("service level objective", "SLO")),
        ("We set a service level objective (SLO) of 99.9%.", ("service level objective", "SLO")),
        ("K8s, short for Kubernetes, runs in Frankfurt", ("Kubernetes", "K8s")),
        ("The Payments Gateway, also known as Falcon, is down", ("Payments Gateway", "Falcon")),
        ("国际足联，全称是国际足球联合会。", ("国际足球联合会", "国际足联")),
        ("我毕业于北京大学，简称北大。", ("北京大学", "北大")),
        ("北京大学（北大）在海淀。", ("北京大学", "北大")),
        ("Trí tuệ nhân tạo, viết tắt là TTNT, đang phát triển.", ("Trí tuệ nhân tạo", "TTNT")),
        ("Thành phố Hồ Chí Minh còn gọi là Sài Gòn.", ("Thành phố Hồ Chí Minh", "Sài Gòn")),
        ("Thành phố Hồ Chí Minh viết tắt là TP.HCM.", ("Thành phố Hồ Chí Minh", "TP.HCM")),
        ("TP.HCM là viết tắt của Thành phố Hồ Chí Minh.", ("Thành phố Hồ Chí Minh", "TP.HCM")),
        ("My sister Margarethe, nicknamed Gretl, lives in Graz.", ("Margarethe", "Gretl")),
        ("My sister, nicknamed Gretl, lives in Graz.", ("sister", "Gretl")),
        ("OKR stands for objectives and key results.", ("objectives and key results", "OKR")),
        ("R&D is short for research and development, says Ana.", ("research and development", "R&D")),
        (
            "AT&T, short for American Telephone and Telegraph, is old",
            ("American Telephone and Telegraph", "AT&T"),
        ),
    ],
)
def test_a_text_that_states_an_alias_teaches_it(text: str, pair: tuple[str, str]) -> None:
    assert learned(text) == [pair]


@pytest.mark.parametrize(
    "text",
    [
        "The owl stands for wisdom.",
        "Ana stands for equality",
        "We call it a day.",
        "We call it Goldfish",
        "We call Ana every Sunday",
        "We call the office on Monday",
        "They call me Bob",
        "She moved (in May) to Rome (Italy).",
        "Our CEO (who lives in Rome) left",
        "The API (see docs) is down",
        "I met Ann (Bob's sister).",
        "CI（已经挂掉了）",
        "HR stands for fairness and respect.",
    ],
)
def test_other_texts_teach_nothing(text: str) -> None:
    assert learned(text) == []


def test_names_of_a_question_are_whole_words_in_any_case() -> None:
    found = candidates("Where does the Billing Service's K8S run?")
    assert {"billing service", "k8s", "where"} <= set(found)
    assert "k8" not in found
    assert {"北大", "食堂"} <= set(candidates("北大的食堂好吗"))


def test_a_name_that_is_a_stop_word_must_be_spelt_as_a_name() -> None:
    assert meant("it", "IT")
    assert not meant("it", "it")
    assert meant("k8s", "k8s")
