"""The verb `models`: list, test and download models."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from combray.interfaces.cli.failures import NOTHING_FOUND, Verb, VerbGroup, say
from combray.interfaces.cli.options import JSON, Target, names_models, without_store
from combray.interfaces.cli.output import console, for_people, show_json, table, visible

if TYPE_CHECKING:
    from combray.engine.models import Fetched, Offer, Trial


_KINDS = {"embedder": "embedder", "reranker": "reranker", "language_model": "language model", "peer": "peer"}


@click.group(
    cls=VerbGroup,
    invoke_without_command=True,
    examples=("combray models test", "combray models fetch onnx:ORG/NAME"),
)
@JSON
@click.pass_context
def models(ctx: click.Context, as_json: bool) -> None:
    """List available models, test those in use, or download one.

    Keys are read from the environment. The list shows whether a variable is set, never its value.
    """
    if ctx.invoked_subcommand is None:
        _list(without_store(ctx, as_json))


@models.command(
    cls=Verb,
    examples=(
        "combray models test",
        "combray models test --language-model openai:qwen3@http://127.0.0.1:11434/v1",
    ),
)
@names_models
@JSON
@click.pass_context
def test(ctx: click.Context, /, as_json: bool, **named: str | None) -> None:
    """Test each configured model with a small request.

    A language model is asked for one word, which may cost a fraction of a cent. Exit code 1 if a test fails.
    """
    from combray.engine.models import trials

    target = without_store(ctx, as_json)
    tried = list(trials({**named, "embedder": named["embedder"] or target.embedder}))
    if for_people(target):
        _show(tried)
    else:
        show_json(tried)
    if any(each.ok is False for each in tried):
        raise click.exceptions.Exit(NOTHING_FOUND)


@models.command(
    cls=Verb,
    examples=(
        "combray models fetch onnx:sentence-transformers/all-MiniLM-L6-v2",
        "combray models fetch onnx:ORG/NAME@v1.0/onnx/model_quantized.onnx",
    ),
)
@click.argument("spec", metavar="onnx:ORG/NAME[@REVISION][/FILE.onnx]")
@JSON
@click.pass_context
def fetch(ctx: click.Context, /, spec: str, as_json: bool) -> None:
    """Download a model from the Hugging Face Hub.

    No other verb downloads; embedders and rerankers are loaded from the local cache of the hub. HF_TOKEN: token
    for a private model; HF_ENDPOINT: address of another hub; HF_HOME: location of the cache.
    """
    from combray.engine.models import fetch as fetched_model
    from combray.errors import InvalidInputError

    target = without_store(ctx, as_json)
    try:
        with _downloading() as step:
            fetched = fetched_model(spec, step)
    except InvalidInputError as error:
        raise click.UsageError(f"{error.problem} {error.remedy}") from error
    if for_people(target):
        _show_fetched(fetched)
    else:
        show_json(fetched)
    if fetched.note:
        say(fetched.note)


@contextmanager
def _downloading() -> Iterator[Callable[[int, int], None] | None]:
    """Show a progress bar in bytes on standard error if it is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn, TransferSpeedColumn

    columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console(errors=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)


def _show_fetched(fetched: Fetched) -> None:
    shown = table("file", "bytes", "SHA-256", unbroken=("bytes",))
    for each in fetched.files:
        shown.add_row(visible(each.name), f"{each.size:,}", each.sha256)
    out = console()
    out.print(shown)
    out.print(f"{fetched.repository} at commit {fetched.commit}, in {visible(fetched.folder)}.")
    out.print(f"To pin this version: {fetched.spec}")


def _show(tried: list[Trial]) -> None:
    from rich.text import Text

    signs = {True: Text("ok", "green"), False: Text("failed", "red"), None: Text("-")}
    shown = table("model", "", "ms", "result and remedy", unbroken=("ms",))
    for each in tried:
        said = f"{each.detail}\n{each.remedy}".strip()
        milliseconds = "" if each.milliseconds is None else f"{each.milliseconds:.0f}"
        shown.add_row(f"{_KINDS[each.kind]}\n{visible(each.name)}", signs[each.ok], milliseconds, visible(said))
    console().print(shown)


def _list(target: Target) -> None:
    from combray.engine.models import in_use, offers

    offered = offers()
    used = in_use({"embedder": target.embedder})
    if not for_people(target):
        show_json({"in_use": used, "offers": offered})
        return
    shown = table("kind", "spec", "what it is", "needs")
    for each in offered:
        shown.add_row(_KINDS[each.kind], each.spec, each.about, _needs(each))
    out = console()
    out.print(shown)
    out.print("In use: " + visible("; ".join(f"{kind.replace('_', ' ')} {spec}" for kind, spec in used.items())))


def _needs(offer: Offer) -> str:
    needs = []
    if offer.extra:
        needs.append(f"extra {offer.extra}: {'installed' if offer.installed else 'not installed'}")
    if offer.key_variable:
        needs.append(f"{offer.key_variable}: {'set' if offer.key_is_set else 'not set'}")
    return "; ".join(needs)


COMMANDS = {"models": models}
