"""Facts with names, as a list."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape


def facts_list(facts: Mapping[str, str]) -> str:
    """A definition list of plain texts; those without a text are left out."""
    rows = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(text)}</dd></div>" for name, text in facts.items() if text)
    return f"<dl>{rows}</dl>"
