"""Write the tables of given names, `language/<code>/names.json`, from Faker's person providers.

    pip install faker==40.54.0
    python -m bench.names

Faker is published under the MIT licence; `src/combray/language/names-LICENSE.txt` is its text. Dropped are names
that are everyday words at the start of a sentence ("Will", "Rose"): those in lower case in the word tables of the
language or of English, those that the vocabulary of the default embedder has as a word, and `WORDS`.
"""

from __future__ import annotations

import importlib
import json
import re
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import wordllama

LANGUAGE = Path(__file__).parent.parent / "src" / "combray" / "language"
LOCALES = {
    "de": ("de_DE",),
    "en": ("en_US", "en_GB", "en_IN"),
    "es": ("es_ES", "es_MX"),
    "fr": ("fr_FR",),
    "it": ("it_IT",),
    "pt": ("pt_BR", "pt_PT"),
    "ru": ("ru_RU",),
}
"""Not Vietnamese: its given names are also the first syllables of common words ("Hạnh phúc", "Khoa học")."""
_WORDS = (
    "amber brandy brook candy carol chad chase crystal dale daisy dakota dallas dean destiny dusty ernest "
    "frank ginger hazel heather holly hope hunter iris ivy jade jasmine joy lane lily mason melody "
    "mercedes miles misty olive pearl penny prince robin ruby sandy sierra star sterling tanner victor "
    "violet wade will август вера лев любовь надежда роман слава "
)
WORDS = frozenset(_WORDS.split())
"""Names that are everyday words, or things, in English or Russian, and that the tables do not know as words."""
_NAMES = (
    "ali allen ann anni ben dan elif ellen elli ella frances hans ian jack jo julio luc maja marc mia "
    "nick otto pam patrick pia pier ray roy sam theo tim tom urs "
)
NAMES = frozenset(_NAMES.split())
"""Words of the tables and of the embedder's vocabulary that are nothing but names."""
PER_LINE = 118


def main() -> None:
    """Write all tables and print their sizes."""
    english, vocabulary = words_of("en"), lower_case_words()
    listed = json.loads((LANGUAGE / "en" / "names.json").read_text(encoding="utf-8"))
    own = {gender: " ".join(names).split() for gender, names in listed.items()}
    known: dict[str, set[str]] = {"male": set(), "female": set()}
    for code, locales in sorted(LOCALES.items(), key=lambda each: each[0] != "en"):
        everyday = (words_of(code) | english | vocabulary | WORDS) - NAMES
        table = {}
        for gender in ("male", "female"):
            names = {name for locale in locales for name in of_locale(locale, gender)} - everyday
            # The table has common names that Faker's English providers lack ("Bob").
            names |= set(own[gender]) - everyday if code == "en" else set()
            # The tables of all languages are read together: a name is written once.
            table[gender] = sorted(names - known[gender])
            known[gender] |= names
        path = LANGUAGE / code / "names.json"
        path.write_text(rendered(table), encoding="utf-8")
        print(code, *(f"{gender} {len(names)}" for gender, names in table.items()), path.stat().st_size, "bytes")


def of_locale(locale: str, gender: str) -> Iterator[str]:
    """Yield the single given names of one Faker provider, in lower case, those of either gender in both."""
    provider = importlib.import_module(f"faker.providers.person.{locale}").Provider
    for key in (f"first_names_{gender}", "first_names_unisex"):
        for name in getattr(provider, key, ()):
            if name.isalpha() and len(name) > 1:
                yield name.lower()


def words_of(code: str) -> set[str]:
    """Return the words that a language's tables have in lower case."""
    found: set[str] = set()
    for path in (LANGUAGE / code).glob("*.json"):
        if path.stem not in ("names", "guard"):
            for text in _texts(json.loads(path.read_text(encoding="utf-8"))):
                found.update(word for word in re.findall(r"[^\W\d_]+", text) if word.islower())
    return found


def _texts(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)
    elif isinstance(value, dict):
        for key, each in value.items():
            if not key.startswith("names_"):
                yield key
                yield from _texts(each)


def lower_case_words() -> set[str]:
    """Return the whole words in lower case of the default embedder's vocabulary."""
    path = Path(wordllama.__file__).parent / "tokenizers" / "l2_supercat_tokenizer_config.json"
    tokens = json.loads(path.read_text(encoding="utf-8"))["model"]["vocab"]
    return {token[1:] for token in tokens if token[0] == "▁" and token[1:].islower()}


def rendered(table: dict[str, list[str]]) -> str:
    """Return a table as JSON: names with spaces between, on lines of at most `PER_LINE` characters."""
    parts = []
    for key, names in table.items():
        lines = ",\n".join(f'  "{line}"' for line in textwrap.wrap(" ".join(names), PER_LINE - 2))
        parts.append(f' "{key}": [\n{lines}\n ]')
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    main()
