"""A hook of MkDocs: formulas in LaTeX become MathML, which browsers draw without a script and without a network.

In the pages a formula stands in a fence of the language ``math``, or in a line between $` and `$; GitHub draws both.
"""

from __future__ import annotations

import re
from typing import Any

from latex2mathml.converter import convert

_DISPLAYED = re.compile(r"^( *)```math\n(.*?)\n *```$", re.DOTALL | re.MULTILINE)
_LIMITS = re.compile(r"\\(min|max)_\{((?:[^{}]|\{[^{}]*\})*)\}")
_INLINE = re.compile(r"\$`([^`]+)`\$")

# Markdown would take underscores and stars of MathML for its own: it sees a token, and the page gets the formula later.
_TOKEN = "formula{}token"
_formulas: dict[str, list[str]] = {}


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Take the formulas out of a page's text."""
    taken = _formulas[page.file.src_uri] = []

    def take(latex: str, display: str) -> str:
        taken.append(convert(" ".join(latex.split()), display=display))
        return _TOKEN.format(len(taken) - 1)

    def display(match: re.Match[str]) -> str:
        return (
            match[1]
            + '<span class="formula">'
            + take(_LIMITS.sub(r"\\underset{\2}{\\\1}", match[2]), "block")
            + "</span>"
        )

    markdown = _DISPLAYED.sub(display, markdown)
    return _INLINE.sub(lambda match: take(match[1], "inline"), markdown)


def on_page_content(html: str, page: Any, **_: Any) -> str:
    """Put them into its HTML."""
    for number, formula in reversed(list(enumerate(_formulas.pop(page.file.src_uri)))):
        html = html.replace(_TOKEN.format(number), formula)
    return html
