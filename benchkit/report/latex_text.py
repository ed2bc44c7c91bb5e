"""Text that LaTeX shows as it is."""

from __future__ import annotations

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "±": r"$\pm$",
    "∞": r"$\infty$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "\u00d7": r"$\times$",
    "χ": r"$\chi$",
    "²": r"$^2$",
    "\u2212": "--",
}


def escape(text: str) -> str:
    """Text in which every character that LaTeX takes for its own stands for itself."""
    return "".join(_SPECIAL.get(character, character) for character in text)
