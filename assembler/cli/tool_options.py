"""The options that say where a catalog comes from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from assembler.front.catalog_source import DEFAULT_TIMEOUT_SECONDS


def source_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--from`, `--live` and `--timeout`."""
    for decorator in (
        click.option(
            "--from",
            "files",
            multiple=True,
            metavar="LISTING",
            help="a saved tools/list result; once for each page, in order",
        ),
        click.option("--live", is_flag=True, help="start or ask the server that the host names"),
        click.option(
            "--timeout",
            "timeout_seconds",
            type=float,
            default=DEFAULT_TIMEOUT_SECONDS,
            metavar="SECONDS",
            help="for the whole of --live; default: 20",
        ),
    ):
        function = decorator(function)
    return function
