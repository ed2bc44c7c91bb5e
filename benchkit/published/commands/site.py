"""``benchkit site``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def site(
    results: Annotated[
        str, typer.Argument(metavar="DIR|URL|published", help="Published results: a folder, or their address.")
    ],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="Where the pages go.")],
) -> None:
    """Build a static site of published results: who is most robust, where; nothing on it is fetched from elsewhere."""
    from benchkit.cli.interface.console import Console
    from benchkit.published.site.build import build_site

    pages = build_site(results, output)
    Console().print(f"{len(pages)} pages; open {output / 'index.html'}", highlight=False, soft_wrap=True)
