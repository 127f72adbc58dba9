"""Relations that are worth a link: examples written from everyday speech, by what they show."""

import pytest

from combray.language.relations import relation


def kind(old: str, new: str) -> str | None:
    found = relation(old, new)
    return found.kind if found is not None else None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # an opposite in the predicate
        ("The canteen is open on Sundays.", "The canteen is closed on Sundays."),
        ("Smoking is allowed on the balcony.", "Smoking on the balcony is forbidden."),
        ("The cellar is always locked.", "The cellar is never locked."),
        ("Everyone in the team knows Rust.", "Nobody in the team knows Rust."),
        ("Marta lives alone.", "Marta lives with her parents."),
        # a negation and nothing else, or less
        ("The printer supports duplex printing.", "The printer doesn't support duplex printing."),
        ("Our tool imports CSV files from any folder.", "Our tool imports no CSV files, only JSON."),
        # another value of a property that has one
        ("The standup starts at half past nine.", "The standup starts at 10:15."),
        ("The garden gate is green.", "The garden gate is dark blue."),
        ("My cousin lives in Ghent.", "My cousin lives in Antwerp."),
        ("A man in a red coat is feeding pigeons.", "A man in a white coat is feeding pigeons."),
        # other languages
        ("食堂周一开门。", "食堂周一关门。"),
        ("仓库在二楼。", "仓库在五楼。"),
        ("Quán này luôn luôn đông.", "Quán này không bao giờ đông."),
        ("Hồ bơi mở cửa lúc 6 giờ.", "Hồ bơi mở cửa lúc 9 giờ."),
        ("Das Freibad ist offen.", "Das Freibad ist geschlossen."),
        ("Le parking est gratuit.", "Le parking est payant."),
        ("La puerta está abierta.", "La puerta está cerrada."),
    ],
)
def test_contradictions(old: str, new: str) -> None:
    assert kind(old, new) == "contradicts"
    assert kind(new, old) in ("contradicts", None)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "The lift of our apartment building is broken.",
            "The elevator of our apartment building is out of order.",
        ),
        ("I get up at half past six each day.", "Every day I get up at 6:30."),
        ("Our contract with Larch ends in May.", "The agreement we have with Larch expires in May."),
        ("My dentist is Dr. Okoye.", "Dr. Okoye is my dentist."),
        ("The museum is closed on Mondays.", "The museum isn't open on Mondays."),
        ("Ines is older than Tom.", "Tom is younger than Ines."),
        ("The thief was seen by a guard.", "A guard saw the thief."),
        ("爸爸每天早上跑步。", "父亲每天清晨跑步。"),
        ("Mẹ tôi dị ứng với đậu phộng.", "Má tôi dị ứng với lạc."),
    ],
)
def test_restatements(old: str, new: str) -> None:
    assert kind(old, new) == "restates"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # the opposite or the value says which thing is meant
        ("The left drawer is full of cables.", "The right drawer is full of cables."),
        ("The blue box holds winter clothes.", "The red box holds winter clothes."),
        ("My old laptop runs Debian.", "My new laptop runs Debian."),
        # a property with several values
        ("I like tea.", "I like coffee."),
        ("I have a meeting at 9 on Tuesday.", "I have a meeting at 11 on Tuesday."),
        # somebody else, something more, a condition
        ("My son is allergic to milk.", "My daughter is allergic to milk."),
        ("Our holiday starts in June.", "Their holiday starts in June."),
        ("I like hiking.", "I don't like hiking in the rain."),
        ("Lena teaches Omar.", "Omar teaches Lena."),
        ("The train goes from Lyon to Paris.", "The train goes from Paris to Lyon."),
        ("The office is open.", "The office door is closed."),
        ("Nils runs a bakery.", "Nils runs a bakery in Oslo with his aunt."),
        # what was, or might be
        ("The rent was 800 euros.", "The rent is 900 euros."),
        ("If it rains the pool is closed.", "The pool is open."),
        ("The gate is open until ten.", "The gate is no longer closed at night."),
        ("儿子对牛奶过敏。", "女儿对牛奶过敏。"),
        ("小林借给小周一本书。", "小周借给小林一本书。"),
        ("", "The pool is open."),
    ],
)
def test_different_statements_have_no_relation(old: str, new: str) -> None:
    assert kind(old, new) is None


def test_the_reason_names_the_words() -> None:
    found = relation("The pool is open.", "The pool is closed.")
    assert found is not None
    assert found.reason == "open against closed"
