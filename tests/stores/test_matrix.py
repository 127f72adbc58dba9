import math

import numpy as np
import pytest

from combray.errors import CorruptStoreError, InvalidInputError
from combray.stores import matrix
from combray.stores.matrix import Matrix, cosines, decode, encode, norms, quantised, whole


def rows(*given: tuple[float, ...]) -> np.ndarray:
    return np.array(given, dtype=np.float32)


def test_the_largest_component_becomes_127() -> None:
    assert quantised(rows((1, -0.5), (0, 0), (3, 4))).tolist() == [[127, -64], [0, 0], [95, 127]]


def test_codes_come_back_as_unit_rows() -> None:
    found = decode(encode(rows((3, 4), (0, 0))), 2)
    assert found.tolist() == [pytest.approx([95 / math.hypot(95, 127), 127 / math.hypot(95, 127)]), [0, 0]]


def test_direction_is_kept_to_four_digits() -> None:
    given = np.random.default_rng(1).normal(size=(100, 256)).astype(np.float32)
    given /= np.linalg.norm(given, axis=1, keepdims=True)
    assert (np.einsum("ij,ij->i", given, decode(encode(given), 256)) > 0.9999).all()


def test_cosines_are_exact_whatever_the_order_of_the_sums() -> None:
    """The same numbers, added up forwards, backwards and by Python's whole numbers: not one bit differs."""
    given = np.random.default_rng(2).normal(size=(50, 384)).astype(np.float32)
    codes = whole(encode(given), 384)
    found = cosines(codes, norms(codes), given[7])
    backwards = np.ascontiguousarray(codes[:, ::-1])
    assert found.tolist() == cosines(backwards, norms(backwards), given[7][::-1]).tolist()
    plain = [[int(number) for number in row] for row in codes]
    for row, cosine in zip(plain, found, strict=True):
        dot = sum(a * b for a, b in zip(row, plain[7], strict=True))
        assert cosine == dot / (math.sqrt(sum(a * a for a in row)) * math.sqrt(sum(b * b for b in plain[7])))


def test_numpy_alone_gives_the_same_dot_products(monkeypatch: pytest.MonkeyPatch) -> None:
    codes = np.random.default_rng(5).integers(-127, 128, (20_000, 24), dtype=np.int8)
    fast = matrix.dots(codes, codes[3])
    monkeypatch.setattr(matrix, "simsimd", None)
    assert matrix.dots(codes, codes[3]).tolist() == fast.tolist()
    # By hand: 2·1 + (-3)·4 + 127·127.
    one, other = np.array([[2, -3, 127]], dtype=np.int8), np.array([1, 4, 127], dtype=np.int8)
    assert matrix.dots(one, other).tolist() == [2 - 12 + 16129]


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_vectors_that_are_no_numbers_are_refused(bad: float) -> None:
    with pytest.raises(InvalidInputError):
        encode(rows((bad, 1)))


def test_codes_of_another_length_are_damage() -> None:
    with pytest.raises(CorruptStoreError):
        whole([b"abc"], 4)


@pytest.mark.parametrize("share", [1.0, 0.67, 0.1])
def test_nearest_agrees_with_cosines_over_many_blocks(share: float) -> None:
    """With all rows, with most (the others are compared and left out) and with few (which are copied)."""
    given = np.random.default_rng(3).normal(size=(20_000, 8)).astype(np.float32)
    rows_of = Matrix(8)
    given[5::1000] = 0.0
    rows_of.put(np.arange(20_000), encode(given), 20_000)
    keys, eligible = np.arange(20_000) * 2, np.random.default_rng(4).random(20_000) < share
    # A whole block without any.
    eligible[8192:16384] &= share > 0.5
    found = rows_of.nearest(given[:3], keys, eligible, 7, 0.8)
    for vector, ranked in zip(given[:3], found, strict=True):
        cosine = np.round(rows_of.cosines(vector, 20_000), 6)
        best = [key for key in np.lexsort((keys, -cosine)) if eligible[key] and cosine[key] >= 0.8][:7]
        assert ranked.keys.tolist() == keys[best].tolist()
        assert ranked.scores.tolist() == cosine[best].tolist()


@pytest.mark.parametrize("written", ["replaced", "removed"])
def test_a_search_is_not_changed_by_a_write_of_another_thread(written: str) -> None:
    first = np.random.default_rng(0).normal(size=(1, 256)).astype(np.float32)
    found = Matrix(256)
    slot = np.array([0])
    found.put(slot, encode(first), 1)
    search = found.scan(first[0], found.has[:1], None)
    found.update(slot, encode(np.eye(1, 256, dtype=np.float32)) if written == "replaced" else [None], 1)
    assert search.of(slot) == pytest.approx(1.0)
    assert search.average == pytest.approx(1.0)
    assert found.scan(first[0], found.has[:1], None).of(slot)[0] < 0.5
