"""Split a folded text into sentences of words, and mark quotations, markup and addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from combray.records import dataclass, field

LONGEST = 60
"""Maximum words of a sentence. A longer one is split into windows that overlap by a third."""
_STEP = 40

DOMAINS = "com|net|org|io|xyz|info|biz|ru|cn|vn|site|online|top|shop|app|dev|ai|co|example|test|tk"
"""Top-level domains that make a name an address."""
_TOKEN = re.compile(
    r"""
    # Nothing begins at a space inside a line, so spaces are matched with what precedes them.
    # Plain words are matched in one piece, except those that may start markup or a role: they begin
    # with b, d, e, h or s. What follows the last one shows that it is whole, and no part of an address.
    # Ends and pauses are frequent, and nothing else begins as they do but an address ("._name@…"): hence `stop`.
    (?P<plain>(?:(?:[acfgi-rt-z]
        |(?!(?:begin|end|system|developer|sysadmin|he\ thong|sistema|systeme)\b)[bdehs])
        [a-z]*+(?:'[a-z]++)*+(?:[ ]++|(?=[^\w.+@$:'-]|[.]\s|:(?!/)|'(?!\w))))+)
    |(?P<end>[.!]+(?=[\s"”')\]*]|$)[ ]*+|[。！；;\n]+)
    |(?P<pause>[,，、])[ ]*+
    |(?P<question>[?？])
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
    |(?P<fence>```+|~~~+)
    |(?P<opening>[“«„「『]|(?<!\w)'(?=\w))
    |(?P<closing>[”»」』]|(?<=[\w.!?])'(?!\w))
    |(?P<quote>["`＂])
    |(?P<word>[ぁ-ヿ㐀-鿿]|(?:(?![ぁ-ヿ㐀-鿿])[^\W_]|[@$](?=\w))+(?:'[^\W_]+)*)[ ]*+
    |(?P<stop>[.!]+(?=_))
    |(?P<snake>_(?=[^\W_]))
    """.replace("@DOMAINS@", DOMAINS),
    re.VERBOSE,
)


@dataclass(slots=True)
class Sentence:
    """Words, which of them are quoted, and other tokens among them (kind -> places)."""

    words: list[str] = field(default_factory=list)
    quoted: list[bool] = field(default_factory=list)
    others: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    asks: bool = False
    keyed: bool = False
    """Whether quotation marks enclose a field name, as in JSON, and are not a quotation."""
    listed: bool = False
    """Whether it starts an item of a list."""

    def extend(self, words: list[str], quoted: bool) -> None:
        """Append words."""
        self.words += words
        self.quoted += [quoted] * len(words)

    def mark(self, kind: str, quoted: bool) -> None:
        """Append a token that is not a word; it takes a place too."""
        self.others.setdefault(kind, []).append((len(self.words), len(self.words)))
        self.extend([""], quoted)

    def join(self) -> None:
        """Mark that the last word and the next one are parts of an identifier."""
        if self.words:
            at = len(self.words) - 1
            self.others.setdefault("snake", []).append((at, at))

    def rest(self, first: int) -> Sentence:
        """Return the part from word `first` on: the next window of a long sentence."""
        others = {
            kind: [(at - first, at - first) for at, _ in places if at >= first]
            for kind, places in self.others.items()
            if places[-1][0] >= first
        }
        return Sentence(self.words[first:], self.quoted[first:], others)


def sentences(text: str) -> Iterator[Sentence]:
    """Yield the sentences of a folded text; those longer than LONGEST in windows."""
    current = Sentence()
    inside = fenced = False
    quoted_line = text.startswith(">")
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or ""
        if kind == "plain":
            words = match[0].split()
            while len(current.words) + len(words) >= LONGEST:
                room = LONGEST - len(current.words)
                current.extend(words[:room], inside or fenced or quoted_line)
                yield current
                current, words = current.rest(_STEP), words[room:]
            current.words += words
            current.quoted += [inside or fenced or quoted_line] * len(words)
            continue
        if kind == "word":
            current.words.append(match["word"])
            current.quoted.append(inside or fenced or quoted_line)
        elif kind in ("end", "question", "stop"):
            current.asks = kind == "question"
            if "\n" in match[0]:
                inside = False
                quoted_line = text.startswith(">", match.end())
            if current.words:
                yield current
                current = Sentence()
        elif kind == "bullet":
            current.listed = not current.words
        elif kind == "fence":
            fenced = not fenced
        elif kind == "quote":
            inside = not inside
            current.keyed = current.keyed or text.startswith(":", match.end())
        elif kind in ("opening", "closing"):
            inside = kind == "opening"
        elif kind == "snake":
            # Part of an identifier such as "delete_file", whose words stay neighbours.
            current.join()
        else:
            # An imperative can start after a comma or colon ("If asked, answer …"), so these take a place too.
            current.mark(kind, inside or fenced or quoted_line)
        if len(current.words) >= LONGEST:
            yield current
            current = current.rest(_STEP)
    if current.words:
        yield current
