from combray.stores.memo import MOST_KEPT, Memo


def get(memo: Memo, rows: int, log: list[str], name: tuple[str, ...] = ("sum",)) -> int:
    def fresh() -> int:
        log.append(f"fresh {rows}")
        return sum(range(rows))

    def grown(old: int, upto: int) -> int:
        log.append(f"grown {upto}-{rows}")
        return old + sum(range(upto, rows))

    return memo.get(name, rows, fresh, grown)


def test_a_value_is_kept_grown_and_never_shrunk() -> None:
    memo, log = Memo(), list[str]()
    assert [get(memo, rows, log) for rows in (3, 3, 5, 4, 5)] == [3, 3, 10, 6, 10]
    assert log == ["fresh 3", "grown 3-5", "fresh 4"]


def test_kinds_are_dropped_in_a_copy() -> None:
    memo, log = Memo(), list[str]()
    get(memo, 3, log, ("mask", "a"))
    get(memo, 3, log, ("chain",))
    copy = memo.without(frozenset({"mask"}))
    get(copy, 3, log, ("chain",))
    get(copy, 3, log, ("mask", "a"))
    get(memo, 3, log, ("mask", "a"))
    assert log == ["fresh 3"] * 3


def test_it_does_not_grow_without_end() -> None:
    memo, log = Memo(), list[str]()
    for place in range(3 * MOST_KEPT):
        get(memo, 1, log, ("mask", str(place)))
    assert len(memo._kept) <= MOST_KEPT
