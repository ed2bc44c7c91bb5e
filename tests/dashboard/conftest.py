"""Output folders with runs, written by hand."""

import json

import pytest

SUITE = {"name": "s", "seed": 1, "datasets": [{"name": "d"}], "metrics": ["error"]}


def record(trial, run, algorithm, repetition, value, place=0.0, status="ok"):
    """A line of a journal."""
    return {
        **{"trial": trial, "cell": f"{algorithm}-{place}", "run": run, "status": status, "dataset": "d"},
        **{"dataset_params": {}, "group": None, "feature_values": "uniform", "adversary": "a", "adversary_params": {}},
        **{"algorithm": algorithm, "params": {}, "budget": place, "axis": "budget", "axis_value": place},
        **{"repetition": repetition, "metrics": {"error": value} if status == "ok" else {}},
        **{"error_type": None if status == "ok" else "ValueError", "error": None if status == "ok" else "no <luck>"},
        **{"n_rows": 200, "n_train": 100, "n_validation": 0, "n_test": 100, "generated": True, "split": "random"},
        **{"folds": None, "fit_seconds": 1.0, "tune_seconds": None, "cpu_seconds": 1.0, "profile": "default"},
    }


@pytest.fixture
def write_run(tmp_path):
    """Write a run of two methods; its records lie in the journal of its suite."""

    def write(run="r1", suite="s", *, shift=0.0, methods=("one", "two"), failed=0, missing=0, **manifest):
        folder = tmp_path / suite / run
        folder.mkdir(parents=True)
        rows = [
            record(f"{method}-{place}-{r}", run, method, r, 0.1 + 0.3 * i + 0.01 * r * place + shift * (1 + r), place)
            for i, method in enumerate(methods)
            for place in (0.0, 1.0)
            for r in range(8)
        ]
        trials = [row["trial"] for row in rows]
        for row in rows[:failed]:
            row |= {"status": "failed", "metrics": {}, "error_type": "ValueError", "error": "no <luck>"}
        rows = rows[: len(rows) - missing]
        known = {"suite": suite, "title": "A title", "run": run, "started": f"2026-01-01T00:00:0{run[-1]}"}
        known |= {"suite_as_run": SUITE | {"name": suite}, "trials": trials, "complete": not missing, "reused_from": {}}
        known |= {"environment": {"host": "h"}, "greater_is_better": {"error": False}, "command": "c"}
        (folder / "manifest.json").write_text(json.dumps(known | manifest))
        with (folder.parent / "trials.jsonl").open("a") as journal:
            journal.writelines(json.dumps(row) + "\n" for row in rows)
        return folder

    return write
