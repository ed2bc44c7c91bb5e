"""``benchkit pictures``."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from benchkit.cli import complete
from benchkit.cli.options import OnlyOption, parse_only


def pictures(
    run: Annotated[
        str, typer.Argument(metavar="RUN", help="A run's or a suite's folder.", autocompletion=complete.runs)
    ],
    only: OnlyOption = None,
    shape: Annotated[
        str | None, typer.Option(metavar="HxW", help="Height and width of an image (default: square).")
    ] = None,
    count: Annotated[int, typer.Option(min=1, metavar="N", help="Images per class.")] = 5,
) -> None:
    """Draw test images with the pixels that adversaries changed, at the largest budget."""
    from benchkit.conduct.picturing import picture
    from benchkit.suite.load import SuiteError

    size = re.fullmatch(r"([1-9]\d{0,4})x([1-9]\d{0,4})", shape or "1x1")
    if size is None:
        raise SuiteError(f"--shape {shape}: expected HEIGHTxWIDTH, such as 28x28")
    height_and_width = (int(size[1]), int(size[2])) if shape else None
    for path in picture(run, parse_only(only), height_and_width, count):
        if path.suffix == ".png":
            typer.echo(path)
