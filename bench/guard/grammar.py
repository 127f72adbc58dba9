"""Training texts made from a grammar: templates with slots, in `texts/grammar-*.txt`. The same every time.

`@name = a | b` defines a slot, `# label family language count` starts a family of templates, every other line is
a template. `\\n` is a line break. A template is one source: a split never divides its texts.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

_SLOT = re.compile(r"\{(\w+)\}")
_DEPTH = 4


def families(path: Path) -> Iterator[tuple[str, str, str, list[tuple[int, str]]]]:
    """Yield (label, family, language, (template, text) pairs) of every family of a file."""
    slots: dict[str, list[str]] = {}
    heading: tuple[str, str, str, int] | None = None
    templates: list[str] = []
    for line in [*path.read_text(encoding="utf-8").splitlines(), "# end end end 0"]:
        if line.startswith("@"):
            name, _, values = line[1:].partition(" = ")
            slots[name.strip()] = [each.strip() for each in values.split("|")]
        elif line.startswith("# "):
            if heading is not None:
                label, family, language, count = heading
                yield label, family, language, _made(templates, slots, family + language, count)
            label, family, language, many = line[2:].split()
            heading, templates = (label, family, language, int(many)), []
        elif line.strip():
            templates.append(line)


def _made(templates: list[str], slots: Mapping[str, list[str]], seed: str, count: int) -> list[tuple[int, str]]:
    """Return `count` different texts with their templates' numbers, each template as often as the others."""
    chance = random.Random(seed)
    texts: dict[str, int] = {}
    for number in range(4 * count):
        if len(texts) == count:
            break
        text = templates[number % len(templates)]
        for _ in range(_DEPTH):
            text = _SLOT.sub(lambda slot: chance.choice(slots[slot[1]]) if slot[1] in slots else slot[0], text)
        text = re.sub(r" +([.,;!?])", r"\1", re.sub(r"  +", " ", text)).replace("\\n", "\n").strip()
        texts.setdefault(text[:1].upper() + text[1:], number % len(templates))
    return [(template, text) for text, template in texts.items()]
