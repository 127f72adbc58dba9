"""Index entries: the terms of a memory that the keyword index holds, and the text features that rankers read.

Deterministic: an index rebuilt from the originals has the same bytes.

Two texts are the same but for letter case where it carries no meaning. Case carries the value in units,
identifiers, file names and codes. It carries none in an ordinary word that begins a sentence, and in a text
that is all in capitals.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from datetime import UTC

import msgspec

from combray.language.aliases import learned
from combray.language.caches import late
from combray.language.dates.detection import has_time_expression
from combray.language.intent import cue_bits
from combray.language.names import normal
from combray.language.scopes import scope_set
from combray.language.tables import fingerprint
from combray.language.tense import tense_bit
from combray.language.text import Text, read_once, text_of
from combray.language.tokens import all_runs, all_terms, content, count, is_stop, terms
from combray.records import dataclass
from combray.types import Memory

_VERSION = "6"
"""Raise when `terms`, `index_entry` or `content_hash` change: stores then derive them again on opening."""

SEPARATED = "separated_names"
"""Key of the metadata with the pairs of names that a text teaches and somebody separated."""
_QUOTES = {'"': "“”„‟«»「」『』〝〞", "'": "‘’‚‛‹›ʼ"}
_TYPOGRAPHIC = str.maketrans(
    {mark: plain for plain, marks in {**_QUOTES, "-": "‐‑‒–—―"}.items() for mark in marks}
)
_INVERTED = late("[¡¿]")
_GUILLEMETS = late(r"«\s*([^«»]*?)\s*»")
_CODE = late(r"[`=<>{}\[\]\\|$;_/@#*~^+]|\w\(|::|(?<!\w)[-−–]{1,2}\w")
_HASH_FORM, _EARLIER_HASH = "2:", late("[0-9a-f]{64}")
"""What a content hash starts with, and the hashes that ignored the case of every letter."""
QUESTION_ENDS = ("?", "？", "؟")


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """The index fields (content, context, origin, entities and tags) as term lists, and features of the text.

    `asks`: it ends in a question; `times`: it holds a time expression; `cues`: bits of
    `language.intent.Cue`, and of `language.tense.TENSE_BITS` for a text that is not about the present; `names`:
    (name, canonical name, "declared" or "learned") of entities, normalised, sorted.
    """

    fields: tuple[list[str], list[str], list[str], list[str]]
    words: int
    length: int
    asks: bool
    times: bool
    cues: int
    names: tuple[tuple[str, str, str], ...] = ()


def terms_version() -> str:
    """Return the version of the index terms. It changes with this module and with the languages added."""
    return f"{_VERSION}+{added}" if (added := fingerprint()) else _VERSION


def full_text(memory: Memory) -> str:
    """Return the content with its context (such as a picture's caption): the text that is measured and embedded.

    Author and date are not included: in front of a text they cost a dense model fifteen points of recall
    (bench/results/quality.md).
    """
    return f"{memory.content} {memory.context}" if memory.context else memory.content


def index_entry(memory: Memory) -> IndexEntry:
    """Return the index entry of a memory. Content and context keep stop words, so that phrases can match."""
    whole = full_text(memory)
    # A name in the text is indexed with the text; indexed twice it would only favour texts with names.
    folded = whole.casefold()
    aliased = (each for listed in memory.aliases.values() for each in listed)
    unsaid = [name for name in (*memory.entities, *aliased) if name.casefold() not in folded]
    named = " ".join((*unsaid, *memory.tags))
    # Author and calendar date as words: "Caroline 8 May 2023 Monday".
    occurred = memory.occurred_from and memory.occurred_from.astimezone(UTC)
    origin = f"{memory.author or ''} {f'{occurred.day} {occurred:%B %Y %A}' if occurred else ''}"
    said = text_of(memory.content)
    read = said if whole is memory.content else text_of(whole)
    runs = all_runs(read)
    return IndexEntry(
        fields=(
            list(all_terms(said)),
            terms(memory.context) if memory.context else [],
            terms(origin),
            terms(named) if named else [],
        ),
        words=count(read),
        length=len(content(read)),
        asks=memory.content.rstrip().endswith(QUESTION_ENDS),
        times=has_time_expression(whole),
        cues=cue_bits(whole, runs) | tense_bit(memory.content),
        names=_names(memory),
    )


def _names(memory: Memory) -> tuple[tuple[str, str, str], ...]:
    apart = separated_names(memory)
    taught = ((normal(short), normal(long)) for long, short in learned(memory.content))
    stated = [(short, long, "learned") for short, long in taught if (long, short) not in apart]
    for canonical, others in memory.aliases.items():
        main = normal(canonical)
        stated += [(name, main, "declared") for name in (main, *map(normal, others)) if name and main]
    return tuple(sorted(set(stated)))


def separated_names(memory: Memory) -> frozenset[tuple[str, str]]:
    """Return the (canonical name, other name) that the text teaches and somebody separated, in `normal` form."""
    given = memory.metadata.get(SEPARATED, ())
    pairs = given if isinstance(given, (list, tuple)) else ()
    return frozenset(
        (normal(each[0]), normal(each[1]))
        for each in pairs
        if isinstance(each, (list, tuple)) and len(each) == 2 and all(isinstance(name, str) for name in each)
    )


def teaches(memory: Memory) -> bool:
    """Return whether the names that a memory states are used: it is not forgotten, nor third-party content."""
    return memory.status != "forgotten" and memory.trust in ("owner", "agent")


def normalised(text: str) -> str:
    """Return the text without case, width, extra white space and the final stop, for words that are looked up."""
    return _bare(text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold())


def same_text(text: str) -> str:
    """Return the text as it is compared with another for being the same.

    Width, extra white space, the final stop, and case where it carries no meaning do not count.
    """
    return _bare(plain_case(text if text.isascii() else unicodedata.normalize("NFKC", text)))


def _bare(text: str) -> str:
    return " ".join(text.split()).rstrip(".!。！ ")


@read_once
def typeset(text: Text) -> str:
    """Return the `same_text` with plain quotation marks and dashes, without inverted marks.

    A text with a mark of code, a command or a path, or with plain and typographic quotation marks, is
    returned without this: there one mark is not another.
    """
    found = same_text(text.text)
    if found.isascii() or _CODE.search(found):
        return found
    if any(plain in found and not set(marks).isdisjoint(found) for plain, marks in _QUOTES.items()):
        return found  # it may be about the marks
    return _INVERTED.sub("", _GUILLEMETS.sub(r'"\1"', found).translate(_TYPOGRAPHIC))


def content_hash(memory: Memory) -> str:
    """Return "2:" and the SHA-256 of the `same_text` with author, day it happened and scopes, if those are given.

    The same words from another person, about another day or in another scope are another memory.
    """
    day = memory.occurred_from.astimezone(UTC).date().isoformat() if memory.occurred_from else ""
    identity = "\x1f".join(
        (same_text(memory.content), (memory.author or "").casefold(), day, *scope_set(memory.tags))
    )
    return _HASH_FORM + hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()


def with_hash(memory: Memory) -> Memory:
    """Return the memory with its content hash."""
    return msgspec.structs.replace(memory, content_hash=content_hash(memory))


def with_current_hash(memory: Memory) -> Memory:
    """Return the memory with its content hash if it has none, or that of an earlier version."""
    known = memory.content_hash
    return with_hash(memory) if not known or _EARLIER_HASH.fullmatch(known) else memory


# The first word of a sentence: letters only, with nothing but punctuation behind it. Bounds keep the time linear.
_FIRST = late(
    r"(?:\A|[.!?…][\"'”’»)\]]{0,4}\s|[。！？])[\W_]{0,8}?([^\W\d_])((?:['’-]?[^\W\d_])*+)"
    r"(?=[.,;:!?…)\"'”’»\]]{0,8}(?:\s|\Z))"
)
_LETTERS = late(r"(?<![^\s\"'“„«(\[])[^\W\d_]{2,}(?=[.,;:!?…)\"'”’»\]]{0,8}(?:\s|\Z))")
_WORD = late(r"\w+")
_SHOUTED_FROM = 2
"""Words of letters only from which a text all in capitals is taken for ordinary words. One may be a name."""


def plain_case(text: str) -> str:
    """Return the text in lower case where the case carries no meaning."""
    if text.islower():
        return text
    if text.isupper() and len(_LETTERS.findall(text)) >= _SHOUTED_FROM:
        # Codes with digits keep their capitals.
        return _LETTERS.sub(lambda word: word[0].lower(), text)
    return _FIRST.sub(_begun, text)


def _begun(first: re.Match[str]) -> str:
    head, rest = first[1], first[2]
    # "K is 5" and "k is 5" are two things, "I" and "A" are words of a closed class.
    ordinary = rest.islower() if rest else is_stop(head.lower())
    if not ordinary or not head.isupper():
        return first[0]
    return first[0][: first.start(1) - first.start()] + head.lower() + rest


def case_differs(one: str, other: str) -> bool:
    """Return whether two texts hold a word that differs in case alone, where case carries meaning."""
    if one.islower() and other.islower():
        return False
    mine, theirs = set(_WORD.findall(plain_case(one))), set(_WORD.findall(plain_case(other)))
    only_mine, only_theirs = mine - theirs, theirs - mine
    return not {word.casefold() for word in only_mine}.isdisjoint(word.casefold() for word in only_theirs)
