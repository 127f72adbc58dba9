"""Plain denials: the same words with a negation on one side, in six languages, and what only looks like one."""

from __future__ import annotations

import pytest

from combray.language.restatements import denies


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The printer supports duplex printing.", "The printer doesn't support duplex printing."),
        ("The bakery on Mill Road opens on Sundays.", "The bakery on Mill Road does not open on Sundays."),
        ("A cat sleeps on the warm roof.", "There is no cat sleeping on the warm roof."),
        ("Everyone in the team knows Rust.", "Nobody in the team knows Rust."),
        ("The cellar is always locked.", "The cellar is never locked."),
        ("Kathi's hens are laying.", "Kathi's hens still aren't laying."),
        ("I have a dog.", "I have no dog."),
        ("Wir haben einen Garten.", "Wir haben keinen Garten."),
        ("Die Bäckerei liefert sonntags.", "Die Bäckerei liefert sonntags nicht."),
        ("Le chauffage marche.", "Le chauffage ne marche pas."),
        ("J'aime le café.", "Je n'aime pas le café."),
        ("El ascensor funciona.", "El ascensor no funciona."),
        ("新的解析器支持嵌套注释。", "新的解析器不支持嵌套注释。"),
        ("张伟已经付了场地的押金。", "张伟没有付场地的押金。"),
        ("Quán này luôn luôn đông.", "Quán này không bao giờ đông."),
        ("Em đã nộp hồ sơ du học rồi.", "Em chưa nộp hồ sơ du học."),
    ],
)
def test_a_plain_denial(old: str, new: str) -> None:
    assert denies(old, new)
    assert denies(new, old)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # The denial says more.
        ("I like hiking.", "I don't like hiking in the rain."),
        ("The app is fast.", "The new app is not fast."),
        ("The build failed.", "I have no idea why the build failed."),
        ("The flight on 3 May is booked.", "The flight on 4 May is not booked."),
        # Another person, other roles, another time, a condition.
        ("I like tea.", "She doesn't like tea."),
        ("Anna trusts Ben.", "Ben doesn't trust Anna."),
        ("Ana lived in Porto.", "Ana doesn't live in Porto."),
        ("If it rains, the pool is closed.", "The pool is not closed."),
        # No negation, two of them, an end.
        ("Not only Ana came.", "Ana came."),
        ("Nothing is lost.", "Nothing is not lost."),
        ("We use Redis.", "We no longer use Redis."),
        # Opposites are for a reader.
        ("The lake is safe for swimming.", "Swimming in the lake is dangerous."),
        ("The pool is open.", "The pool is closed."),
        ("", "Not."),
        ("", ""),
    ],
)
def test_what_only_looks_like_a_denial(old: str, new: str) -> None:
    assert not denies(old, new)
    assert not denies(new, old)
