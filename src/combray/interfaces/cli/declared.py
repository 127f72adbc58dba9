"""Commands of the shell made from declared verbs: arguments, options, help and examples."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from combray.interfaces.cli.failures import VerbCommand
from combray.interfaces.cli.files import text_of
from combray.interfaces.cli.options import (
    Function,
    comma_list,
    entity_list,
    in_a_folder,
    opens_store,
    read_json,
    read_object,
)
from combray.verbs import VERBS
from combray.verbs.declaration import UNSET, Parameter

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


def command(
    *,
    pipelines: bool = False,
    models: bool = False,
    namespace: bool = True,
    group: click.Group | None = None,
) -> Callable[[Function], click.Command]:
    """Make a function the command of the declared verb of its name. `opens_store` explains the flags.

    The function gets the target, then the parameters by their names in the declaration. In a group the verb's
    name begins with that of the group.
    """

    def decorate(function: Function) -> click.Command:
        name = function.__name__.rstrip("_").replace("_", "-")
        verb = VERBS[f"{group.name} {name}" if group else name]
        made: click.Command = click.command(
            name,
            cls=VerbCommand,
            params=[_parameter(each) for each in verb.parameters if each.shell is not None],
            help=verb.about,
            examples=verb.examples,
        )(opens_store(pipelines=pipelines, models=models, namespace=namespace)(function))
        if group is not None:
            group.add_command(made)
        return made

    return decorate


def _parameter(declared: Parameter) -> click.Parameter:
    words = (declared.shell or "").split()
    flags = [each for each in words if each.startswith("-")]
    kind, callback = _read_as(declared)
    settings: dict[str, Any] = {"type": kind, "callback": callback}
    default = declared.default if declared.shell_default is UNSET else declared.shell_default
    if default is not UNSET:
        settings["default"] = default
    if not flags:
        metavar = words[0]
        # Click writes the choices in place of a plain name.
        plain = declared.choices and metavar == declared.name.upper()
        settings |= {"metavar": None if plain else metavar, "required": not metavar.startswith("[")}
        return click.Argument([declared.name], nargs=-1 if metavar.endswith("...") else 1, **settings)
    if "/" in words:
        return click.Option([declared.name, "/".join(flags)], help=declared.help, default=declared.default)
    if declared.type == "truth":
        return click.Option([declared.name, *flags], help=declared.help, is_flag=True)
    settings["metavar"] = next((each for each in words if each not in flags), None)
    settings["multiple"] = declared.many and declared.form != "comma"
    settings["show_default"] = default != ""
    return click.Option([declared.name, *flags], help=declared.help, **settings)


def _read_as(declared: Parameter) -> tuple[click.ParamType[Any] | None, Callable[..., Any] | None]:
    """Return click's type of a parameter, and what turns the text into the engine's value."""
    if declared.form in FORMS:
        return FORMS[declared.form]
    if declared.choices:
        return click.Choice(declared.choices, case_sensitive=declared.form != "any case"), None
    if declared.type == "object":
        return None, read_object
    bounds = declared.low, declared.high
    if declared.type == "integer":
        least, most = (None if each is None else int(each) for each in bounds)
        return click.IntRange(least, most), None
    if declared.type == "number":
        return (click.FLOAT if bounds == (None, None) else click.FloatRange(*bounds)), None
    return None, None


def _joined(_ctx: click.Context, _parameter: click.Parameter, value: tuple[str, ...]) -> str:
    return " ".join(value)


def _text(_ctx: click.Context, _parameter: click.Parameter, value: tuple[str, ...]) -> str | None:
    """Return the words as one text, or standard input for "-"; None without words."""
    return text_of(value) if value else None


def _some(_ctx: click.Context, _parameter: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...] | None:
    return value or None


def _json(_ctx: click.Context, _parameter: click.Parameter, value: str | None) -> Any:
    return None if value is None else read_json(value)


def _duration(_ctx: click.Context, _parameter: click.Parameter, value: str | None) -> int | None:
    if value is None:
        return None
    found = re.fullmatch(r"(\d+)([smhd])", value)
    if found is None or int(found[1]) < 1:
        raise click.BadParameter(f"{value!r} is not a duration. Use a number with s, m, h or d, such as 24h.")
    return int(found[1]) * _SECONDS[found[2]]


FORMS: dict[str, tuple[click.ParamType[Any] | None, Callable[..., Any] | None]] = {
    "words": (None, _joined),
    "text": (None, _text),
    "some": (None, _some),
    "comma": (None, comma_list),
    "entities": (None, entity_list),
    "json": (None, _json),
    "duration": (None, _duration),
    "input": (click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path), None),
    "input path": (click.Path(exists=True, allow_dash=True, path_type=Path), None),
    "new file": (click.Path(dir_okay=False, path_type=Path), in_a_folder),
    "folder": (click.Path(exists=True, file_okay=False, path_type=Path), None),
    "path": (click.Path(exists=True, path_type=Path), None),
    "existing": (click.Path(exists=True), None),
    "file": (click.Path(exists=True, dir_okay=False, path_type=Path), None),
    "any file": (click.Path(dir_okay=False, path_type=Path), None),
    "output": (click.Path(dir_okay=False, allow_dash=True, path_type=Path), in_a_folder),
}
"""Form of a declared parameter -> click's type and what reads the text."""
