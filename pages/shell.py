"""The reference of the shell, from the help of its verbs."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import click

from combray.interfaces.cli import combray
from combray.interfaces.cli.verbs import SECTIONS

COMMON = (
    "db",
    "store",
    "namespace",
    "preset",
    "embedder",
    "language_model",
    "reranker",
    "json",
)
"""Options of nearly all verbs, by parameter name: one table for them."""
WIDTH = 100


def page() -> str:
    """The whole page."""
    root = context(combray, None, "combray")
    return "\n".join(
        [
            "# The shell",
            "",
            "Output is a table in a terminal and JSON when piped or with `--json`.",
            "Exit codes: 0 done, 1 nothing found or refused, 2 bad usage.",
            "",
            "## Options of all verbs",
            "",
            "They may come before any verb, and after those that use them. "
            "A verb that opens no store or runs no pipeline has fewer.",
            "",
            *_table(_records(root, common=True)),
            *(line for title, verbs in SECTIONS.items() for line in _section(title, list(verbs), root)),
        ]
    )


def context(command: click.Command, parent: click.Context | None, name: str) -> click.Context:
    """A context of fixed width, for help texts that do not depend on the terminal."""
    made = click.Context(command, parent=parent, info_name=name, terminal_width=WIDTH, max_content_width=WIDTH)
    made.show_default = True
    return made


def _section(title: str, verbs: list[str], root: click.Context) -> Iterator[str]:
    yield from (f"## {title}", "")
    for verb in verbs:
        command = combray.get_command(root, verb)
        if command is not None:
            yield from _verb(command, context(command, root, verb), "###")


def _verb(command: click.Command, ctx: click.Context, level: str) -> Iterator[str]:
    yield from (f"{level} {ctx.command_path}", "", f"`{ctx.get_usage().removeprefix('Usage: ')}`", "")
    yield from (*_paragraphs(command.help or ""), "")
    records = _records(ctx, common=False)
    yield from _table(records) if records else ()
    if command.epilog:
        yield from ("```console", *_examples(command.epilog), "```", "")
    if isinstance(command, click.Group):
        for name in command.list_commands(ctx):
            inner = command.get_command(ctx, name)
            if inner is not None and not inner.hidden:
                yield from _verb(inner, context(inner, ctx, name), level + "#")


def _records(ctx: click.Context, *, common: bool) -> list[tuple[str, str]]:
    """(spelling, help) of options."""
    found = []
    for param in ctx.command.get_params(ctx):
        record = param.get_help_record(ctx)
        if record and isinstance(param, click.Option) and (param.name in COMMON) == common:
            found.append(record)
    return [(name, told) for name, told in found if "--help" not in name and "--version" not in name]


def _table(records: list[tuple[str, str]]) -> list[str]:
    rows = [f"| `{_cell(name)}` | {_cell(told)} |" for name, told in records]
    return ["| option | |", "|---|---|", *rows, ""]


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _paragraphs(text: str) -> list[str]:
    return [line.strip() for line in inspect.cleandoc(text).replace("\b", "").replace("\f", "").splitlines()]


def _examples(epilog: str) -> list[str]:
    lines = [line.strip() for line in inspect.cleandoc(epilog).replace("\b", "").splitlines()]
    return [f"$ {line}" for line in lines if line.startswith("combray")]
