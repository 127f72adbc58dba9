"""The verb `hook`: what agent clients call at the events of a session."""

from __future__ import annotations

import click

from combray.agents.command import WORKING
from combray.agents.events import CLIENTS, VERBS
from combray.interfaces.cli.failures import VerbCommand, say
from combray.interfaces.cli.options import Target


class _Forgiving(VerbCommand):
    """A verb that reports bad usage and exits with 0: some clients take another code for an order to stop."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse; bad usage ends the call with one line on standard error."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            say(error.format_message())
            ctx.exit(0)


@click.command(cls=_Forgiving, examples=["combray hook prompt --client claude-code --store work < event.json"])
@click.argument("event", type=click.Choice((*VERBS, *WORKING)))
@click.option("--client", type=click.Choice(CLIENTS), default=CLIENTS[0], help="Whose event it is.")
@click.option("--store", metavar="NAME", help="Named store, or the path of its file.")
@click.option("--db", metavar="FILE", help="The store's file, or the address of a server [env: COMBRAY_DB].")
@click.option("--namespace", "-n", metavar="NAME", help="Namespace to work in [env: COMBRAY_NAMESPACE].")
@click.option("--preset", metavar="NAME", help="Preset of pipelines [env: COMBRAY_PRESET].")
@click.option("--embedder", metavar="NAME", help="Embedder [env: COMBRAY_EMBEDDER].")
@click.option("--tools", "hook_tools", type=click.Choice(("on", "off")), help="Store results of tools, or not.")
@click.pass_obj
def hook(
    outer: Target | None, /, event: str, client: str, store: str | None, db: str | None, **given: str | None
) -> None:
    """Serve one hook of an agent client.

    Reads the client's JSON from standard input and prints what that client shows to its model: a digest for
    session-start, memories for prompt. The other events capture the turns of the session. Always exits with 0;
    errors are in hooks.log in the folder STORE.hooks. Hooks start `work` and
    `stay` themselves: work stores what was captured, stay keeps the store open for the next hooks.
    """
    from combray.agents.command import call

    if outer is not None:
        given = {name: value or getattr(outer, name, None) for name, value in given.items()}
        store, db = (store, db) if store or db else (outer.store, outer.db)
    # Clients read UTF-8, also where the console has another code page.
    click.echo(call(event, client, store=store, db=db, **given).encode("utf-8", "replace"), nl=False)
