"""The same text in other typography is a duplicate; in code, where the marks count, it is not."""

from __future__ import annotations

import pytest

import combray


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Mum's ring size is 54.", "Mum’s ring size is 54."),
        ('The "Nightjar" feature is behind a flag.', "The “Nightjar” feature is behind a flag."),
        ("La reunión es el lunes.", "¡La reunión es el lunes!"),
        ('Le mot de passe est "tournesol".', "Le mot de passe est « tournesol »."),
        ("The shop is open Mon-Fri - ring twice.", "The shop is open Mon–Fri — ring twice."),
        ('Der Hund heißt "Bello".', "Der Hund heißt „Bello“."),
    ],
)
def test_the_same_text_in_other_typography_is_skipped(old: str, new: str, embedder: str) -> None:
    with combray.open(":memory:", embedder=embedder) as engine:
        engine.remember(old)
        assert engine.remember(new).diff_suggestion == "DUPLICATE"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('print("ready")', "print(“ready”)"),
        ("git log -1 shows the last commit", "git log –1 shows the last commit"),
        ("rm -rf build empties the folder", "rm –rf build empties the folder"),
        ("Set name = 'prod' in the file.", "Set name = ‘prod’ in the file."),
        ("The offset is -5 degrees.", "The offset is −5 degrees."),
        ("The meeting is on Monday.", "The meeting is on Monday?"),
    ],
)
def test_where_the_marks_count_both_texts_are_kept(old: str, new: str) -> None:
    with combray.open(":memory:") as engine:
        engine.remember(old)
        assert engine.remember(new).action == "added"
