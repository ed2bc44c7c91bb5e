"""A document as one HTML page that fetches nothing, with tables that sort and curves that answer."""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup, escape

from benchkit.document import Bars, Block, Chart, Document, Fold, Gallery, Mark, Note, Table
from benchkit.document.charts import DASHES
from benchkit.document.text import printable

# Nothing but the file itself: the browser refuses every request that a section might try.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


def html(document: Document, home: str = "") -> str:
    """The whole page, every heading of which begins a section; on a site, the address of its first page."""
    sections = [
        (heading or document.title, as_html(_captioned(heading, blocks)))
        for heading, blocks in document.sections(page=True)
    ]
    about = {"title": document.title, "facts": document.facts, "home": home, "sections": sections}
    return str(_render("page.html", **about, policy=_POLICY, dashes=json.dumps(DASHES)))


def _captioned(heading: str, blocks: Iterable[Block]) -> Iterator[Block]:
    """A table's title, where that says more than the heading above it, stands over the table."""
    for block in blocks:
        title = block.content.title if isinstance(block, Table) else ""
        if title.startswith(f"{heading}: "):
            rest = title.removeprefix(f"{heading}: ")
            yield Note(f"{rest[0].upper()}{rest[1:]}:")
        yield block


def as_html(blocks: Iterable[Block]) -> Markup:
    """What stands under a heading; narrow folds beside each other where there is room."""
    parts = []
    for beside, group in groupby(blocks, lambda block: isinstance(block, Fold) and block.narrow):
        html = Markup("").join(_block(block) for block in group)
        parts.append(Markup('<div class="columns">{}</div>').format(html) if beside else html)
    return Markup("").join(parts)


def notebook(document: Document) -> str:
    """Sentences, tables and notes as a notebook shows them."""
    return str(_render("notebook.html", document=document))


def _block(block: Block) -> Markup:
    kind = type(block).__name__
    frame = _FRAMES[kind](block) if kind in _FRAMES else None
    return _render("blocks.html", kind=kind, block=block, frame=frame)


def _render(template: str, **values: Any) -> Markup:
    return Markup(_environment().get_template(template).render(**values))


@cache
def _environment() -> Environment:
    made = Environment(
        autoescape=True,
        finalize=_neutral,
        keep_trailing_newline=False,
        loader=FunctionLoader(lambda name: files("benchkit.document").joinpath(name).read_text(encoding="utf-8")),
        lstrip_blocks=True,
        trim_blocks=True,
        undefined=StrictUndefined,
    )
    made.filters["breakable"] = _breakable
    made.filters["anchor"] = _anchor
    return made


def _neutral(value: Any) -> Any:
    """Text without control characters: a page may be printed to a terminal."""
    return value if isinstance(value, Markup) else printable(str(value))


def _anchor(title: str) -> str:
    """A section's place in the page's address."""
    return "".join(character if character.isalnum() else "-" for character in title.lower())


def _breakable(name: str) -> Markup:
    """A long name may break at its underscores, as it may at hyphens, and nowhere else."""
    return escape(printable(name)).replace("_", Markup("_<wbr>"))


def _of_gallery(gallery: Gallery) -> str:
    """Data for the page's script, alike for all charts."""
    styles = {curve.name: curve.style for chart in gallery.charts for curve in chart.curves}
    panels = [
        {
            "name": chart.panel,
            "short": chart.short,
            "metric": chart.y,
            "axis": chart.x,
            "places": [list(tick) for tick in chart.ticks],
            "curves": {curve.name: [_point(mark) for mark in curve.marks] for curve in chart.curves},
            "differences": [[*pair, [_point(mark) for mark in marks]] for pair, marks in chart.differences.items()],
        }
        for chart in gallery.charts
    ]
    data = {"algorithms": list(styles), "styles": list(styles.values()), "panels": panels, "note": gallery.note}
    # Within a script element only "</" and "<!--" could end it.
    return json.dumps(data, separators=(",", ":"), default=str).replace("<", "\\u003c")


def _point(mark: Mark) -> list[Any]:
    """Place, mean, standard error, ends of the interval, trials that ended ok, all trials, sign."""
    numbers = [None if value is None else float(f"{value:.6g}") for value in (mark.y, mark.error, mark.low, mark.high)]
    return [mark.x, *numbers, mark.n, mark.of, mark.sign]


def _of_chart(chart: Chart) -> str:
    """Data for the page's script."""
    curves = [{**vars(curve), "marks": [[mark.x, mark.y, mark.hint] for mark in curve.marks]} for curve in chart.curves]
    frame = {name: vars(chart)[name] for name in ("x", "ticks", "square")}
    return json.dumps({**frame, "curves": curves}, separators=(",", ":"))


def _of_bars(bars: Bars) -> Mapping[str, Any]:
    low = min(0.0, *(bar[2] for bar in bars.bars))
    high = max(*(bar[3] for bar in bars.bars), 1e-12)
    rough = (high - low) / 4
    decade = 10.0 ** math.floor(math.log10(rough))
    step = next(size * decade for size in (1, 2, 5, 10) if rough <= size * decade)
    ends = range(math.floor(low / step), math.ceil(high / step) + 1)  # no interval leaves the axis
    low, width = step * ends[0], step * (ends[-1] - ends[0])

    def place(value: float) -> float:
        return round(100 * (value - low) / width, 2)

    def span(start: float, end: float) -> float:
        return round(abs(place(end) - place(start)), 2)

    shown = [
        {
            **{"name": name, "start": place(min(0.0, value)), "width": span(0.0, value), "kind": kind, "text": text},
            **{"low": place(lowest), "span": span(lowest, highest)},
        }
        for name, value, lowest, highest, kind, text in bars.bars
    ]
    ticks = [(place(step * number), f"{step * number:.4g}") for number in ends]
    return {"zero": place(0.0), "bars": shown, "ticks": ticks, "unit": bars.unit}


_FRAMES: Mapping[str, Callable[[Any], Any]] = {
    "Gallery": _of_gallery,
    "Chart": _of_chart,
    "Bars": _of_bars,
    "Fold": lambda fold: as_html(fold.blocks),
}
