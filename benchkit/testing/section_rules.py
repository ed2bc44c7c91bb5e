"""What every report section keeps to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchkit.plugin.declarations import ReportSection, ReportTable
from benchkit.report.results import Results
from benchkit.report.stored_results import make_results
from benchkit.testing.rule import require, rule


@rule
def speaks_or_is_silent(section: ReportSection) -> None:
    """Of a small run it makes a ReportTable of plain values, or None."""
    section_table = section.make(_results(2))
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
    section.make(_results(2, status="failed"))
    section.make(_results(0))


def _results(repetitions: int, status: str = "ok") -> Results:
    rows = [
        _row(algorithm, budget, repetition, status)
        for algorithm in ("one", "other")
        for budget in (0.0, 1.0)
        for repetition in range(repetitions)
    ]
    manifest = {
        "suite": "tiny",
        "title": "A tiny run",
        "greater_is_better": {"error": False},
        "suite_as_run": {"metrics": ["error"]},
    }
    return make_results(Path("runs/tiny/1"), manifest, rows)


def _row(algorithm: str, budget: float, repetition: int, status: str) -> dict[str, Any]:
    ok = status == "ok"
    return {
        "trial": f"{algorithm}-{budget:g}-{repetition}",
        "cell": f"{algorithm}-{budget:g}",
        "status": status,
        "suite": "tiny",
        "profile": "default",
        "dataset": "tiny",
        "dataset_params": {},
        "group": None,
        "feature_values": "uniform",
        "repetition": repetition,
        "algorithm": algorithm,
        "params": {},
        "adversary": "random-delete",
        "adversary_params": {},
        "budget": budget,
        "axis": "budget",
        "axis_value": budget,
        "metrics": {"error": 0.1 * (1 + budget) + 0.01 * repetition + 0.05 * (algorithm == "one")} if ok else {},
        "fit_seconds": 0.01 if ok else None,
        "tune_seconds": None,
        "cpu_seconds": 0.02,
        "peak_mb": 100.0,
        "error_type": None if ok else "ValueError",
        "error": None if ok else "no",
    }


RULES = (speaks_or_is_silent, bears_a_run_without_results)
