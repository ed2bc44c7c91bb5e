"""What every report format keeps to."""

from __future__ import annotations

from benchkit.plugin.declarations import ReportFormat
from benchkit.report.analysis import Analysis
from benchkit.testing.rule import NotAskedError, require, rule
from benchkit.testing.tiny_results import tiny_results


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


RULES = (renders_a_small_run, renders_a_run_without_results, joins_suites)
