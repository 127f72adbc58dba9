"""Whether readers of text take time in proportion to its length: `python -m bench.fuzz.growth`.

Processor times of two lengths are compared, so the machine's speed does not matter and its load hardly does.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from bench.fuzz.targets.texts import NOW
from combray.documents.chunks import chunk, lines_of
from combray.documents.files import messages
from combray.guard import injection
from combray.guard.redaction import redact
from combray.language import (
    dates,
    entities,
    expansion,
    intent,
    polarity,
    pronouns,
    quality,
    questions,
    savings,
    support,
    tokens,
    trivial,
)
from combray.transfer.turns import pieces

PIECES = (
    "1", "a", "A ", " ", "\n", ".", "it's ", "1-", "a:", "/", "a@b.", "token=", "-----BEGIN ", "not ", "because ",
    "remember that ", "数", "三天前", "한국어는 ", "e\u0301", "> ", "`", "_", "a_", "\\x61", "%61",
)  # fmt: skip
READERS: dict[str, Callable[[str], object]] = {
    "words": tokens.words,
    "query terms": tokens.query_terms,
    "entities": entities.extract,
    "questions": lambda text: questions.read(text, ["Ada Lovelace", "小明"]),
    "intent": intent.detect,
    "noise": trivial.noise_class,
    "pronouns": pronouns.find,
    "quality": quality.warnings,
    "savings": savings.worth_saving,
    "trivial": trivial.says_nothing,
    "internal": trivial.internal,
    "cues": intent.cues,
    "causality": intent.signal,
    "polarity": polarity.negations,
    "changes": polarity.changes,
    "expansion": expansion.expand,
    "traits": support.traits,
    "guard": injection.judge,
    "redaction": redact,
    "chunks": lambda text: chunk(lines_of(text)),
    "pieces": lambda text: list(pieces(text)),
    "transcripts": messages,
    "time expressions": dates.has_time_expression,
    "dates": lambda text: dates.resolve(text, NOW),
}
SHORT, LONG = 1_000, 8_000
GROWTH = 32.0
"""Times as long for a text eight times as long: 8 when linear, 64 when quadratic, half-way by logarithm 23."""
UNSEEN = 0.02
"""Seconds that are lost in the noise of the clock."""


def seconds(read: Callable[[str], object], text: str) -> float:
    """Processor time of one reading."""
    start = time.process_time()
    read(text)
    return time.process_time() - start


def growth(read: Callable[[str], object], piece: str) -> float:
    """How many times as long the long text takes, the best of three; 0 where both are lost in the noise."""
    short, long = ((piece * length)[:length] for length in (SHORT, LONG))
    taken = seconds(read, long)
    if taken < UNSEEN:
        return 0.0
    return min((min(taken, seconds(read, long)) / max(seconds(read, short), 1e-4)) for _ in range(3))


def main() -> int:
    """Print the worst piece of each reader; 1 if any grows faster than in proportion."""
    worst = 0.0
    for name, read in READERS.items():
        read("Ada.")
        times, piece = max((growth(read, piece), piece) for piece in PIECES)
        worst = max(worst, times)
        print(f"{name:18} x{times:5.1f} for {LONG // SHORT} times the text, on {piece!r}")
    return int(worst > GROWTH)


if __name__ == "__main__":
    sys.exit(main())
