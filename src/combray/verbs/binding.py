"""Arguments in JSON: their schema, and their check against a declaration, with errors for people.

Null counts as absent for an optional parameter, and one text where a list is expected as a list of one: callers
that write JSON by hand, language models among them, do both.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from combray.errors import InvalidInputError, brief
from combray.records import dataclass
from combray.verbs import signature
from combray.verbs.declaration import Parameter, Verb, absent_value

_TRUTHS = {"true": True, "false": False}
_KINDS: dict[str, type | tuple[type, ...]] = {
    "text": str,
    "integer": (int, float),
    "number": (int, float),
    "truth": bool,
    "object": dict,
    "names": (list, dict),
}
_TYPES: dict[str, dict[str, Any]] = {
    "text": {"type": "string"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "truth": {"type": "boolean"},
    "object": {"type": "object", "additionalProperties": True},
}
_LIST: dict[str, Any] = {"type": "array", "items": {"type": "string"}}
_NULL = {"type": "null"}


@dataclass(frozen=True, slots=True)
class Call:
    """A verb with checked arguments. Call it with an engine."""

    verb: Verb
    arguments: dict[str, Any]

    def __call__(self, engine: Any, **objects: Any) -> Any:
        """Return what the engine's verb returns.

        `objects`: parameters that JSON cannot express, such as `progress`, or the `stream` of an export.
        """
        return self.on(self.owner(engine), **objects)

    def owner(self, engine: Any) -> Any:
        """Return what has the verb: the engine, one of its facets, or a conversation."""
        facet = self.verb.call.rpartition(".")[0]
        if facet == "conversation":
            return engine.conversation(self.arguments["session"])
        return getattr(engine, facet) if facet else engine

    def on(self, owner: Any, **objects: Any) -> Any:
        """Return what the verb of its owner returns."""
        facet, _, name = self.verb.call.rpartition(".")
        given = self.arguments | objects
        if facet == "conversation":
            del given["session"]
        several = signature.variadic(self.verb)
        values = given.pop(several, ())
        before = [given.pop(each) for each in signature.before(self.verb, several)] if several else []
        return getattr(owner, name)(*before, *values, **given)


def exactly(known: Mapping[str, Parameter], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given arguments, each of which must have the form of its schema. Raises InvalidInputError.

    For programs, whose mistakes are reported and not guessed at. Null stays null.
    """
    found = checked_arguments("the request", known, given)
    for name, value in given.items():
        if not _fits(known[name], value):
            raise InvalidInputError(name, f"must be {_said(known[name])}, got {brief(value)}.")
    return {name: found[name] if value is not None else None for name, value in given.items()}


def _fits(parameter: Parameter, value: Any) -> bool:
    if value is None:
        return not parameter.required and absent_value(parameter) is None
    if parameter.many and not isinstance(value, list):
        return False
    kinds = _KINDS[parameter.type]
    # True is an integer to Python.
    truths = [isinstance(each, bool) == (parameter.type == "truth") for each in _each(parameter, value)]
    return all(truths) and all(isinstance(each, kinds) for each in _each(parameter, value))


def _each(parameter: Parameter, value: Any) -> Sequence[Any]:
    return value if parameter.many else [value]


def bind(verb: Verb, given: Mapping[str, Any]) -> Call:
    """Check a mapping of arguments and return the call. Raises InvalidInputError."""
    known = signature.parameters(verb)
    checked = checked_arguments(verb.name, known, given)
    # Defaults are left to the engine.
    return Call(verb, {name: value for name, value in checked.items() if given.get(name) is not None})


def checked_arguments(verb: str, known: Mapping[str, Parameter], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value of every parameter by its name on the surface, as `known` has it.

    Raises InvalidInputError.
    """
    if unknown := given.keys() - known.keys():
        has = ", ".join(known) or "none"
        raise InvalidInputError(verb, f"has no argument {min(map(str, unknown))!r}.", f"Use only {has}.")
    found = {}
    for name, parameter in known.items():
        value = given.get(name)
        if value is None and parameter.required:
            raise InvalidInputError(name, "is missing.", f"Give {_said(parameter)}.")
        if value is not None:
            found[name] = checked(name, parameter, value)
        else:
            found[name] = absent_value(parameter)
    return found


def checked(name: str, parameter: Parameter, value: Any) -> Any:
    """Return a value in the form of its parameter. Raises InvalidInputError."""
    if parameter.type == "names":
        return _names(name, value)
    if not parameter.many:
        return _one(name, parameter, value)
    if isinstance(value, str):
        read = _read(value)
        value = read if isinstance(read, list) else [value]
    if isinstance(value, Mapping) or not isinstance(value, Sequence):
        value = [value]
    return [_one(name, parameter, each) for each in value]


def _one(name: str, parameter: Parameter, value: Any) -> Any:
    read = _READERS[parameter.type](value)
    if read is None:
        raise InvalidInputError(name, f"must be {_said(parameter)}, got {brief(value)}.")
    if parameter.choices and read not in parameter.choices:
        raise InvalidInputError(name, f"must be one of {', '.join(parameter.choices)}, got {brief(value)}.")
    low, high = parameter.low, parameter.high
    if (low is not None and read < low) or (high is not None and read > high):
        raise InvalidInputError(name, f"must be {_range(low, high)}, got {brief(value)}.")
    return read


def _range(low: float | None, high: float | None) -> str:
    if low is None:
        return f"at most {high}"
    return f"at least {low}" if high is None else f"between {low} and {high}"


def _said(parameter: Parameter) -> str:
    said = {
        "text": "a text",
        "integer": "a whole number",
        "number": "a number",
        "truth": "true or false",
        "object": "an object",
        "names": "a list of names",
    }[parameter.type]
    return f"a list, each {said}" if parameter.many else said


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _integer(value: Any) -> int | None:
    number = _number(value)
    return None if number is None or number != int(number) else int(number)


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        value = _read(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return value if isinstance(value, int) or math.isfinite(value) else None


def _truth(value: Any) -> bool | None:
    if isinstance(value, str):
        return _TRUTHS.get(value.strip().lower())
    return value if isinstance(value, bool) else None


def _object(value: Any) -> dict[str, Any] | None:
    if isinstance(value, str):
        value = _read(value)
    return dict(value) if isinstance(value, Mapping) else None


def _names(name: str, value: Any) -> Any:
    """Return a list of names, or a mapping from each name to the list of its other names."""
    if isinstance(value, str):
        read = _read(value)
        value = read if isinstance(read, (list, dict)) else [value]
    listed = value.items() if isinstance(value, Mapping) else None
    if listed is None:
        if isinstance(value, Sequence) and all(isinstance(each, str) for each in value):
            return list(value)
        raise InvalidInputError(name, f"must be a list of names, got {brief(value)}.")
    return {key: _names(name, others) for key, others in listed}


def _read(text: str) -> Any:
    """Return the JSON in a text, or None."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


_READERS: dict[str, Callable[[Any], Any]] = {
    "text": _text,
    "integer": _integer,
    "number": _number,
    "truth": _truth,
    "object": _object,
}


def schema(known: Mapping[str, Parameter]) -> dict[str, Any]:
    """Return the schema of an object with these parameters, by name on the surface. Unknown names are refused."""
    made: dict[str, Any] = {
        "type": "object",
        "properties": {name: _property(each) for name, each in known.items()},
        "additionalProperties": False,
    }
    required = [name for name, each in known.items() if each.required]
    return made | ({"required": required} if required else {})


def _property(parameter: Parameter) -> dict[str, Any]:
    forms = _forms(parameter)
    absent = absent_value(parameter)
    if not parameter.required and absent is None:
        forms.append(_NULL)
    made = dict(forms[0]) if len(forms) == 1 else {"anyOf": forms}
    if not parameter.required:
        made["default"] = absent
    return made | ({"description": parameter.help} if parameter.help else {})


def _forms(parameter: Parameter) -> list[dict[str, Any]]:
    if parameter.type == "names":
        return [_LIST, {"type": "object", "additionalProperties": _LIST}]
    one = dict(_TYPES[parameter.type])
    if parameter.choices:
        one["enum"] = list(parameter.choices)
    if parameter.low is not None:
        one["minimum"] = parameter.low
    if parameter.high is not None:
        one["maximum"] = parameter.high
    if not parameter.many:
        return [one]
    listed = {"type": "array", "items": one}
    return [_TYPES["text"], listed] if parameter.single else [listed]
