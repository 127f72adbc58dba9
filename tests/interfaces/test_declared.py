"""Shell and MCP are made from the declared verbs: the same bounds, lenient arguments, examples that parse."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from agent import Agent
from anyio.from_thread import start_blocking_portal
from mcp import Client

import combray
from combray.interfaces.cli import combray as shell
from combray.interfaces.cli.verbs import VERBS as SHELL
from combray.interfaces.mcp.server import server_for
from combray.verbs import TOOLS, VERBS
from combray.verbs.declaration import Parameter, Verb

DECLARED = [each for each in VERBS.values() if each.name.split()[0] in SHELL]


def command_of(verb: Verb) -> tuple[click.Command, click.Context]:
    found: click.Command = shell
    context = click.Context(shell)
    for word in verb.name.split():
        assert isinstance(found, click.Group)
        made = found.get_command(context, word)
        assert made is not None
        found, context = made, click.Context(made, parent=context, info_name=word)
    return found, context


@pytest.mark.parametrize("verb", DECLARED, ids=lambda verb: verb.name)
def test_a_command_has_the_declared_parameters_and_help(verb: Verb) -> None:
    command, _ = command_of(verb)
    own = [each for each in verb.parameters if each.shell is not None]
    made = {each.name: each for each in command.params}
    assert [each.name for each in command.params][: len(own)] == [each.name for each in own]
    assert command.help == verb.about
    for each in own:
        option = made[each.name]
        if isinstance(option, click.Option):
            assert option.help == each.help
            assert {*option.opts, *option.secondary_opts} == {
                word for word in str(each.shell).split() if word.startswith("-")
            }


@pytest.mark.parametrize(
    ("verb", "example"),
    [(verb, example) for verb in VERBS.values() for example in verb.examples],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_the_examples_of_a_verb_parse(
    verb: Verb, example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("notes.csv", "notes.txt", "old.jsonl", "memories.jsonl", "chat.jsonl", "chatgpt-export.zip"):
        Path(name).write_text("{}", encoding="utf-8")
    for name in ("notes", "docs", "sessions"):
        Path(name).mkdir()
    (own,) = (each for each in example.split(" | ") if each.startswith("combray "))
    words = shlex.split(own)
    words = [{"~/notes": "notes", "~/.agent/sessions": "sessions"}.get(each, each) for each in words]
    command, _ = command_of(verb)
    given = words[1 + len(verb.name.split()) :]
    given = [each for each in given if each != "-"]
    made = command.make_context(verb.name, given or ["a text"] if verb.name == "remember" else given)
    assert made.params


# -- the same bounds --------------------------------------------------------------------------------------


def outside(parameter: Parameter) -> Any:
    """A value that a parameter does not take."""
    if parameter.choices:
        return "nothing of the kind"
    if parameter.high is not None:
        return int(parameter.high) + 1
    return int(parameter.low) - 1 if parameter.low is not None else None


BOUNDED = [
    (verb, name, each)
    for verb in TOOLS.values()
    for name, each in verb.arguments.items()
    if each.shell is not None and each.shell.startswith("-") and outside(each) is not None
]


@pytest.fixture(scope="module")
def agent() -> Iterator[Agent]:
    with (
        combray.open(":memory:", embedder="none", worker=False) as engine,
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(server_for(engine, profile="full"))) as client,
    ):
        yield Agent(portal, client)


@pytest.mark.parametrize(
    ("verb", "name", "parameter"), BOUNDED, ids=lambda each: getattr(each, "name", str(each))
)
def test_bounds_hold_in_shell_and_mcp(agent: Agent, verb: Verb, name: str, parameter: Parameter) -> None:
    value = outside(parameter)
    required = {each: "x" for each, what in verb.arguments.items() if what.for_mcp().required}
    assert f"{name}: must be" in agent.refused(verb.tool, **(required | {name: value}))
    command, context = command_of(verb)
    (option,) = (each for each in command.params if each.name == parameter.name)
    with pytest.raises(click.BadParameter):
        option.type_cast_value(context, (str(value),) if getattr(option, "multiple", False) else str(value))


# -- lenient arguments ------------------------------------------------------------------------------------


def test_null_counts_as_absent_for_every_optional_argument(agent: Agent) -> None:
    agent.remember("The well is deep.")
    for verb in TOOLS.values():
        needed = {name: "The well is deep." for name, each in verb.arguments.items() if each.for_mcp().required}
        empty: dict[str, Any] = {name: None for name in verb.arguments if name not in needed}
        with_null, without = (agent.call(verb.tool, **needed, **more).is_error for more in (empty, {}))
        assert with_null == without, verb.tool


def test_a_required_argument_cannot_be_null(agent: Agent) -> None:
    assert agent.refused("recall", query=None) == "query: is missing. Give a text."


def test_one_text_is_a_list_of_one(agent: Agent) -> None:
    made = agent.done(
        "remember", content="Ada keeps bees.", tags="garden", entities="Ada Lovelace", keep_both=None
    )
    found = agent.done("recall", query="bees", tags="garden", categories="general", full=True)
    assert [each["tags"] for each in found["results"]] == [["garden"]]
    assert "Ada Lovelace" in found["results"][0]["entities"]
    shown = agent.done("forget", about="bees", include=made["id"])
    assert made["id"] in shown["ids"]
