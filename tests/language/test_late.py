"""Patterns that are compiled on first use behave as compiled ones."""

from __future__ import annotations

import re

from combray.language.caches import late


def test_a_late_pattern_has_the_methods_of_a_pattern() -> None:
    found = late("[a-c]+", re.IGNORECASE)
    assert found.findall("abc xyz CAB") == ["abc", "CAB"]
    assert found.sub("-", "abc!") == "-!"
    assert found.pattern == "[a-c]+"
    assert found.search("xyz") is None
