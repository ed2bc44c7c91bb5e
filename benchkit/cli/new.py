"""``benchkit new plugin``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchkit.cli import complete
from benchkit.scaffold.write import KINDS

app = typer.Typer(help="Start something new from a template.", no_args_is_help=True)


@app.callback()
def new() -> None:
    """Start something new from a template."""


@app.command("plugin")
def plugin(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Lower-case words joined by hyphens.")],
    kind: Annotated[
        str,
        typer.Option("--kind", metavar="|".join(KINDS), help="What its example is.", autocompletion=complete.new_kinds),
    ] = "algorithm",
    folder: Annotated[Path, typer.Option("--in", metavar="DIR", help="Where to make its folder.")] = Path(),
) -> None:
    """Write a package that installs, passes its own tests, and is ready to be edited."""
    from benchkit.scaffold.write import write_plugin

    made = folder / name
    for path in write_plugin(name, kind, folder):
        print(path)
    print(f'\nNext: pip install -e "{made}[test]" && pytest {made} && benchkit check {name}')
