"""Statements that name the old and the new value, and what only looks like one."""

from __future__ import annotations

import pytest

from combray.language.replacements import replacements_of, replaces


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("The retro is on Friday.", "The retro has been moved from Friday to Tuesday."),
        ("We use Jest.", "We switched from Jest to Vitest."),
        ("We use Jest.", "We switched to Vitest from Jest."),
        ("Ben owns the billing project.", "Billing is Anna's project now, no longer Ben's."),
        ("Our main database is PostgreSQL.", "Our main database is no longer PostgreSQL but Redis."),
        ("Alice lives in Paris.", "Alice no longer lives in Paris, Alice lives in Rome now."),
        ("My phone is a Pixel 6.", "I replaced my Pixel 6 with an iPhone 15."),
        ("My doctor is Dr Hale.", "Dr Hale retired, Dr Singh is my doctor now."),
        ("Ben is the on-call engineer.", "Anna replaced Ben as the on-call engineer."),
        ("I work at Google.", "I left Google and joined Meta."),
        ("The rent is 900 euros.", "The rent is 950 euros now, up from 900 euros."),
        ("The door code is 4471.", "The door code is 4417, not 4471."),
        ("The retro moved from Monday to Friday.", "The retro moved from Friday to Tuesday."),
        ("Our printer is an HP.", "The HP printer was replaced by a Brother."),
        ("The project lead is Omar.", "Omar handed the project lead over to Nina."),
        ("I use Vim.", "I no longer use Vim, I use Helix."),
        ("I live with Max.", "Max moved out, I live with Tim now."),
        ("周会定在周五下午三点。", "周会从周五改到周二了。"),
        ("账单项目由小张负责。", "账单项目现在归小李负责，不再是小张了。"),
        ("我住在成都。", "我从成都搬到了重庆。"),
        ("Bên mình viết test bằng Jest.", "Bên mình đã đổi từ Jest sang Vitest."),
        ("Tôi uống cà phê.", "Tôi không uống cà phê nữa, giờ uống trà."),
        ("Tôi sống ở Huế.", "Tôi đã chuyển từ Huế vào Đà Lạt."),
    ],
)
def test_both_values_are_named(earlier: str, later: str) -> None:
    assert replaces(later, earlier)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        # Another subject, owner or place.
        ("My sister lives in Leeds.", "I moved from Leeds to York."),
        ("I work in Berlin.", "Our server moved from Berlin to Lisbon."),
        ("My sister's phone is a Pixel 6.", "I replaced my Pixel 6 with an iPhone 15."),
        ("Log level in dev is DEBUG.", "Log level in prod went from DEBUG to WARN."),
        ("Log level in dev is DEBUG.", "Log level went from DEBUG to WARN."),
        ("Flat 3 costs 900 euros.", "Flat 4 went from 900 euros to 950 euros."),
        ("The backend is written in Go.", "The CLI has switched from Go to Rust."),
        ("My wife works at Google.", "I left Google; I am at Meta now."),
        ("前端用Vue。", "后端从Vue换成了React。"),
        ("Mẹ tôi sống ở Huế.", "Tôi đã chuyển từ Huế vào Đà Lạt."),
        # A range, a way or an exception.
        ("The retro is on Friday.", "The retro runs from Friday to Tuesday."),
        ("I live in Paris.", "I drove from Paris to Lyon."),
        ("I live in Paris.", "I left Paris for two weeks."),
        ("We ship on Thursdays.", "This week only, we ship on Friday instead of Thursdays."),
        # Not the value that holds, or none that is new.
        ("The retro moved from Monday to Friday.", "The retro moved from Monday to Tuesday."),
        ("I use Go and Rust.", "I switched from Go to Rust."),
        ("I don't use Firefox.", "I switched from Firefox to Chrome."),
        ("We use Jest.", "We no longer use Jest."),
        # Not asserted.
        ("The retro is on Friday.", "The retro was not moved from Friday to Tuesday."),
        ("The retro is on Friday.", "The retro almost moved from Friday to Tuesday."),
        ("The retro is on Friday.", "Has the retro moved from Friday to Tuesday?"),
    ],
)
def test_only_one_thing_changes(earlier: str, later: str) -> None:
    assert not replaces(later, earlier)


def test_two_authors_speak_of_one_named_thing() -> None:
    earlier, later = "Project Atlas runs on Jenkins.", "Project Atlas moved from Jenkins to Buildkite."
    assert replaces(later, earlier, ("Atlas",), one_author=False)
    assert not replaces(later, earlier, ("Jenkins",), one_author=False)
    assert not replaces("I moved from Leeds to York.", "I live in Leeds.", ("Leeds",), one_author=False)


def test_most_texts_state_no_change() -> None:
    assert replacements_of("The user lives in Berlin.") == ()
    assert replacements_of("moved from Berlin to Lisbon " * 20) == ()
