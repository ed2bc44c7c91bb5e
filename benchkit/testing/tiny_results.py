"""Results of a few trials, made by hand, on which sections and formats are tried."""

from __future__ import annotations

from pathlib import Path

from benchkit.journal import Record
from benchkit.report.results import Results
from benchkit.report.stored_results import join_results
from benchkit.trial.record import Status


def tiny_results(repetitions: int, status: Status = "ok", members: int = 0) -> Results:
    """Results of two algorithms at two budgets.

    Parameters
    ----------
    repetitions : int
    status : str, default="ok"
        How every trial ended.
    members : int, default=0
        Of how many suites, each with these trials; 0 for a run of one suite.
    """
    if members:
        runs = [tiny_results(repetitions, status) for _ in range(members)]
        return _with_manifest(join_results("tiny", "Tiny runs", Path("runs/tiny/1"), runs))
    rows = [
        _row(algorithm, budget, repetition, status)
        for algorithm in ("one", "other")
        for budget in (0.0, 1.0)
        for repetition in range(repetitions)
    ]
    return _with_manifest(
        Results(
            suite="tiny",
            title="A tiny run",
            folder=Path("runs/tiny/1"),
            rows=rows,
            metrics=["error"],
            greater_is_better={"error": False},
        )
    )


def _with_manifest(results: Results) -> Results:
    """The results with a manifest, which they would read from the folder that they do not have."""
    manifest = {"run": "1", "suite": "tiny", "profile": "default", "suite_as_run": {"name": "tiny"}, "environment": {}}
    vars(results)["manifest"] = manifest
    return results


def _row(algorithm: str, budget: float, repetition: int, status: Status) -> Record:
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
