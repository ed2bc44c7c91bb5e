"""A form that leads to another page of the dashboard."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from markupsafe import Markup

from benchkit.report.renderers.html import render

Option = tuple[str, str]
"""A value, and what is said for it."""


def choice(
    page: str,
    button: str,
    choices: Iterable[tuple[str, str, Sequence[Option], str]],
    kept: Mapping[str, str] | None = None,
) -> Markup:
    """Lists to choose from, and a button.

    Parameters
    ----------
    page : str
        Where it leads, such as ``methods``.
    button : str
    choices : iterable of (name, label, options, chosen value)
    kept : mapping, optional
        Further fields of the address.
    """
    shown = [
        (name, label, [(value, text, value == chosen) for value, text in options])
        for name, label, options, chosen in choices
    ]
    return render("page/choice.html", action=f"/{page}", button=button, choices=shown, kept=list((kept or {}).items()))
