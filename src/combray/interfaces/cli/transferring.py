"""`combray export`, `combray import` and `combray ingest`: memories and conversations in and out."""

from __future__ import annotations

from pathlib import Path

import click

_FILE = click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)
