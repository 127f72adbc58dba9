"""Commands made from declared verbs, and the options that many share: store, models, output format."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from combray.folders import data_folder
from combray.interfaces.cli.failures import VerbCommand, VerbGroup, nothing_found
from combray.interfaces.cli.reading import form_of
from combray.records import dataclass, fields, replace

if TYPE_CHECKING:
    from combray.engine import Engine
    from combray.verbs.declaration import Parameter

_SERVER = ("postgresql://", "postgres://")
_STORE_NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9_-]*")
_SQLITE = "sqlite:///"


@dataclass(frozen=True, slots=True)
class Target:
    """Store, namespace, models and output format of a verb. None: the setting (environment, file, default)."""

    db: str | None = None
    store: str | None = None
    namespace: str | None = None
    preset: str | None = None
    embedder: str | None = None
    reranker: str | None = None
    judge: str | None = None
    language_model: str | None = None
    json: bool = False

    def over(self, outer: Target | None) -> Target:
        """Return this target, completed by the options given before the verb."""
        if outer is None:
            return self
        given = {name: value for name, value in asdict(self).items() if value}
        if self.db or self.store:
            outer = replace(outer, db=None, store=None)
        return replace(outer, **given)

    def location(self) -> str:
        """Return the store's location: a path, sqlite:///PATH or :memory:. Raises click.UsageError."""
        from combray import settings

        if self.db and self.store:
            raise click.UsageError("--db and --store exclude each other. Give one of them.")
        if self.store and "://" in self.store:
            return self.store
        if self.store:
            return str(Path(data_folder(), f"{self.store}.db"))
        return settings.load({"db": self.db}).db or settings.default_location()

    def exists(self) -> bool:
        """Whether the store exists."""
        path = self._file()
        return path is not None and path.exists()

    def _file(self) -> Path | None:
        location = self.location().removeprefix(_SQLITE)
        if location == ":memory:" or "://" in location:
            return None
        return Path(os.path.expanduser(location))  # noqa: PTH111 - Path's raises for unknown users

    def open(self, *, to_write: bool = False, read_only: bool = False, stays: bool = False) -> Engine:
        """Open the engine. `to_write`: create a missing store; `stays`: start a background worker."""
        import combray

        path = self._file()
        if path is not None and path.is_dir():
            raise click.UsageError(f"{path} is a folder. Name the store's file, such as {path / 'agent.db'}.")
        if path is not None and not path.exists():
            if not to_write:
                nothing_found(
                    f"the store {path} does not exist. Create it with: combray remember TEXT; or check --db, "
                    "--store and COMBRAY_DB."
                )
            if path.parent == Path(data_folder()):
                path.parent.mkdir(parents=True, exist_ok=True)
        return combray.open(
            self.location(),
            namespace=self.namespace,
            preset=self.preset,
            embedder=self.embedder,
            reranker=self.reranker,
            judge=self.judge,
            language_model=self.language_model,
            read_only=read_only,
            worker=None if stays else False,
        )


def _store_name(_ctx: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    if value is not None and not value.startswith(_SERVER) and not _STORE_NAME.fullmatch(value):
        raise click.BadParameter(
            f"{value!r} is not a valid name. Use letters, digits, - and _, starting with a letter or digit."
        )
    return value or None


_JSON = click.option("--json", "json", is_flag=True, help="Print JSON even in a terminal.")
_STORE = (
    click.option("--namespace", "-n", metavar="NAME", help="Namespace to work in [env: COMBRAY_NAMESPACE]."),
    click.option(
        "--store",
        callback=_store_name,
        metavar="NAME",
        help="Named store: NAME.db in the data folder; or a server: postgresql://….",
    ),
    click.option(
        "--db",
        metavar="FILE",
        help="The store's file, or postgresql://… [env: COMBRAY_DB; default: default.db in the data folder].",
    ),
)
_EMBEDDER = click.option(
    "--embedder",
    metavar="NAME",
    help="Embedder, such as none, wordllama or ollama:MODEL; see 'combray models' [env: COMBRAY_EMBEDDER].",
)
_MODELS = (
    click.option(
        "--reranker",
        metavar="NAME",
        help="Reranker, for presets that rerank; see 'combray models' [env: COMBRAY_RERANKER].",
    ),
    click.option(
        "--language-model",
        metavar="NAME",
        help="Language model; see 'combray models' [env: COMBRAY_LANGUAGE_MODEL].",
    ),
)
_PRESET = click.option(
    "--preset", metavar="NAME", help="Preset of pipelines; see 'combray presets' [env: COMBRAY_PRESET]."
)

Function = Callable[..., Any]


def opens_store(
    *, pipelines: bool = False, models: bool = False, namespace: bool = True
) -> Callable[[Function], Function]:
    """Add the shared options to a verb and pass them as `target`: --preset and --embedder with `pipelines`,
    --reranker and --language-model with `models`. Without `namespace` the verb concerns the whole store.

    A verb without pipelines opens the engine without models.
    """
    chosen = (*(_MODELS if models else ()), *((_EMBEDDER, _PRESET) if pipelines else ()))
    fixed = {} if pipelines else dict.fromkeys(("embedder", "reranker", "judge", "language_model"), "none")
    return _with_target(_JSON, *chosen, *(_STORE if namespace else _STORE[1:]), **fixed)


def without_store(*, models: bool = False) -> Callable[[Function], Function]:
    """Like `opens_store`, for a verb that opens no store: only --json and, with `models`, the models."""
    return _with_target(_JSON, *((*_MODELS, _EMBEDDER) if models else ()))


def _with_target(*options: Callable[[Function], Function], **fixed: str) -> Callable[[Function], Function]:
    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def wrapped(*args: Any, **given: Any) -> Any:
            own = {f.name: given.pop(f.name) for f in fields(Target) if f.name in given}
            # A blank value, such as --preset "$UNSET", is not set.
            own = {name: value for name, value in own.items() if value} | fixed
            outer = click.get_current_context().find_object(Target)
            return function(Target(**own).over(outer), *args, **given)

        verb: Function = wrapped
        for option in options:
            verb = option(verb)
        return verb

    return decorate


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

    # Verbs of the shell alone, such as `hook`, start sooner without the declarations.
    from combray.verbs import VERBS

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


def group(*examples: str, options: Callable[[Function], Function]) -> Callable[[Function], click.Group]:
    """Make a function a verb with subcommands. It is called with the target when none is named."""

    def decorate(function: Function) -> click.Group:
        @functools.wraps(function)
        def run(ctx: click.Context, /, target: Target) -> None:
            ctx.obj = target
            if ctx.invoked_subcommand is None:
                function(target)

        made = click.group(cls=VerbGroup, invoke_without_command=True, examples=examples)
        return made(options(click.pass_context(run)))

    return decorate


def _parameter(declared: Parameter) -> click.Parameter:
    from combray.verbs.declaration import UNSET

    words = (declared.shell or "").split()
    flags = [each for each in words if each.startswith("-")]
    kind, callback = form_of(declared)
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
