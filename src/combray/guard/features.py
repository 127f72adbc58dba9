"""The sentences of a folded text, and their features: n-grams over words and over their classes, as strings.

Quotations, markup and addresses are marked. A class is a set of words that mean the same to the guard in every
language ("ignore", "rules", "prior"), so a paraphrase or a translation has the same n-grams of classes.
`injection.py` hashes and weighs them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from combray.guard.vocabulary import GuardVocabulary, meant
from combray.records import dataclass, field

LONGEST = 60
"""Maximum words of a sentence. A longer one is split into windows that overlap by a third."""
_STEP = 40

_DOMAINS = "com|net|org|io|xyz|info|biz|ru|cn|vn|site|online|top|shop|app|dev|ai|co|example|test|tk"
_TOKEN = re.compile(
    r"""
    (?P<end>[.!]+(?=[\s"”')\]*]|$)[ ]*+|[。！；;\n]+)
    |(?P<question>[?？])
    |(?P<pause>[,，、])
    |(?P<colon>[:：])
    |(?P<markup><\|[^|<>\n]{1,40}\|>|\[/?inst\]|<</?sys>>|<(?:start|end)_of_turn>|</?(?:system|developer|sys)>
        |\[(?:system|developer|admin)[^\]\n]{0,30}\]
        |\#\#\#\ ?(?:system|instructions?|new\ instructions?|response)\b
        |(?:begin|end)\ (?:system|of\ system)\ prompt|<(?:important|secret|instructions?|admin|override)>)
    |(?P<tool></?(?:\w{1,20}:)?(?:tool_calls?|function_calls?|invoke|tool_use|functions?|tool_code)\b[^>\n]{0,80}>
        |"(?:tool|function|function_call|tool_calls?|tool_name|name|action|recipient)"\s{0,4}:\s{0,4}["{\[][^\n]{0,80}?
         "(?:arguments|parameters|args|input|action_input|tool_input)"\s{0,4}:)
    |(?P<role>(?:(?<=\n)|(?<![^\n]))\s{0,4}(?:system|developer|sysadmin|he\ thong|系统|系統|sistema|systeme)
        (?:\ (?:message|prompt|note|alert|notice|instruction|override))?\s?[:：](?!/))
    |(?P<bullet>(?:(?<=\n)|(?<![^\n]))[ \t]{0,8}(?:[-*•+]|\(?\d{1,2}[.)])[ \t]+)
    |(?P<address>(?:https?|ftp)://[^\s"'<>]{3,200}|(?<![\w@.])www\.[^\s"'<>]{3,200}
        |(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{1,63}
        |(?<![\w.-])[\w-]{1,63}\.(?:@DOMAINS@)(?![\w]))
    |(?P<opening>[“«„「『]|(?<!\w)'(?=\w))
    |(?P<closing>[”»」』]|(?<=[\w.!?])'(?!\w))
    |(?P<quote>["`＂]+)
    |(?P<word>[ぁ-ヿ㐀-鿿]|(?:(?![ぁ-ヿ㐀-鿿])[^\W_]|[@$](?=\w))+(?:'[^\W_]+)*)
    """.replace("@DOMAINS@", _DOMAINS),
    re.VERBOSE,
)
_PLAIN_TOKEN = re.compile(
    r"""
    [ぁ-ヿ㐀-鿿]|(?:(?![ぁ-ヿ㐀-鿿])[^\W_]|[@$](?=\w))+(?:'[^\W_]+)*
    |[.!]+(?=[\s"”')\]*]|$)[ ]*+|[。！；;\n]+|[?？]|[,，、]|[“«„「『”»」』]|["`＂]+
    |(?<!\w)'(?=\w)|(?<=[\w.!?])'(?!\w)
    """,
    re.VERBOSE,
)
"""The tokens that are no markup, in a text that has none: a third of the time, since words are tried first."""
_BY_FIRST = {
    **dict.fromkeys(".!。！；;\n", "end"),
    **dict.fromkeys("?？", "question"),
    **dict.fromkeys(",，、", "pause"),
    **dict.fromkeys("“«„「『", "opening"),
    **dict.fromkeys("”»」』", "closing"),
    **dict.fromkeys('"`＂', "quote"),
}
"""Kinds of those tokens by their first character. All others are words, but for an apostrophe."""
_MARKED = re.compile(r"[<>\[#@:：]|\.[\w-]|www\.|system|^[ \t]{0,8}[-*•+(\d]", re.MULTILINE)
"""A part of every markup, tool call, role, address and item of a list."""


@dataclass(slots=True)
class Sentence:
    """Words, which of them are quoted, and the places of tokens that are no words, by kind.

    asks: it ends with a question mark; keyed: quotation marks enclose a field name, as in JSON; listed: it starts
    an item of a list.
    """

    words: list[str] = field(default_factory=list)
    quoted: list[bool] = field(default_factory=list)
    others: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    asks: bool = False
    keyed: bool = False
    listed: bool = False

    def add(self, kind: str, quoted: bool) -> None:
        """Append a token of a kind, which takes the place of a word."""
        self.others.setdefault(kind, []).append((len(self.words), len(self.words)))
        self.words.append("")
        self.quoted.append(quoted)

    def rest(self) -> Sentence:
        """Return the next window of a long sentence."""
        others = {
            kind: [(at - _STEP, at - _STEP) for at, _ in places if at >= _STEP]
            for kind, places in self.others.items()
            if places[-1][0] >= _STEP
        }
        return Sentence(self.words[_STEP:], self.quoted[_STEP:], others)


def _tokens(text: str) -> Iterable[tuple[str, str, int]]:
    """Return the kind of each token, the token, and where it ends; 0 in a text where nothing depends on it."""
    if _MARKED.search(text) is None:
        found = _PLAIN_TOKEN.findall(text)
        # An apostrophe opens or closes a quotation, which its place decides.
        if "'" not in found:
            return [(_BY_FIRST.get(token[0], "word"), token, 0) for token in found]
    return ((match.lastgroup or "", match[0], match.end()) for match in _TOKEN.finditer(text))


def sentences(text: str) -> Iterator[Sentence]:
    """Yield the sentences of a folded text; those longer than LONGEST in windows."""
    current = Sentence()
    inside = False
    quoted_line = text.startswith(">")
    for kind, token, end in _tokens(text):
        if kind == "word":
            current.words.append(token)
            current.quoted.append(inside or quoted_line)
        elif kind in ("end", "question"):
            current.asks = kind == "question"
            if "\n" in token:
                inside = False
                quoted_line = text.startswith(">", end)
            if current.words:
                yield current
                current = Sentence()
        elif kind == "bullet":
            current.listed = not current.words
        elif kind == "quote":
            inside = not inside
            current.keyed = current.keyed or text.startswith(":", end)
        elif kind in ("opening", "closing"):
            inside = kind == "opening"
        else:
            current.add(kind, inside or quoted_line)
        if len(current.words) >= LONGEST:
            yield current
            current = current.rest()
    if current.words:
        yield current


# -- features --------------------------------------------------------------------------------------

SPAN = 8
"""Maximum distance in words of a pair of classes."""
_ORDERS = frozenset("ignore edit task act send reveal store bypass tell directive".split())  # noqa: SIM905
"""Classes that make a clause an order if it starts with one of their words."""
_CLAUSES = ("pause", "colon", "always", "must", "urgent")
"""Tokens and classes after which a clause may start."""
_UNPAIRED = frozenset(("pause", "reported", "first"))
_HEEDABLE = frozenset(("ignore", "bypass", "unbound"))
"""Classes whose words mean the contrary behind a negation (class "heed"): "don't forget the instructions"."""

Places = dict[str, list[tuple[int, int]]]


def features(
    sentence: Sentence, languages: Sequence[GuardVocabulary], *, disguised: bool = False, framed: bool = True
) -> set[str]:
    """Return the features of a sentence, each once.

    `disguised`: the text was hidden. `framed`: the text has words outside its quotation marks; a text that is one
    quotation reports nothing.
    """
    words = [part for word in sentence.words for part in meant(word)]
    places = _places(words, sentence, languages)
    found = {f"~{word}" for word in words if word}
    found.update([f"~{one} {other}" for one, other in pairwise(words) if one and other])
    found.update(_of_classes(places))
    flags = {
        "disguised": disguised,
        "question": sentence.asks,
        "quoted": framed and not sentence.keyed and _quoted(sentence.quoted),
        "listed": sentence.listed,
    }
    found.update([f"!{name}" for name, holds in flags.items() if holds])
    return found


def classes(feature: str) -> tuple[str, ...]:
    """Return the classes of a feature; () for one of words."""
    return () if feature[0] in "~!" else tuple(feature.lstrip("=^").split(">"))


def _places(words: list[str], sentence: Sentence, languages: Sequence[GuardVocabulary]) -> Places:
    """Return where each class of words stands, and each kind of token."""
    places: Places = {kind: list(found) for kind, found in sentence.others.items()}
    for each in languages:
        each.find(words, places)
    heeded = places.get("heed", ())
    for name in _HEEDABLE.intersection(places) if heeded else ():
        places[name] = [at for at in places[name] if not any(low <= at[0] <= high for low, high in heeded)]
    return places


def _of_classes(places: Places) -> Iterator[str]:
    """Yield each class ("=bots"), each that starts a clause ("^bots"), and each ordered pair ("bots>sayas")."""
    starts = {0, *(end + 1 for name in _CLAUSES for _, end in places.get(name, ()))}
    found = sorted((start, end, kind) for kind, where in places.items() for start, end in where)
    for at, (start, end, kind) in enumerate(found):
        yield f"={kind}"
        if start in starts:
            yield f"^{kind}"
            if kind in _ORDERS:
                yield "^order"
                if start == 0:
                    yield "^imperative"
        if kind in _UNPAIRED:
            continue
        for later, _, other in found[at + 1 :]:
            if later > end + SPAN:
                break
            if later > end and other != kind and other not in _UNPAIRED:
                yield f"{kind}>{other}"


def _quoted(quoted: Sequence[bool]) -> bool:
    """Whether most of a sentence is quoted, or it starts outside of a quotation of two words or more."""
    return sum(quoted) * 2 > len(quoted) or (sum(quoted) > 1 and not quoted[0])
