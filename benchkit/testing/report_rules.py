"""What report sections and report formats keep to."""

from __future__ import annotations

from benchkit.plugin.declarations import ReportFormat, ReportSection, ReportTable
from benchkit.report.analysis import Analysis
from benchkit.testing.rule import NotAskedError, require, rule
from benchkit.testing.tiny_results import tiny_results


@rule
def speaks_or_is_silent(section: ReportSection) -> None:
    """Of a small run it makes a ReportTable of plain values, or None."""
    section_table = section.compute(tiny_results(2))
    require(
        section_table is None or isinstance(section_table, ReportTable),
        f"returned a {type(section_table).__name__}, expected a benchkit.ReportTable or None",
    )
    for entry in (entry for row in (section_table.rows if section_table else ()) for entry in row):
        require(
            entry is None or isinstance(entry, str | int | float),
            f"an entry is {entry!r}, expected text, a number or None",
        )


@rule
def bears_a_run_without_results(section: ReportSection) -> None:
    """Of a run of which no trial ended ok it makes a table or None as well."""
    section.compute(tiny_results(2, status="failed"))
    section.compute(tiny_results(0))


SECTION_RULES = (speaks_or_is_silent, bears_a_run_without_results)


@rule
def renders_a_small_run(form: ReportFormat) -> None:
    """Of a small run it makes text, or bytes where it says that it is no text."""
    made = form.render(Analysis(tiny_results(2)))
    expected = str if form.text else bytes
    require(
        isinstance(made, expected),
        f"returned a {type(made).__name__}, expected {expected.__name__}: text={form.text} is declared",
    )
    require(made, "returned nothing")


@rule
def renders_a_run_without_results(form: ReportFormat) -> None:
    """Of a run of which no trial ended ok it makes a report as well."""
    form.render(Analysis(tiny_results(2, status="failed")))


@rule
def joins_suites(form: ReportFormat) -> None:
    """Where it joins the reports of several suites, what it makes is a report, too."""
    if form.join is None:
        raise NotAskedError("joins nothing")
    whole = tiny_results(2, members=2)
    made = form.join(whole, [Analysis(each) for each in whole.suites])
    require(isinstance(made, str if form.text else bytes), f"join returned a {type(made).__name__}")


FORMAT_RULES = (renders_a_small_run, renders_a_run_without_results, joins_suites)
