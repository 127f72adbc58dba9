"""The verbs, and the command group that imports a verb's module when it is called."""

from __future__ import annotations

from importlib import import_module

import click

from combray import __version__
from combray.interfaces.cli.failures import Careful
from combray.interfaces.cli.options import Target, opens_store

SECTIONS: dict[str, dict[str, str]] = {
    "Remember and recall": {
        "remember": "remembering",
        "recall": "recalling",
        "search": "recalling",
        "search-memory": "recalling",
        "think": "recalling",
        "context": "recalling",
        "stream": "remembering",
        "compare": "presets",
        "get": "memories",
        "list": "recalling",
    },
    "Documents": {"index": "transferring", "watch": "transferring", "memory-search": "recalling"},
    "Graph": {
        "link": "memories",
        "related": "memories",
        "viz": "memories",
        "entities": "memories",
        "alias": "memories",
    },
    "Change": {
        "settle": "review",
        "update": "memories",
        "forget": "removing",
        "restore": "removing",
        "erase": "removing",
        "history": "memories",
    },
    "Look after": {
        "status": "store",
        "log": "store",
        "consolidate": "upkeep",
        "worker": "upkeep",
        "gc": "review",
        "review": "review",
        "release": "review",
        "audit": "store",
        "doctor": "store",
        "backup": "store",
        "models": "models",
    },
    "In and out": {
        "ingest": "transferring",
        "import": "transferring",
        "export": "transferring",
        "migrate": "transferring",
    },
    "Serve": {
        "setup": "setup",
        "eject": "setup",
        "serve": "serving",
        "explore": "serving",
        "keys": "serving",
        "mcp": "serving",
        "hook": "hook",
    },
    "Learn": {"presets": "presets", "demo": "demo"},
}
"""Verbs by section of the help: verb -> module of this package that defines it."""

VERBS: dict[str, str] = {verb: module for section in SECTIONS.values() for verb, module in section.items()}
_NEVER_SUGGESTED = frozenset(("forget", "erase", "gc", "consolidate"))
"""Verbs that hide, destroy or change memories. A typing error must not lead to one of them."""
_CLOSE = 0.7
"""Similarity from which a verb is suggested for an unknown one (difflib's ratio)."""

_EPILOG = """\
Output is a table in a terminal and JSON when piped or with --json. Exit codes: 0 done, 1 nothing found
or refused, 2 bad usage.

\b
Completion: eval "$(_COMBRAY_COMPLETE=bash_source combray)"   (zsh_source, fish_source)
"""


class Verbs(Careful, click.Group):
    """A command group that imports its verbs on demand and lists them by section."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all verbs in the order of the help."""
        del ctx
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the verb's module and return its command."""
        del ctx
        return _load(cmd_name) if cmd_name in VERBS else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the verb's command. An unknown verb is an error that names similar, harmless verbs."""
        if args and args[0] not in VERBS and args[0][:1].isalnum():
            from difflib import get_close_matches

            harmless = [verb for verb in VERBS if verb not in _NEVER_SUGGESTED]
            near = get_close_matches(args[0], harmless, n=2, cutoff=_CLOSE)
            hint = f"Did you mean {' or '.join(near)}?" if near else "See 'combray --help'."
            raise click.UsageError(f"verb {args[0]!r} does not exist. {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the verbs under their sections."""
        del ctx
        widest = max(map(len, VERBS))
        room = formatter.width - widest - 6
        for title, verbs in SECTIONS.items():
            rows = [(verb.ljust(widest), _load(verb).get_short_help_str(room)) for verb in verbs]
            with formatter.section(title):
                formatter.write_dl(rows)


def _load(verb: str) -> click.Command:
    module = import_module(f"combray.interfaces.cli.{VERBS[verb]}")
    name = verb.replace("-", "_")
    # A verb whose name Python uses otherwise, such as import, ends with an underscore there.
    command: click.Command = getattr(module, f"{name}_", None) or getattr(module, name)
    return command


@click.group(
    cls=Verbs,
    epilog=_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100, "show_default": True},
)
@click.version_option(__version__, prog_name="combray", message="%(prog)s %(version)s")
@opens_store(pipelines=True)
@click.pass_context
def combray(ctx: click.Context, /, target: Target) -> None:
    """Long-term memory for agents: remember texts, recall them with reasons.

    The options below come before any verb, or after a verb that uses them.
    """
    ctx.obj = target
