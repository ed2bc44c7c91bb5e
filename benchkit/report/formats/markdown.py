"""A run's tables as markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from benchkit.plugin.declarations import ReportTable
from benchkit.report.analysis import Analysis
from benchkit.report.claims.verdict import CLAIMS_NOTE
from benchkit.report.failures import TITLE
from benchkit.report.neutral import markdown_text
from benchkit.report.questions import question_table, tally
from benchkit.report.renderers.markdown import markdown_table
from benchkit.report.results import Results
from benchkit.report.slices import slices_note, slices_table
from benchkit.report.tables import IN_FULL, claims, means, ranks, robustness
from benchkit.report.taken_columns import taken_tables
from benchkit.report.tuning_cost import tuning


def markdown(analysis: Analysis) -> str:
    """All tables as markdown, the best of each column in bold."""
    results = analysis.results
    lines = [f"# {markdown_text(results.title or results.suite)}", "", *_bullets(analysis.answers)]
    for grid in analysis.grids:
        lines += _section(means(analysis, grid))
        lines += _under(robustness(analysis, grid))
    lines += [f"{markdown_text(note)}.  " for note in analysis.notes] + [""] * bool(analysis.notes)
    for table in ranks(analysis):
        lines += _section(table)
    sliced, remarks = analysis.slices
    if sliced:
        lines += [f"## By {markdown_text(str(analysis.settings.by))}", ""]
        lines += _bullets([*(each.answer for each in sliced), *remarks])
        for each in sliced:
            lines += [f"### {markdown_text(slices_table(each).title)}", "", *_under(slices_table(each))]
        lines += [f"{markdown_text(slices_note(sliced))}.", ""]
    if analysis.settings.details:
        for table in tuning(analysis):
            lines += _section(table, f"Tuning on {table.title}")
        for table in taken_tables(analysis):
            lines += _section(table)
    lines += _section(claims(analysis.verdicts, note=analysis.claims_note))
    if analysis.questions:
        lines += _section(question_table(analysis.questions))
        lines += _bullets([tally(analysis.questions, results)])
    for title, table in results.sections():
        lines += _section(table, title)
    if problems := results.problems():
        lines += [f"## {TITLE}", "", *_bullets(f"{count} x {name}" for count, name in problems)]
    return "\n".join(lines)


def of_collection(results: Results, analyses: Sequence[Analysis]) -> str:
    """The claims of all suites with their verdicts, then each suite's tables."""
    judged = [(each.suite, verdict) for each in results.suites for verdict in each.verdicts()]
    table = claims([verdict for _, verdict in judged], IN_FULL, CLAIMS_NOTE, [suite for suite, _ in judged])
    lines = [f"# {markdown_text(results.title or results.suite)}", "", *_section(table)]
    return "\n".join([*lines, *(markdown(each) for each in analyses)])


def summary(analysis: Analysis) -> str:
    """Verdicts, what is to be said under the tables, and what went wrong: what a reader looks at first."""
    problems = [f"{count} x {name}" for count, name in analysis.results.problems()[:10]]
    lines = [f"# {markdown_text(analysis.results.title or analysis.results.suite)}", ""]
    lines += _under(claims(analysis.verdicts))
    lines += _bullets([*analysis.notes, *problems])
    return "\n".join(lines).rstrip("\n") + "\n"


def _section(table: ReportTable | None, title: str = "") -> list[str]:
    return [] if table is None else [f"## {markdown_text(title or table.title)}", "", *_under(table)]


def _under(table: ReportTable | None) -> Sequence[str]:
    """A table and its note."""
    if table is None:
        return []
    note = [f"{markdown_text(table.note)}{'' if table.note.endswith('.') else '.'}", ""] if table.note else []
    return [*([*markdown_table(table), ""] if table.columns else []), *note]


def _bullets(texts: Iterable[str]) -> list[str]:
    lines = [f"- {markdown_text(text)}" for text in texts]
    return [*lines, ""] if lines else []
