"""The terminal that commands print to."""

from __future__ import annotations

import rich.console


class Console(rich.console.Console):
    """One whose reader may leave early, as ``head`` does: rich would end the process as failed."""

    def on_broken_pipe(self) -> None:
        """Leave it to `benchkit.cli.main.main`."""
        raise BrokenPipeError
