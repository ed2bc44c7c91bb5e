"""The judgement as text, Markdown, LaTeX, JSON, a page of its own, and in a notebook."""

from __future__ import annotations

import base64
import io
import json
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from benchkit.judging.report_tables import hidden_table, missing_table, pairs_table, tiers_table
from benchkit.judging.wording import margin_text
from benchkit.plugin.declarations import ReportTable
from benchkit.report.neutral import markdown_text, printable

if TYPE_CHECKING:
    from benchkit.judging.judgement import Judgement

_PAIRS = 40  # rows of pairs where people read; JSON has all
_PAGE_PAIRS = 2000


def tables(judged: Judgement, pairs: int = _PAIRS) -> list[ReportTable]:
    """All tables, in the order in which they are read."""
    missing = missing_table(judged)
    made = [tiers_table(judged), pairs_table(judged, pairs), hidden_table(judged)]
    return made if missing is None else [*made, missing]


def markdown(judged: Judgement) -> str:
    """As Markdown."""
    from benchkit.report.renderers.markdown import markdown_table

    lines = [f"# {markdown_text(judged.source)}", "", markdown_text(judged.question.text), ""]
    lines += [f"- {markdown_text(line)}" for line in judged.answers]
    for table in tables(judged):
        lines += ["", f"## {markdown_text(table.title)}", "", *markdown_table(table)]
        lines += ["", markdown_text(table.note)] if table.note else []
    lines += ["", "## How it was judged", "", *(f"- {markdown_text(line)}" for line in judged.notes)]
    return "\n".join(lines) + "\n"


def latex(judged: Judgement) -> str:
    """As LaTeX, which needs booktabs."""
    from benchkit.report.plots.style import Slugs
    from benchkit.report.renderers.latex import latex_table

    said = [judged.source, judged.question.text, *judged.answers, *judged.notes, r"needs \usepackage{booktabs}"]
    blocks, slug = ["\n".join(f"% {printable(line)}".replace("\n", " ") for line in said)], Slugs()
    for table in tables(judged):
        caption = f"{table.title}. {judged.question.text} {table.note}".strip()
        blocks.append(latex_table(table, caption, slug("judge", table.title)))
    return "\n\n".join(blocks) + "\n"


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


def html(judged: Judgement) -> str:
    """As one page that fetches nothing."""
    from benchkit.report.page.frame import framed
    from benchkit.report.page.section import Section, of_table
    from benchkit.report.renderers.html import html_table, render

    tiers, *others = tables(judged, _PAGE_PAIRS)
    answer = render("page/notes.html", body="", notes=[judged.question.text, *judged.answers])
    figure = f'<p><img alt="ranks that each method may have" style="max-width:100%" src="{_picture(judged)}"></p>'
    sections = [
        Section("Answer", answer),
        Section("Tiers", html_table(tiers) + type(answer)(figure)),
        *(section for table in others if (section := of_table(table)) is not None),
        Section("How it was judged", render("page/notes.html", body="", notes=judged.notes)),
    ]
    facts = f"{len(judged.methods)} methods · {judged.question.scores.measured}"
    facts += f" · margin {margin_text(judged)}" if judged.margin else ""
    return framed(judged.source, facts, sections)


def text(judged: Judgement) -> str:
    """As the terminal shows it, without colour, 100 characters wide."""
    import rich.console

    from benchkit.report.renderers.terminal import terminal_tables

    buffer = io.StringIO()
    console = rich.console.Console(file=buffer, width=100, markup=False, emoji=False)
    for line in [judged.question.text, *judged.answers]:
        console.print(printable(line))
    for table in tables(judged):
        for part in terminal_tables(table, 100, bold=False):
            console.print(part)
    for line in judged.notes:
        console.print(f"- {printable(line)}")
    return buffer.getvalue()


def notebook(judged: Judgement) -> str:
    """Answers and tiers, as a notebook shows them."""
    from benchkit.report.renderers.html import render

    return str(
        render(
            "notebook.html",
            title=judged.source,
            answers=[judged.question.text, *judged.answers],
            tables=[tiers_table(judged)],
            more=0,
            notes="",
            ending="more in .pairs, .hidden, .missing, .notes and .plot()",
        )
    )


def _picture(judged: Judgement) -> str:
    """The figure as an address that holds it."""
    from benchkit.report.plots.style import styled

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
