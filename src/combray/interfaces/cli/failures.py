"""Report failures as one line on standard error and an exit code, without a traceback."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import click

from combray.errors import CombrayError, InvalidInputError, MissingExtraError, ModelError

NOTHING_FOUND = 1
BAD_USAGE = 2
INTERRUPTED = 130
"""128 + SIGINT, as shells report it."""
_REMEDIES = {
    errno.EACCES: " Check the permissions of the file and its folder.",
    errno.EROFS: " Choose a place that can be written to.",
    errno.ENOSPC: " Free some space.",
}


class Careful(click.Command):
    """A command that reports every expected failure with one line and an exit code."""

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> NoReturn:
        """Run and exit the process."""
        extra.pop("standalone_mode", None)
        if sys.stdout is None:
            # The caller closed standard output (>&-): the verb runs, and what it prints is dropped.
            sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - until the process ends
        if isinstance(sys.stdout, io.TextIOWrapper):
            # File names and arguments may contain bytes that are not UTF-8. Escaped, they are valid JSON.
            sys.stdout.reconfigure(errors="backslashreplace")
        try:
            code = super().main(args, prog_name, standalone_mode=False, **extra)
        except click.ClickException as error:
            error.show()
            code = error.exit_code
        except click.Abort as error:
            interrupted = isinstance(error.__cause__, KeyboardInterrupt)
            say("interrupted." if interrupted else "stopped; nothing was changed.")
            code = INTERRUPTED if interrupted else NOTHING_FOUND
        except CombrayError as error:
            said = str(error)
            is_model = isinstance(error, ModelError) and not isinstance(error, MissingExtraError)
            if is_model and "combray " not in said:
                said = f"{said.rstrip('.')}. Find out why with: combray models test."
            say(said)
            code = NOTHING_FOUND
        except OSError as error:
            place = f"{error.filename}: " if error.filename else ""
            remedy = _REMEDIES.get(error.errno or 0, "")
            say(f"{place}{error.strerror or error}.{remedy}")
            code = NOTHING_FOUND
        sys.exit(code if isinstance(code, int) else 0)


class VerbCommand(click.Command):
    """One verb, with examples at the end of its help. If the engine rejects the value of an option, that is
    reported as bad usage of the option."""

    def __init__(self, *args: Any, examples: Sequence[str] = (), **settings: Any) -> None:
        self.examples = tuple(examples)
        super().__init__(*args, **settings)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples."""
        del ctx
        if self.examples:
            formatter.write_paragraph()
            formatter.write("Examples:\n" if len(self.examples) > 1 else "Example:\n")
            for example in self.examples:
                formatter.write(f"  {example}\n")

    def invoke(self, ctx: click.Context) -> Any:
        """Run the verb; name the option whose value was rejected."""
        try:
            return super().invoke(ctx)
        except InvalidInputError as error:
            for parameter in self.params:
                if isinstance(parameter, click.Option) and parameter.name == error.field:
                    raise click.BadParameter(
                        f"{error.problem} {error.remedy}".strip(), ctx=ctx, param=parameter
                    ) from error
            raise


class VerbGroup(VerbCommand, click.Group):
    """A verb with subcommands."""

    command_class = VerbCommand


def say(text: str) -> None:
    """Write one line to standard error."""
    line = " ".join(text.split())
    click.echo(f"combray: {line}{'.' if line[-1:].isalnum() or line[-1:] == ')' else ''}", err=True)


def nothing_found(text: str) -> NoReturn:
    """Exit a verb with code 1 and one line with the reason."""
    say(text)
    raise click.exceptions.Exit(NOTHING_FOUND)
