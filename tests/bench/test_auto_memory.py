from bench.auto_memory.measuring import Judged, Message, Score, judge, messages, score
from combray.language.savings import worth_saving


def message(save: bool, text: str) -> Message:
    return Message(lang="en", kind="k", save=save, role="user", part="held", text=text)


def test_the_labelled_set_is_large_and_each_half_holds_every_kind() -> None:
    listed = messages()
    assert len(listed) >= 300
    assert len({each.text for each in listed}) == len(listed)
    halves = {part: [each for each in listed if each.part == part] for part in ("tuning", "held")}
    assert abs(len(halves["tuning"]) - len(halves["held"])) < 0.1 * len(listed)
    assert {each.kind for each in halves["tuning"]} == {each.kind for each in halves["held"]}
    for lang in ("en", "vi", "zh"):
        assert sum(each.lang == lang for each in listed) >= 90


def test_precision_and_recall_by_hand() -> None:
    kept = tuple(worth_saving("I prefer tea."))
    judged = [
        Judged(message(True, "a"), kept),
        Judged(message(False, "b"), kept),
        Judged(message(True, "c"), ()),
        Judged(message(True, "d"), kept),
        Judged(message(False, "e"), ()),
    ]
    counts = score(judged)
    assert counts == Score(kept=2, wrong=1, missed=1, left=1)
    assert (counts.precision, counts.recall) == (2 / 3, 2 / 3)
    assert (score([]).precision, score([]).recall) == (1.0, 1.0)


def test_our_own_messages_are_told_apart_as_the_document_says() -> None:
    for lang in ("en", "vi", "zh"):
        counts = score(judge(each for each in messages() if each.lang == lang))
        assert counts.precision >= 0.95
        assert counts.recall >= 0.7
