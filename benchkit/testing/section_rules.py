"""What every report section keeps to."""

from __future__ import annotations

from benchkit.plugin.declarations import ReportSection, ReportTable
from benchkit.testing.rule import require, rule
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


RULES = (speaks_or_is_silent, bears_a_run_without_results)
