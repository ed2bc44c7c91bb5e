"""A part of the page, and the few pieces of HTML that parts are made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True)
class Section:
    """A part of the page with a heading of its own.

    Attributes
    ----------
    title : str
        Plain text; also shown in the page's navigation.
    html : str
        What stands under the heading. It must fetch nothing: the page's policy blocks every request.
    """

    title: str
    html: str

    @property
    def anchor(self) -> str:
        """Its place in the page's address."""
        return "".join(character if character.isalnum() else "-" for character in self.title.lower())


@dataclass(frozen=True)
class Cell:
    """A table cell: what is shown, what sorting goes by, a class, and what hovering tells.

    Attributes
    ----------
    text : str
    order : float or str, optional
        Sorts by ``text`` where absent.
    kind : str, optional
        CSS classes.
    title : str, optional
    href : str, optional
        Where the text leads.
    """

    text: str
    order: float | str | None = None
    kind: str = ""
    title: str = ""
    href: str = ""

    def html(self, tag: str = "td") -> str:
        """As an element."""
        attributes = "".join(
            f' {name}="{escape(str(value))}"'
            for name, value in (("data-order", self.order), ("class", self.kind), ("title", self.title))
            if value not in (None, "")
        )
        text = escape(self.text)
        shown = f'<a href="{escape(self.href)}">{text}</a>' if self.href else text
        return f"<{tag}{attributes}>{shown}</{tag}>"


Row = Sequence[Cell | str]


def table(header: Sequence[str], rows: Iterable[Row], kind: str = "") -> str:
    """A table whose header sorts it when clicked; the first cell of a row names it."""
    # A long name may break at its underscores, as it may at hyphens, and nowhere else.
    names = [escape(name).replace("_", "_<wbr>") for name in header]
    head = "".join(f'<th scope="col"><button type="button">{name}</button></th>' for name in names)
    body = []
    for first, *rest in rows:
        cells = [_cell(first).html("th"), *(_cell(entry).html() for entry in rest)]
        body.append(f"<tr>{''.join(cells)}</tr>")
    return (
        f'<div class="scroll"><table class="sortable {kind}"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody></table></div>"
    )


def details(summary: str, html: str, opened: bool = False) -> str:
    """What can be folded away."""
    return f"<details{' open' if opened else ''}><summary>{escape(summary)}</summary>{html}</details>"


def _cell(entry: Cell | str) -> Cell:
    return entry if isinstance(entry, Cell) else Cell(entry)
