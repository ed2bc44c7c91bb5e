"""The judgement as text, Markdown, LaTeX, JSON, a page of its own, and in a notebook."""

from __future__ import annotations

import base64
import io
import json
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from benchkit.document import Block, Document, Heading, Note, Picture, Table, Text
from benchkit.judging.report_tables import hidden_table, missing_table, pairs_table, tiers_table
from benchkit.judging.wording import margin_text
from benchkit.plugin.declarations import ReportTable

if TYPE_CHECKING:
    from benchkit.judging.judgement import Judgement

_PAIRS = 40  # rows of pairs where people read; JSON has all
_PAGE_PAIRS = 2000


def tables(judged: Judgement, pairs: int = _PAIRS) -> list[ReportTable]:
    """All tables, in the order in which they are read."""
    missing = missing_table(judged)
    made = [tiers_table(judged), pairs_table(judged, pairs), hidden_table(judged)]
    return made if missing is None else [*made, missing]


def document(judged: Judgement, pairs: int = _PAIRS, picture: bool = False) -> Document:
    """The answers, the tables, and how it was judged.

    Parameters
    ----------
    judged : Judgement
    pairs : int, default=40
        Rows of pairs at most.
    picture : bool, default=False
        Whether the figure of the tiers is held, too.
    """
    tiers, *others = tables(judged, pairs)
    blocks: list[Block] = [Heading("Answer"), Text(judged.question.text)]
    blocks += [Text(line, strong=True) for line in judged.answers]
    blocks += [Heading("Tiers"), Table(tiers)]
    blocks += [Picture("ranks that each method may have", _picture(judged))] * picture
    for table in others:
        blocks += [Heading(table.title), Table(table)]
    blocks += [Heading("How it was judged"), *(Note(f"- {line}") for line in judged.notes)]
    facts = f"{len(judged.methods)} methods · {judged.question.scores.measured}"
    facts += f" · margin {margin_text(judged)}" if judged.margin else ""
    return Document(judged.source, blocks, facts, name="judge")


def markdown(judged: Judgement) -> str:
    """As Markdown."""
    return document(judged).markdown()


def latex(judged: Judgement) -> str:
    """As LaTeX, which needs booktabs."""
    return document(judged).latex()


def html(judged: Judgement) -> str:
    """As one page that fetches nothing."""
    return document(judged, _PAGE_PAIRS, picture=True).html()


def text(judged: Judgement) -> str:
    """As the terminal shows it, without colour, 100 characters wide."""
    return document(judged).text()


def notebook(judged: Judgement) -> str:
    """Answers and tiers, as a notebook shows them."""
    from benchkit.document.html import notebook as as_notebook

    sentences: list[Block] = [Text(line) for line in [judged.question.text, *judged.answers]]
    more = Note("more in .pairs, .hidden, .missing, .notes and .plot()")
    return as_notebook(Document(judged.source, [*sentences, Table(tiers_table(judged)), more]))


def as_json(judged: Judgement) -> str:
    """As JSON: every pair, every method; what is not known or not finite is null."""
    asked = judged.question
    said = {
        "source": judged.source,
        "question": asked.text,
        "drawn": list(asked.drawn),
        "units": judged.result.units,
        "drawn_units": asked.counts,
        "by": asked.by,
        "measured": asked.scores.measured,
        "higher_is_better": asked.scores.higher_is_better,
        "timings": asked.scores.timings,
        "level": judged.level,
        "margin": judged.margin,
        "answers": judged.answers,
        "notes": judged.notes,
        "counts": judged.counts,
        "methods": judged.tiers.join(judged.hidden).reset_index().to_dict("records"),
        "pairs": judged.pairs.to_dict("records"),
        "missing": judged.missing.reset_index().to_dict("records"),
    }
    return json.dumps(_plain(said), indent=1, ensure_ascii=False) + "\n"


def _picture(judged: Judgement) -> str:
    """The figure as an address that holds it."""
    from benchkit.document.charts import styled

    buffer = io.BytesIO()
    with styled():
        judged.plot().savefig(buffer, format="svg", metadata={"Date": None})
    return f"data:image/svg+xml;base64,{base64.b64encode(buffer.getvalue()).decode()}"


def _plain(value: Any) -> Any:
    """What JSON knows."""
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


WRITERS: dict[str, Callable[[Judgement], str]] = {
    "text": text,
    "markdown": markdown,
    "latex": latex,
    "json": as_json,
    "html": html,
}
