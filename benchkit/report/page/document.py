"""The whole page, from sections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from benchkit.report.analysis import Analysis
from benchkit.report.failures import failures
from benchkit.report.page.curves import curves
from benchkit.report.page.frame import framed
from benchkit.report.page.predicted import what_was_predicted
from benchkit.report.page.provenance import provenance, suite_as_run
from benchkit.report.page.section import Section, of_panels, of_table
from benchkit.report.page.summary import summary
from benchkit.report.page.taken import taken
from benchkit.report.page.tuning import tuning
from benchkit.report.questions import question_table, tally
from benchkit.report.renderers.html import render
from benchkit.report.slices import slices_note, slices_table
from benchkit.report.tables import IN_FULL, MOST_PANELS, claims, differences, means, ranks, robustness
from benchkit.statistics.sampling import SCOPE_NAMES

_MOST_DIFFERENCES = 3000
_AREA = (
    "Mean over axis: the area under the curve over the length of the axis. The level of the breakdown point is "
    "half-way between the best and the worst mean of the panel."
)


def sections(analysis: Analysis, manifest: Mapping[str, Any]) -> list[Section]:
    """The page's own sections, in order."""
    results = analysis.results
    few = len(analysis.grids) <= MOST_PANELS
    hint = "Click a heading to sort; hover over a cell for its spread and tests."
    candidates = [
        summary(analysis, manifest),
        of_table(claims(analysis.verdicts, IN_FULL, analysis.claims_note), kind="claims"),
        of_table(
            question_table(analysis.questions) if analysis.questions else None,
            notes=[tally(analysis.questions, results)],
        ),
        curves(analysis),
        of_panels(
            "Tables",
            [means(analysis, grid) for grid in analysis.grids],
            opened=few,
            kind="means",
            notes=[*analysis.notes, hint],
        ),
        _robustness(analysis),
        of_panels("Ranks over datasets", ranks(analysis), opened=True, columns=True),
        _by(analysis),
        _differences(analysis),
        tuning(analysis),
        taken(analysis),
        what_was_predicted(analysis),
        of_table(failures(results)),
        *(of_table(table, title) for title, table in results.sections()),
    ]
    return [section for section in candidates if section is not None]


def _robustness(analysis: Analysis) -> Section | None:
    tables = [table for grid in analysis.grids if (table := robustness(analysis, grid)) is not None]
    # What holds of all panels is said once.
    return of_panels(
        "Robustness in numbers",
        [replace(table, note="") for table in tables],
        opened=len(tables) <= MOST_PANELS,
        columns=True,
        notes=[_AREA, analysis.robustness_note],
    )


def _differences(analysis: Analysis) -> Section | None:
    title = f"Differences from {analysis.settings.baseline}"
    if len(analysis.comparisons) > _MOST_DIFFERENCES:
        note = f"{len(analysis.comparisons):,} differences: see points.csv"
        return Section(title, render("page/notes.html", body="", notes=[note]))
    tables = [table for grid in analysis.grids if (table := differences(analysis, grid)) is not None]
    note = (
        f"Paired by repetition and data set; {SCOPE_NAMES[analysis.settings.scope]}. Wilcoxon's test stands where "
        "repetitions are independent draws. In bold: p below 0.05 after Holm's correction."
    )
    return of_panels(title, tables, opened=False, notes=[note])


def _by(analysis: Analysis) -> Section | None:
    """Who suffers, where the reader named a column."""
    sliced, remarks = analysis.slices
    tables = [slices_table(each) for each in sliced]
    notes = [*remarks, slices_note(sliced)]
    opened = len(tables) <= MOST_PANELS
    section = of_panels(f"By {analysis.settings.by}", tables, opened=opened, kind="means second-name", notes=notes)
    if section is None:
        return None
    said = [each.answer for each in sliced]
    return replace(section, html=render("page/answers.html", answers=said, below=Markup(section.html)))


def html(analysis: Analysis) -> str:
    """The page, with what the run's manifest says of its making."""
    return page(analysis, analysis.results.manifest)


def page(
    analysis: Analysis,
    manifest: Mapping[str, Any],
    home: str = "",
    more: Sequence[Section] = (),
) -> str:
    """The report as HTML.

    Parameters
    ----------
    analysis : Analysis
    manifest : mapping
        What the page says of the run's making.
    home : str, default=""
        On a site, the address of its first page.
    more : sequence of Section
        What a site adds, before it is told where the results come from.
    """
    results = analysis.results
    known = [results.suite, manifest.get("profile"), manifest.get("started"), manifest.get("run")]
    parts = [*sections(analysis, manifest), *more, provenance(manifest), suite_as_run(manifest)]
    facts = " · ".join(str(fact) for fact in known if fact)
    return framed(results.title or results.suite, facts, parts, home)
