"""A verb as every surface reads it: its name, what it calls, its rights, and its parameters.

A declaration is plain data. It imports neither the engine nor a surface, so the shell can show help at once.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

READ, WRITE, ADMIN = "read", "write", "admin"
"""Rights: to read memories; to change memories that can be restored; to destroy, copy or move a whole store."""
RIGHTS = (READ, WRITE, ADMIN)
"""Who has one of them has the ones before it."""


class _Unset:
    def __repr__(self) -> str:
        return "UNSET"


UNSET: Any = _Unset()
"""What a declaration leaves to the engine's signature."""


class Argument(msgspec.Struct, frozen=True):
    """What a tool of MCP says differently about a parameter. A small `high` saves a model tokens.

    `text` is the description that a model reads, if not that of people; `single`: one text alone is allowed.
    """

    text: str = ""
    name: str = ""
    default: Any = UNSET
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    required: bool | None = None
    many: bool | None = None
    single: bool = False


class Parameter(msgspec.Struct, frozen=True):
    """One parameter of a verb.

    `type` is text, integer, number, truth, object, or names (a list, or a mapping of lists); `many`: a list of
    these. Type and default are the engine's. They are repeated where the shell needs them, because its help must
    not load the engine; a test compares both. `own`: a parameter of surfaces, which the engine's verb does
    not have; never said where the engine has no such verb.

    `shell` is written as in help: "--since WHEN", "--limit -k", "--auto / --no-auto"; without a dash it is an
    argument. `form` names how the shell reads it: a key of `FORMS` in `interfaces/cli/reading.py`.
    `shell_default` replaces the default there. `mcp` is the description for models, "" for that of people. A
    surface leaves out a parameter for which it is None.
    """

    name: str
    help: str = ""
    shell: str | None = None
    mcp: str | Argument | None = None
    type: str = "text"
    default: Any = UNSET
    required: bool = False
    many: bool = False
    single: bool = False
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    form: str = ""
    shell_default: Any = UNSET
    own: bool = False

    def for_mcp(self) -> Parameter:
        """Return the parameter as the tool has it. Its name there is the argument's, if that has one."""
        said = self.mcp
        if not isinstance(said, Argument):
            return replace(self, help=said or self.help)
        changes: dict[str, Any] = {
            name: value
            for name in ("choices", "low", "high", "many", "required", "single")
            if (value := getattr(said, name)) not in (None, ())
        }
        # A tool may give a default of its own, the empty list and None among them.
        changes |= {} if said.default is UNSET else {"default": said.default}
        return replace(self, help=said.text or self.help, **changes)

    def off(self, surface: str) -> Parameter:
        """Return the parameter without one of its surfaces."""
        return replace(self, **{surface: None})


def absent_value(parameter: Parameter) -> Any:
    """Return what an absent argument stands for. Lists are new each time."""
    value = parameter.default
    if value is UNSET:
        return [] if parameter.many else False if parameter.type == "truth" else None
    return list(value) if isinstance(value, tuple) else value


def flag(
    name: str, help: str, shell: str | None = None, mcp: str | Argument | None = None, **how: Any
) -> Parameter:
    """Return a parameter that is true or false."""
    return Parameter(name, help, shell, mcp, type="truth", **how)


def limit(default: int, what: str = "memories", high: int | None = 1000, mcp: int | None = None) -> Parameter:
    """Return `limit`. `mcp`: the default of the tool, which gives at most 50."""
    tool = None if mcp is None else Argument(default=mcp, high=50)
    return Parameter(
        "limit", f"Maximum number of {what}.", "--limit -k", tool, "integer", default, low=1, high=high
    )


class Verb(msgspec.Struct, frozen=True):
    """One verb.

    `name` is what the shell says; a verb that the shell does not have is named by its path. `call` is the path of
    the engine's callable, such as `documents.index`; "" for a verb that the engine does not have. `about` is the
    help, its first sentence the summary. `tool` is the MCP tool; its docstring is a text of its own, for models.
    `streams`: the result is an iterator. `lasts`: it may take minutes, so a service should run it as a job.
    `local`: it makes sense only within the process, such as a watcher that must be closed.
    `http`: its routes below /v1, such as "GET /memories/{memory_id}"; none if it works on the machine's files or
    only within the process. `whole`: it concerns the whole store, so a caller of some namespaces may not call it.
    """

    name: str
    call: str
    rights: str
    about: str
    parameters: tuple[Parameter, ...] = ()
    examples: tuple[str, ...] = ()
    tool: str = ""
    local: bool = False
    streams: bool = False
    lasts: bool = False
    http: tuple[str, ...] = ()
    whole: bool = False

    @property
    def summary(self) -> str:
        """The first sentence of the help."""
        return self.about.partition("\n")[0].partition(". ")[0].rstrip(".") + "."

    @property
    def arguments(self) -> dict[str, Parameter]:
        """Parameters of the tool by their names there."""
        offered = [each for each in self.parameters if each.mcp is not None]
        return {
            each.mcp.name or each.name if isinstance(each.mcp, Argument) else each.name: each for each in offered
        }


def of_engine(call: str, rights: str, about: str, *http: str, **how: Any) -> Verb:
    """Return a verb that the shell does not have. Its name is its path, its parameters those of the signature."""
    return Verb(call, call, rights, about, http=http, **how)
