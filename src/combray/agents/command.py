"""`combray hook` without the command line's framework, whose import takes longer than a hook's work.

It knows the calls that `combray setup` writes. Every other call, such as `--help`, goes the usual way.
"""

from __future__ import annotations

import os
import sys

from combray.agents.calling import CardReply, ask_by_card

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

WORKING = ("work", "stay")
"""Verbs that hooks start in the background."""
_OPTIONS = {
    "--client": "client",
    "--store": "store",
    "--db": "db",
    "--namespace": "namespace",
    "-n": "namespace",
    "--preset": "preset",
    "--embedder": "embedder",
    "--tools": "hook_tools",
}


def run(words: Sequence[str]) -> None:
    """Serve the call and leave the process with 0; return if it is not one of those that setup writes."""
    asked = ask_by_card(words)
    printed = asked.reply
    if printed is None:
        given = _read(words)
        if given is None:
            return
        printed = call(given.pop("verb"), given.pop("client"), asked, **given)
    sys.stdout.flush()
    if printed:
        sys.stdout.buffer.write(printed.encode("utf-8", "replace"))
        sys.stdout.buffer.flush()
    # Leaves threads that still run, and saves the time of taking the interpreter down.
    os._exit(0)


def call(
    verb: str,
    client: str,
    asked: CardReply | None = None,
    /,
    store: str | None = None,
    db: str | None = None,
    **given: str | None,
) -> str:
    """Return what a hook prints. `store` is a name or a path; `asked`: the result of `ask_by_card`."""
    from combray.agents.serving import Hook
    from combray.folders import data_folder

    if store and not db:
        path = "/" in store or "\\" in store or store.endswith((".db", ".sqlite"))
        db = store if path else os.path.join(data_folder(), f"{store}.db")  # noqa: PTH118
    tools = given.pop("hook_tools", None)
    capture = None if tools is None else str(tools == "on").lower()
    asked = asked or CardReply()
    served = Hook(client, {"db": db, "hook_tools": capture, **given}, card=asked.card, started=asked.started)
    if verb in WORKING:
        served.work() if verb == "work" else served.stay()
        return ""
    return served.serve(verb, asked.given)


def _read(words: Sequence[str]) -> dict[str, str] | None:
    """Return verb, client and options; None for a call that is not of the usual form."""
    from combray.agents.events import CLIENTS, VERBS

    if not words or words[0] not in (*VERBS, *WORKING) or len(words) % 2 == 0:
        return None
    given = {"verb": words[0]}
    for name, value in zip(words[1::2], words[2::2], strict=True):
        if name not in _OPTIONS or value.startswith("-"):
            return None
        given[_OPTIONS[name]] = value
    given.setdefault("client", CLIENTS[0])
    return given if given["client"] in CLIENTS else None
