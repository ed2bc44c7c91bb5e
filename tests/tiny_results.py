"""Results of a run that never ran."""

from pathlib import Path
from typing import cast

from benchkit.report.results import Results
from benchkit.report.stored_results import join_results
from benchkit.trial.record import BLANK, Record, Status

_FOLDER = Path("runs/tiny/1")


def tiny_results(repetitions: int, status: Status = "ok", members: int = 0) -> Results:
    """Results of two algorithms at two budgets, whose trials all ended so; ``members`` of a run of several suites."""
    if members:
        results = join_results(
            "tiny", "Tiny runs", _FOLDER, [tiny_results(repetitions, status) for _ in range(members)]
        )
    else:
        rows = [
            _row(algorithm, budget, repetition, status)
            for algorithm in ("one", "other")
            for budget in (0.0, 1.0)
            for repetition in range(repetitions)
        ]
        results = Results(
            suite="tiny",
            title="A tiny run",
            folder=_FOLDER,
            rows=rows,
            metrics=["error"],
            greater_is_better={"error": False},
        )
    # Which they would read from the folder that they do not have.
    manifest = {"run": "1", "suite": "tiny", "profile": "default", "suite_as_run": {"name": "tiny"}, "environment": {}}
    vars(results)["manifest"] = manifest
    return results


def _row(algorithm: str, budget: float, repetition: int, status: Status) -> Record:
    cell, ok = f"{algorithm}-{budget:g}", status == "ok"
    error = 0.1 * (1 + budget) + 0.01 * repetition + 0.05 * (algorithm == "one")
    return {
        **cast(Record, BLANK),
        "trial": f"{cell}-{repetition}",
        "cell": cell,
        "status": status,
        "suite": "tiny",
        "profile": "default",
        "dataset": "tiny",
        "repetition": repetition,
        "algorithm": algorithm,
        "adversary": "deletion",
        "budget": budget,
        "axis_value": budget,
        "metrics": {"error": error} if ok else {},
        "fit_seconds": 0.01 if ok else None,
        "cpu_seconds": 0.02,
        "peak_mb": 100.0,
        "error_type": None if ok else "ValueError",
        "error": None if ok else "no",
    }
