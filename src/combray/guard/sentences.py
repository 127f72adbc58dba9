"""Split a folded text into sentences of words, and mark quotations, markup and addresses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

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
