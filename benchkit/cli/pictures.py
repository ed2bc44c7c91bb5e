"""``benchkit pictures``."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from benchkit.cli.interface import complete
from benchkit.cli.interface.options import OnlyOption, TrustOption, parse_only


def pictures(
    run: Annotated[
        str, typer.Argument(metavar="RUN", help="A run's or a suite's folder.", autocompletion=complete.runs)
    ],
    only: OnlyOption = None,
    shape: Annotated[
        str | None, typer.Option(metavar="HxW", help="Height and width of an image (default: square).")
    ] = None,
    count: Annotated[int, typer.Option(min=1, metavar="N", help="Images per class.")] = 5,
    trust: TrustOption = False,
) -> None:
    """Draw test images and the pixels that adversaries changed at the largest budget."""
    from benchkit.session.past.pictures import picture
    from benchkit.suite.source import SuiteError

    size = None
    if shape is not None:
        sides = re.fullmatch(r"([1-9][0-9]{0,4})x([1-9][0-9]{0,4})", shape)
        if sides is None:
            raise SuiteError(f"--shape {shape}: expected HEIGHTxWIDTH, such as 28x28")
        size = int(sides[1]), int(sides[2])
    for path in picture(run, parse_only(only), size, count, trust):
        if path.suffix == ".png":
            typer.echo(path)
