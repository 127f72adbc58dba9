"""The command in a message is that of the way this copy was installed."""

from __future__ import annotations

import importlib.metadata
import json
from importlib.metadata import PackageNotFoundError
from typing import Any

import pytest

from combray.errors import MissingExtraError, install_command


class Distribution:
    """An installed package with a note of its origin."""

    def __init__(self, noted: str | None) -> None:
        self.noted = noted

    def read_text(self, name: str) -> str | None:
        assert name == "direct_url.json"
        return self.noted


@pytest.mark.parametrize(
    ("noted", "command"),
    [
        ({"url": "file:///a/b", "dir_info": {"editable": True}}, "pip install -e '.[mcp]' in the clone"),
        ({"url": "file:///a/b", "dir_info": {}}, "pip install '.[mcp]' in the clone"),
        ({"url": "file:///a/c-1-py3.whl", "archive_info": {}}, "pip install './c-1-py3.whl[mcp]'"),
        ({"url": "https://a.org/c.whl", "archive_info": {}}, "pip install 'combray[mcp] @ https://a.org/c.whl'"),
        (
            {"url": "https://a.org/c.git", "vcs_info": {"vcs": "git"}},
            "pip install 'combray[mcp] @ git+https://a.org/c.git'",
        ),
        (None, "pip install 'combray[mcp]'"),
        ([], "pip install 'combray[mcp]'"),
        ({"url": 1}, "pip install 'combray[mcp]'"),
    ],
)
def test_the_command_is_that_of_its_origin(monkeypatch: pytest.MonkeyPatch, noted: Any, command: str) -> None:
    text = None if noted is None else json.dumps(noted)
    monkeypatch.setattr(importlib.metadata, "distribution", lambda name: Distribution(text))
    assert install_command("mcp") == command
    assert str(MissingExtraError("The MCP server", "mcp")).endswith(f"which is not installed: {command}.")


def test_a_copy_that_nobody_installed_and_a_damaged_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "distribution", lambda name: Distribution("{"))
    assert install_command("onnx") == "pip install 'combray[onnx]'"

    def missing(name: str) -> Distribution:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "distribution", missing)
    assert install_command("onnx") == "pip install 'combray[onnx]'"
