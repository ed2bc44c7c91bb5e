r"""LaTeX that includes the figures of a report: ``\usepackage{graphicx}`` is all it needs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from benchkit.report.renderers.latex import escape


def figures_tex(figures: Iterable[tuple[Path, str]]) -> str:
    """One float for each figure, with caption and label.

    Parameters
    ----------
    figures : iterable of (Path, str)
        Files, named as they are to be included, and their captions, as plain text.
    """
    parts = [
        "\n".join(
            [
                r"\begin{figure}",
                r"\centering",
                rf"\includegraphics{{{path.name}}}",
                rf"\caption{{{escape(caption)}}}",
                rf"\label{{fig:{path.stem}}}",
                r"\end{figure}",
            ]
        )
        for path, caption in figures
    ]
    return "\n\n".join([r"% needs \usepackage{graphicx}", *parts]) + "\n"
