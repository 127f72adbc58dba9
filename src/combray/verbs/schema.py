"""JSON schemas of the parameters of a verb."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from combray.verbs.declaration import Parameter, absent_value

_TYPES: dict[str, dict[str, Any]] = {
    "text": {"type": "string"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "truth": {"type": "boolean"},
    "object": {"type": "object", "additionalProperties": True},
}
_LIST: dict[str, Any] = {"type": "array", "items": {"type": "string"}}
_NULL = {"type": "null"}


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
