"""A tool as a server offers it: argument checks, readable errors, progress, cancellation, questions."""

from __future__ import annotations

import functools
import inspect
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import anyio.from_thread
import anyio.to_thread
from mcp.server.mcpserver.context import Context
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import FuncMetadata, func_metadata
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, ToolAnnotations
from pydantic import Field, ValidationError

from combray.engine import interruptible
from combray.errors import CombrayError
from combray.interfaces.mcp.decisions import Asked, Decide, Question, ask
from combray.interfaces.mcp.profiles import OUTPUTS
from combray.verbs.binding import checked_arguments, schema
from combray.verbs.declaration import Verb

_PAUSE = 0.1
"""Least seconds between two progress notifications of a call."""


@functools.cache
def _unchecked() -> FuncMetadata:
    """What the SDK must know of a function; the arguments of a declared verb are not its to check."""

    def call() -> CallToolResult:
        raise NotImplementedError

    return func_metadata(call, structured_output=False)


class Offered(Tool):
    """A tool that rejects unknown arguments and reports failures as one sentence."""

    written: Callable[[], Awaitable[None]] | None = Field(default=None, exclude=True)
    """Called after a call that may have written."""
    decide: Decide | None = Field(default=None, exclude=True)
    """Ends a call that asked a person."""
    patience: float = Field(default=0, exclude=True)
    """Seconds that a question waits for an answer; 0: never ask."""
    known: dict[str, Any] | None = Field(default=None, exclude=True)
    """Parameters of a declared verb by their names in the tool; None: the SDK checks the arguments."""

    @property
    def output_schema(self) -> dict[str, Any] | None:
        """The schema of the structured result."""
        return OUTPUTS.get(self.name)

    @classmethod
    def of(cls, call: Callable[..., Any], title: str, annotations: ToolAnnotations) -> Offered:
        """Make a tool of a function whose parameters are annotated for the SDK."""
        tool = cls.from_function(
            call,
            title=title,
            description=inspect.getdoc(call),
            annotations=annotations,
            structured_output=False,
        )
        assert isinstance(tool, Offered)  # noqa: S101 - narrows the return type of the SDK
        tool.parameters["additionalProperties"] = False
        for argument in tool.parameters["properties"].values():
            # The SDK repeats each name as a title, which only costs tokens.
            argument.pop("title", None)
        return tool

    @classmethod
    def declared(
        cls,
        verb: Verb,
        call: Callable[..., Any],
        title: str,
        annotations: ToolAnnotations,
        without: Sequence[str],
    ) -> Offered:
        """Make a tool of a declared verb, without some arguments. `call` takes the engine's names."""
        known = {name: each for name, each in verb.arguments.items() if name not in without}
        described = {name: each.for_mcp() for name, each in known.items()}
        return cls(
            fn=call,
            name=verb.tool,
            title=title,
            description=inspect.getdoc(call) or "",
            parameters=schema(described),
            fn_metadata=_unchecked(),
            is_async=False,
            context_kwarg=None,
            annotations=annotations,
            known=described,
        )

    async def run(
        self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False
    ) -> Any:
        """Run in a worker thread, or end a call that waited for a person.

        A cancelled call stops at its next step; a transaction that is open then is rolled back. Raises ToolError
        with the problem and the remedy.
        """
        known = self.parameters["properties"]
        for name in arguments.keys() - known.keys():
            has = ", ".join(known) or "none"
            raise ToolError(f"{self.name} has no argument {name!r}. Use only {has}.")
        progress = _Progress(context)
        await context.report_progress(0)
        try:
            with interruptible(progress.step):
                done = await self._done(arguments, context, convert_result)
        except ToolError as error:
            raise self._explained(error) from error.__cause__
        except CombrayError as error:
            raise ToolError(str(error)) from error
        if progress.steps or not inspect.iscoroutinefunction(self.fn):
            await context.report_progress(progress.steps + 1, progress.steps + 1)
        if self.written is not None:
            await self.written()
        return done

    async def _done(self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool) -> Any:
        decide = self.decide
        if decide is None:
            return await self._called(arguments, context, convert_result)
        if context.request_state is not None:
            state, answer = Question.answered(context.request_state, context.input_responses)
            return await anyio.to_thread.run_sync(decide, state, answer)
        done = await self._called(arguments, context, convert_result)
        return await ask(done, decide, context, self.patience) if isinstance(done, Asked) else done

    async def _called(self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool) -> Any:
        if self.known is None:
            return await super().run(arguments, context, convert_result)
        checked = checked_arguments(self.name, self.known, arguments)
        given = {self.known[name].name: value for name, value in checked.items()}
        try:
            done = await anyio.to_thread.run_sync(functools.partial(self.fn, **given))
        except (CombrayError, ToolError, MCPError):
            raise
        except Exception as error:
            raise UnexpectedToolError(f"Error executing tool {self.name}") from error
        return self.fn_metadata.convert_result(done) if convert_result else done

    def _explained(self, error: ToolError) -> ToolError:
        """Return the error in one sentence, without the SDK's prefix."""
        cause = error.__cause__
        if isinstance(cause, ValidationError):
            return ToolError(_refused(cause))
        if isinstance(cause, CombrayError | ToolError):
            return ToolError(str(cause))
        if isinstance(cause, OSError):
            return ToolError(f"{cause.filename or self.name}: {cause.strerror or cause}")
        if isinstance(error, UnexpectedToolError):
            return UnexpectedToolError(f"{self.name} failed unexpectedly. See the server's log.")
        return error


class _Progress:
    """Progress of one call, reported from its worker thread. Ends the thread's work if the call is cancelled."""

    def __init__(self, context: Context[Any, Any]) -> None:
        self._context = context
        self._reported = time.monotonic()
        self.steps = 0

    def step(self, name: str) -> None:
        """Count a step, report it if the last report is `_PAUSE` old. Raises if the call was cancelled."""
        anyio.from_thread.check_cancelled()
        self.steps += 1
        now = time.monotonic()
        if now - self._reported >= _PAUSE:
            self._reported = now
            anyio.from_thread.run(self._context.report_progress, self.steps, None, name)


def _refused(error: ValidationError) -> str:
    """Return each invalid argument, its problem and its value."""
    said = []
    for each in error.errors():
        name = ".".join(map(str, each["loc"]))
        value = "" if each["type"] == "missing" else f" (not {repr(each['input'])[:80]})"
        said.append(f"{name}: {each['msg']}{value}.")
    return " ".join(said)
