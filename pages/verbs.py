"""The reference of the verbs, from their declarations."""

from __future__ import annotations

from collections.abc import Iterator

from combray.interfaces.cli.verbs import VERBS as SHELL
from combray.verbs import TOOLS, VERBS
from combray.verbs.declaration import Parameter, Verb
from combray.verbs.signature import result

INTRODUCTION = """\
# The verbs

Each verb is declared once, in `src/combray/verbs/`. Shell and MCP are made from the declaration;
[the shell](shell.md) has its options, [the MCP tools](mcp.md) what profiles offer.

Rights: `read` reads memories. `write` changes memories in a way that can be undone. `admin` destroys, copies or
moves them, reads what is kept from models, or changes what the machine does.
A verb that lasts may take minutes; one that streams gives its results one by one.

| library | shell | tool | rights | | returns | |
|---|---|---|---|---|---|---|
"""


def page() -> str:
    """The whole page."""
    rows = [_row(each) for each in VERBS.values()]
    tools = [line for verb in TOOLS.values() for line in _tool(verb)]
    return INTRODUCTION + "\n".join([*rows, "", "## Arguments of the tools", "", *tools])


def _row(verb: Verb) -> str:
    shell = f"[{verb.name}](shell.md)" if verb.name.split()[0] in SHELL else ""
    how = "streams" if verb.streams else "lasts" if verb.lasts else "in process only" if verb.local else ""
    tool = f"`{verb.tool}`" if verb.tool else ""
    returned = f"`{_cell(result(verb))}`" if verb.call else ""
    call = f"`engine.{verb.call}`" if verb.call else ""
    return f"| {call} | {shell} | {tool} | {verb.rights} | {verb.summary} | {returned} | {how} |"


def _tool(verb: Verb) -> Iterator[str]:
    yield from (f"### {verb.tool}", "")
    if not verb.arguments:
        yield from ("It takes no argument.", "")
        return
    yield from ("| argument | | values | default |", "|---|---|---|---|")
    for name, each in verb.arguments.items():
        offered = each.for_mcp()
        default = "required" if offered.required else _plain(offered.default)
        yield f"| `{name}` | {_cell(offered.help)} | {_values(offered)} | {default} |"
    yield ""


def _values(parameter: Parameter) -> str:
    if parameter.choices:
        said = ", ".join(parameter.choices)
    elif parameter.low is not None and parameter.high is not None:
        said = f"{parameter.type}, {parameter.low} to {parameter.high}"
    else:
        said = parameter.type + (f", from {parameter.low}" if parameter.low is not None else "")
    return f"list of: {said}" if parameter.many else said


def _plain(default: object) -> str:
    return "" if default in (None, (), "") or repr(default) == "UNSET" else f"`{default}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
