"""AMLB, the AutoML benchmark: ``results.csv``, one row per task, framework and fold.

``result`` is better when higher: errors have their sign turned and ``neg_`` before their name. Versions before 1.0
wrote errors as they are, without the column ``metric``; they are turned here.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchkit_judge.formats.csv_rows import metrics_named, rows_of
from benchkit_judge.scores import Scores, checked

NAME = "amlb"
_COLUMNS = ("task", "framework", "fold", "result")
# Of which amlb/results.py says that higher is not better.
_ERRORS: tuple[str, ...] = ("logloss", "max_pce", "mean_pce", "mae", "mse", "msle", "rmse", "rmsle")
_ERRORS += ("mase", "smape", "mape", "nrmse", "wape", "mwql")


def recognises(columns: Any) -> bool:
    """Whether a table with these columns is one."""
    return set(_COLUMNS) <= set(columns)


def read(paths: Sequence[Path]) -> Scores:
    """Scores by task and fold; failed jobs are missing cells."""
    import pandas as pd

    rows = rows_of(paths, "AMLB", _COLUMNS)
    result = pd.to_numeric(rows["result"], errors="coerce")
    if "metric" in rows:
        metrics = rows["metric"].astype(str).where(rows["metric"].notna())
    else:  # the column that the result is a copy of
        metrics = pd.Series("auc", index=rows.index)
        for name in (each for each in _ERRORS if each in rows):
            metrics = metrics.mask(pd.to_numeric(rows[name], errors="coerce") == result, name)
    errors = metrics.isin(_ERRORS)
    result, metrics = result.where(~errors, -result), ("neg_" + metrics).where(errors, metrics)[result.notna()]
    measured, several = metrics_named(list(metrics.dropna()))
    method = rows["framework"]
    if "constraint" in rows and rows["constraint"].nunique() > 1:
        method = method.astype(str) + " (" + rows["constraint"].astype(str) + ")"
    frame = pd.DataFrame({"method": method, "task": rows["task"], "seed": rows["fold"], "score": result})
    told = [f"{int(result.isna().sum())} jobs gave no result"] if result.isna().any() else []
    return checked(frame, str(paths[0]), measured=measured, higher_is_better=True, several_metrics=several, told=told)
