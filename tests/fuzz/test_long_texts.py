"""No regular expression runs away: rows of what trips one are read to their end.

How time grows with the length is measured by `python -m bench.fuzz.growth`; here an exponent would never end.
"""

from __future__ import annotations

import pytest

from bench.fuzz.growth import PIECES, READERS


@pytest.mark.parametrize("name", READERS)
def test_rows_of_any_piece_are_read_to_their_end(name: str) -> None:
    for piece in PIECES:
        for tail in ("", "ab", "."):
            # What fits on and on, and fails at the end, is where a pattern begins to guess again.
            READERS[name]((piece * 1_000)[:1_000] + tail)
