"""The API reference: lines `::: name` of a page, replaced by what the docstrings say."""

from __future__ import annotations

import enum
import functools
import importlib
import inspect
import re
import typing
from collections.abc import Iterator
from dataclasses import is_dataclass

DIRECTIVE = re.compile(r"^::: ([\w.]+\*?)$", re.MULTILINE)


def rendered(page: str) -> str:
    """A page with its directives replaced; `package.*` stands for the public names without one of their own."""
    named = set(DIRECTIVE.findall(page))
    return DIRECTIVE.sub(lambda found: "\n".join(_expanded(found[1], named)), page)


def _expanded(name: str, named: set[str]) -> Iterator[str]:
    package, star, _ = name.partition(".*")
    if not star:
        yield from described(name)
        return
    for public in importlib.import_module(package).__all__:
        if f"{package}.{public}" not in named and public[0] != "_":
            yield from described(f"{package}.{public}")


def described(name: str) -> Iterator[str]:
    """Markdown of a public name: `package.module.Name` or `package.Name`."""
    module, _, attribute = name.rpartition(".")
    thing = getattr(importlib.import_module(module), attribute)
    if inspect.isclass(thing):
        yield from _class(attribute, thing)
    elif inspect.isroutine(thing):
        yield from _function(attribute, thing)
    else:
        yield from (f"### {attribute}", "", f"```python\n{attribute} = {_short(thing)}\n```", "")


def _class(name: str, kind: type) -> Iterator[str]:
    yield from (f"### {name}", "", *_text(kind), "")
    if typing.is_typeddict(kind) or is_dataclass(kind):
        hints = getattr(kind, "__annotations__", {})
        rows = [f"| `{field}` | `{_type(hint)}` |" for field, hint in hints.items() if field[0] != "_"]
        yield from ("| field | type |", "|---|---|", *rows, "") if rows else ()
    if issubclass(kind, enum.Enum):
        yield from ("Values: " + ", ".join(f"`{each.value}`" for each in kind), "")
    # Members of our own classes only; inherited ones come first.
    ours = [each for each in reversed(kind.__mro__) if each.__module__.startswith("combray.")]
    for attribute in dict.fromkeys(name for each in ours for name in vars(each)):
        member = inspect.getattr_static(kind, attribute)
        if attribute[0] == "_":
            continue
        function = getattr(member, "fget", None) or getattr(member, "func", None) or member
        function = getattr(function, "__func__", function)
        if inspect.isfunction(function) and not typing.is_typeddict(kind):
            owner = function.__qualname__.rpartition(".")[0]
            if owner and owner not in {each.__name__ for each in ours}:
                # Described with the class it is from, such as the verbs of AsyncEngine.
                continue
            property_ = isinstance(member, property | functools.cached_property)
            yield from _function(f"{name}.{attribute}", function, bare=property_)


def _function(name: str, function: typing.Any, *, bare: bool = False) -> Iterator[str]:
    yield from (f"#### {name}" + " (attribute)" * bare, "")
    if not bare:
        yield from (f"```python\n{_signature(name.rpartition('.')[2], function)}\n```", "")
    yield from (*_text(function), "")


def _signature(name: str, function: typing.Any) -> str:
    """The call as it stands in the code, a parameter a line if it is long; no `self`."""
    shown = inspect.signature(function)
    parameters = [each for each in shown.parameters.values() if each.name != "self"]
    parts = [_plain(str(each)) for each in parameters]
    kinds = [each.kind for each in parameters]
    if inspect.Parameter.KEYWORD_ONLY in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds:
        parts.insert(kinds.index(inspect.Parameter.KEYWORD_ONLY), "*")
    result = "" if shown.return_annotation is shown.empty else f" -> {_plain(str(shown.return_annotation))}"
    line = f"{name}({', '.join(parts)}){result}"
    if len(line) < 90:
        return line
    return "\n".join([f"{name}(", *(f"    {part}," for part in parts), f"){result}"])


def _plain(annotated: str) -> str:
    """Annotations without the quotes of postponed evaluation and without module names."""
    return re.sub(r"(: |^)(['\"])(.+?)\2(?= = |$)", r"\1\3", annotated).replace("builtins.", "")


def _text(thing: object) -> list[str]:
    return (inspect.getdoc(thing) or "").splitlines()


def _type(hint: object) -> str:
    text = hint if isinstance(hint, str) else getattr(hint, "__forward_arg__", None) or str(hint)
    return text.replace("|", "\\|").replace("typing.", "")


def _short(thing: object) -> str:
    text = repr(thing)
    return text if len(text) < 200 else text[:199] + "…"
