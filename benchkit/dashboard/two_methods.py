"""Two methods of a run side by side: curves of these two, and their paired difference at every point."""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup

from benchkit.dashboard.addresses import HOME, NoSuchPageError
from benchkit.report.analysis import Analysis, Settings
from benchkit.report.page.curves import curves
from benchkit.report.page.frame import framed
from benchkit.report.page.section import Section, of_panels
from benchkit.report.stored_results import load_results
from benchkit.report.tables.differences import differences
from benchkit.report.tables.means import means
from benchkit.statistics.sampling import SCOPE_NAMES


def two_methods(folder: Path, method: str, against: str) -> str:
    """The page: a method of a run against another.

    Parameters
    ----------
    folder : Path
        Of the run.
    method, against : str
        Labels.

    Raises
    ------
    BenchkitError
        The run cannot be read, or has no such methods.
    """
    results = load_results(folder)
    if results.members:
        raise NoSuchPageError("choose one suite of this run: its methods are compared there")
    if method == against:
        raise NoSuchPageError(f"{method!r} against itself: choose two methods")
    analysis = Analysis(results, Settings(algorithms=(method, against), baseline=against))
    scope = SCOPE_NAMES[analysis.settings.scope]
    said = Markup("").join(Markup('<p class="answer">{}</p>').format(answer) for answer in analysis.answers)
    gaps = [table for grid in analysis.grids if (table := differences(analysis, grid, brief=True)) is not None]
    sections = [
        Section("Answer", said or "-"),
        curves(analysis),
        of_panels(
            f"{method} minus {against}",
            gaps,
            opened=True,
            notes=[
                f"Paired by repetition and data set; {scope}. In bold: p below 0.05 after Holm's correction. "
                "A negative difference of an error or a loss is in favour of the first method"
            ],
        ),
        of_panels(
            "Means",
            [means(analysis, grid) for grid in analysis.grids],
            opened=True,
            kind="means",
            notes=analysis.notes,
        ),
    ]
    facts = f"{results.suite} · {folder.name}"
    shown = [section for section in sections if section is not None]
    return framed(f"{method} against {against}", facts, shown, HOME)
