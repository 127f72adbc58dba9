"""Declarations against the engine: every verb is declared, and every declared parameter exists with its form."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

from combray.engine import asyncio as asynchronous
from combray.verbs import CALLS, TOOLS, VERBS
from combray.verbs import signature as signatures
from combray.verbs.declaration import ADMIN, READ, UNSET, WRITE, Verb
from combray.verbs.signature import OWNERS, owner, parameters, signature

HANDLES = {"close", "conversation", "within"}
"""Methods of the engine that give or end a handle. They are no verbs."""


def public(kind: type) -> set[str]:
    """Names of the public methods of a class, inherited ones included."""
    found = inspect.getmembers(kind, callable)
    return {
        name for name, value in found if not name.startswith("_") and inspect.isfunction(inspect.unwrap(value))
    }


@pytest.mark.parametrize("facet", OWNERS)
def test_every_public_verb_is_declared(facet: str) -> None:
    declared = {each.call.rpartition(".")[2] for each in CALLS.values() if each.call.rpartition(".")[0] == facet}
    assert declared == public(owner(facet)) - (HANDLES if not facet else set())


def test_every_facet_of_the_engine_has_its_verbs() -> None:
    engine = owner("")
    facets = {name for name in dir(engine) if type(getattr(engine, name, None)).__name__ == "facet"}
    assert facets | {"", "conversation"} == set(OWNERS)


def test_each_call_is_declared_once() -> None:
    calls = [each.call for each in CALLS.values()]
    assert len(calls) == len(set(calls))
    assert {each.rights for each in VERBS.values()} == {READ, WRITE, ADMIN}


@pytest.mark.parametrize("verb", CALLS.values(), ids=lambda verb: verb.name)
def test_a_declaration_agrees_with_the_signature(verb: Verb) -> None:
    given = signature(verb)
    for each in verb.parameters:
        if each.own:
            assert each.name not in given, f"{each.name} is the engine's too"
            continue
        real = given[each.name]
        if real.type:
            assert (each.type, each.many) == (real.type, real.many), each.name
        if each.default not in (UNSET, real.default) and real.default is not None:
            pytest.fail(f"{each.name}: default {each.default!r} is declared, the engine has {real.default!r}")
        assert each.required == real.required or not each.required, each.name
        assert set(real.choices) in (set(), set(each.choices)), each.name


@pytest.mark.parametrize("verb", VERBS.values(), ids=lambda verb: verb.name)
def test_a_declaration_is_whole(verb: Verb) -> None:
    assert verb.summary.endswith(".")
    names = [each.name for each in verb.parameters]
    assert len(names) == len(set(names))
    for each in verb.parameters:
        assert each.shell is not None or each.mcp is not None, f"{each.name} is on no surface"
        assert each.help or each.mcp or not (each.shell or "").startswith("-"), f"{each.name} has no help"
    assert not verb.call or parameters(verb).keys() >= {each.name for each in verb.parameters if not each.own}


def test_a_tool_that_reads_has_a_verb_that_reads() -> None:
    from combray.interfaces.mcp.profiles import OFFERED

    for name, verb in TOOLS.items():
        reads = bool(OFFERED[name][1].read_only_hint)
        assert reads == (verb.rights == READ), name
        assert verb.rights != ADMIN, "no tool destroys"


@pytest.mark.slow("starts processes")
def test_declarations_load_neither_the_engine_nor_a_surface() -> None:
    check = (
        "import sys, combray.verbs\n"
        "heavy = {'numpy', 'click', 'mcp', 'pydantic', 'rich', 'combray.engine', 'combray.verbs.signature'}\n"
        "sys.exit(f'loaded: {loaded}' if (loaded := heavy & set(sys.modules)) else 0)"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stderr


def test_the_owners_are_classes() -> None:
    assert all(inspect.isclass(signatures.owner(each)) for each in OWNERS)


@pytest.mark.parametrize("verb", CALLS.values(), ids=lambda verb: verb.name)
def test_asyncio_has_every_verb_and_streams_those_that_stream(verb: Verb) -> None:
    facet, _, name = verb.call.rpartition(".")
    kinds = {"": "AsyncEngine", "audit": "AsyncAuditTrail"}
    kind = getattr(asynchronous, kinds.get(facet, f"Async{facet.title()}"))
    made = inspect.unwrap(getattr(kind, name), stop=lambda each: hasattr(each, "__wrapped__") and is_async(each))
    assert inspect.isasyncgenfunction(made) == verb.streams
    assert inspect.iscoroutinefunction(made) != verb.streams


def is_async(function: object) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)
