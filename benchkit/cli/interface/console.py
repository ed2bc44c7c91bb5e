"""The terminal that commands print to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import rich.console
from rich.segment import Segment

from benchkit.report.neutral import printable


class Console(rich.console.Console):
    """A terminal for text that strangers may have written; its reader may leave early, as ``head`` does.

    Titles, labels and errors are text: rich's markup is off unless a call asks for it, and control characters are
    shown, not sent.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"markup": False, "emoji": False, **options})

    def render(
        self, renderable: rich.console.RenderableType, options: rich.console.ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Segments without control characters, except those that rich makes itself."""
        for segment in super().render(renderable, options):
            if segment.control is None and not segment.text.isprintable():
                yield Segment(printable(segment.text), segment.style)
            else:
                yield segment

    def on_broken_pipe(self) -> None:
        """Leave it to `benchkit.cli.main.main`: rich would end the process as failed."""
        raise BrokenPipeError
