"""Parameters of a verb as the engine's own signature gives them. Imports the engine, on first use."""

from __future__ import annotations

import functools
import inspect
import re
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any

from msgspec.structs import replace

from combray.records import dataclass
from combray.verbs.declaration import UNSET, Parameter, Verb

OWNERS = {
    "": "combray.engine.engine:Engine",
    "documents": "combray.engine.documents:Documents",
    "audit": "combray.engine.audit:AuditTrail",
    "quarantine": "combray.engine.quarantine:Quarantine",
    "entities": "combray.engine.entities:Entities",
    "extraction": "combray.engine.extraction:Extraction",
    "consolidation": "combray.engine.consolidation:Consolidation",
    "vectors": "combray.engine.vectors:Vectors",
    "retention": "combray.engine.retention:Retention",
    "prompts": "combray.engine.prompts:Prompts",
    "store": "combray.engine.store:OpenStore",
    "views": "combray.engine.views:Views",
    "conversation": "combray.conversation.turns:Conversation",
}
"""Facet -> the class whose methods are its verbs."""
_ELSEWHERE = (
    "combray.conversation.extraction",
    "combray.engine.changes",
    "combray.engine.requests",
    "combray.prompt.formats",
)
"""Modules whose types the engine's signatures name but import for type checkers only."""
_ALIASES = ("Versions", "Neighbours", "Chain")
"""Names that the engine's module gives to lists, because `list` is a verb in its class."""
_PLAIN = {str: "text", int: "integer", float: "number", bool: "truth"}


@dataclass(frozen=True, slots=True)
class Form:
    """The form of a value in JSON, read from an annotation."""

    type: str
    many: bool = False
    choices: tuple[str, ...] = ()


def owner(facet: str) -> type:
    """Return the class of a facet; "" is the engine itself."""
    module, _, name = OWNERS[facet].partition(":")
    found: type = getattr(import_module(module), name)
    return found


def callable_of(verb: Verb) -> Callable[..., Any]:
    """Return the function that a verb calls."""
    facet, _, name = verb.call.rpartition(".")
    found: Callable[..., Any] = getattr(owner(facet), name)
    return found


@functools.cache
def parameters(verb: Verb) -> dict[str, Parameter]:
    """Return the engine's parameters by name: the declared ones, completed by the signature, then the others.

    Those that JSON cannot express (callbacks, streams, objects) are left out, and those of surfaces.
    """
    found = signature(verb)
    merged = {each.name: _completed(each, found[each.name]) for each in verb.parameters if not each.own}
    return merged | {name: each for name, each in found.items() if name not in merged and each.type}


def result(verb: Verb) -> str:
    """Return the type that a verb returns, in words such as `list[Version]`."""
    function = inspect.unwrap(callable_of(verb))
    several = typing.get_overloads(function) or [function]
    kinds = [str(inspect.signature(each).return_annotation) for each in several]
    spelled = (str(function.__globals__[each]) if each in _ALIASES else each for each in kinds)
    # Names of modules in front only lengthen the words.
    return " | ".join(dict.fromkeys(re.sub(r"\w+\.|ForwardRef\('(\w+)'\)|'", r"\1", each) for each in spelled))


def variadic(verb: Verb) -> str:
    """Return the name of the parameter that takes any number of positional values, or ""."""
    kinds = inspect.signature(callable_of(verb)).parameters.values()
    return next((each.name for each in kinds if each.kind is each.VAR_POSITIONAL), "")


def _completed(declared: Parameter, found: Parameter) -> Parameter:
    default = found.default if declared.default is UNSET else declared.default
    return replace(declared, default=default, required=declared.required or found.required)


@functools.cache
def signature(verb: Verb) -> dict[str, Parameter]:
    """Return the parameters that the engine's signature has. Those that JSON cannot express have no type."""
    return dict(_of_signature(verb))


def _of_signature(verb: Verb) -> Iterator[tuple[str, Parameter]]:
    if verb.call.startswith("conversation."):
        yield "session", Parameter("session", required=True)
    function = inspect.unwrap(callable_of(verb))
    several = typing.get_overloads(function)
    # A parameter that only some overloads have is optional.
    names = [set(inspect.signature(each).parameters) for each in several]
    for each in several or [function]:
        for name, parameter in _parameters(each):
            needed = parameter.required and not names
            default = None if parameter.default is UNSET and not needed else parameter.default
            yield name, replace(parameter, required=needed, default=default)


def _parameters(function: Callable[..., Any]) -> Iterator[tuple[str, Parameter]]:
    space = {name: value for each in _ELSEWHERE for name, value in vars(import_module(each)).items()}
    space |= {**vars(typing), **function.__globals__}
    for each in inspect.signature(function).parameters.values():
        if each.name == "self":
            continue
        annotation = _evaluated(each.annotation, space)
        if each.kind is each.VAR_KEYWORD:
            yield from _options(annotation)
            continue
        form = form_of(annotation)
        many = each.kind is each.VAR_POSITIONAL
        required = many or each.default is each.empty
        made = Parameter(
            each.name, type=form.type, many=form.many or many, choices=form.choices, required=required
        )
        yield each.name, made if required else replace(made, default=each.default)


def _options(annotation: Any) -> Iterator[tuple[str, Parameter]]:
    """Parameters of `**options: Unpack[...]`: all optional."""
    inner = typing.get_args(annotation)
    if not inner:
        return
    module = import_module(inner[0].__module__)
    space = {**vars(typing), **vars(module)}
    for name, hint in inner[0].__annotations__.items():
        form = form_of(_evaluated(getattr(hint, "__forward_arg__", hint), space))
        yield name, Parameter(name, type=form.type, many=form.many, choices=form.choices, default=None)


def _evaluated(annotation: Any, space: dict[str, Any]) -> Any:
    """Return what an annotation names; None if it is imported for type checkers only."""
    if not isinstance(annotation, str):
        return annotation
    try:
        return typing.get_type_hints(types.SimpleNamespace(__annotations__={"it": annotation}), space)["it"]
    except (NameError, AttributeError, TypeError):
        return None


def form_of(annotation: Any) -> Form:
    """Return the form of a type: of a union, the first part that JSON can express. Type "" if there is none."""
    if annotation in _PLAIN:
        return Form(_PLAIN[annotation])
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Literal:
        return Form("text", choices=inner)
    if origin in (typing.Union, types.UnionType):
        forms = [form for each in inner if each is not type(None) and (form := form_of(each)).type]
        several = [form for form in forms if form.many]
        if several and any(form.type == "object" for form in forms):
            return Form("names")
        return (several or forms or [Form("")])[0]
    if origin is not None and isinstance(origin, type):
        if issubclass(origin, Mapping):
            return Form("object")
        if issubclass(origin, Iterable) and inner and (form := form_of(inner[0])).type:
            return Form(form.type, many=True, choices=form.choices)
    return Form("object") if annotation in (dict, Mapping) else Form("")


def before(verb: Verb, name: str) -> list[str]:
    """Return the names of the positional parameters before one."""
    names = [each for each in inspect.signature(callable_of(verb)).parameters if each != "self"]
    return names[: names.index(name)]
