"""Results of other tools: how they are recognised, and a reader of each that writes tables."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from benchkit import TableError
from benchkit_judge.logs import INDEXES, KEYS, SAMPLES, files_of, is_of, load, not_laid_out
from benchkit_judge.scores import Scores

_SPLIT = re.compile(r"split(\d+)_test_(.+)")


def recognised(paths: Sequence[Path]) -> str | None:
    """The format of JSON files, archives or folders; None of a table, whose columns are looked at."""
    first = paths[0]
    if first.is_file() and first.suffix not in (".json", ".eval") and not SAMPLES.fullmatch(first.name):
        return None
    for path in (path for path in files_of(paths[:1]) if path.name not in INDEXES):
        if path.suffix == ".eval" or SAMPLES.fullmatch(path.name):
            return "inspect_ai" if path.suffix == ".eval" else "lm-eval"
        if path.suffix == ".json":
            data = load(path)
            name = next((name for name in KEYS if is_of(name, data)), None)
            if name is None and not isinstance(data, list):
                named = "|".join(FORMATS)
                raise TableError(f"{path}: what wrote this? say --format={named}; a table in JSON is a list of objects")
            return name
    raise TableError(f"{first}: no result files of {', '.join(FORMATS)} in this folder")


def of_columns(columns: Sequence[Any]) -> str | None:
    """The format of a table with these columns, if it is one of the tools'."""
    if any(_SPLIT.fullmatch(str(name)) for name in columns):
        return "cv_results_"
    return next((name for name, (needed, _) in _TABLES.items() if needed and {*needed} <= {*columns}), None)


def read_results(name: str, rows: pd.DataFrame, score: str | None = None) -> Scores:
    """The scores of a table that a tool wrote; one line where it is not laid out so."""
    if name in KEYS:
        raise TableError(f"no results of {name}, which writes files: name them")
    needed, read = _TABLES[name]
    if absent := [column for column in needed if column not in rows]:
        raise TableError(f"no results of {name}: no column {', '.join(absent)}")
    try:
        return read(rows, score)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise not_laid_out(name, error) from error


# Of which amlb/results.py says that higher is not better.
_AMLB_ERRORS: tuple[str, ...] = ("logloss", "max_pce", "mean_pce", "mae", "mse", "msle", "rmse", "rmsle")
_AMLB_ERRORS += ("mase", "smape", "mape", "nrmse", "wape", "mwql")


def _metrics(names: pd.Series) -> dict[str, Any]:
    """What is measured, in a word, and whether tasks are measured in several ways."""
    metrics = names.dropna().astype(str).unique()
    several = len(metrics) > 1
    return {"measured": "result" if several or not len(metrics) else metrics[0], "several_metrics": several}


def _amlb(rows: pd.DataFrame, score: str | None) -> Scores:
    """AMLB, the AutoML benchmark: ``results.csv``, by task and fold; failed jobs are missing cells.

    ``result`` is better when higher: errors have their sign turned and ``neg_`` before their name. Versions before 1.0
    wrote errors as they are, without the column ``metric``; they are turned here.
    """
    result = pd.to_numeric(rows["result"], errors="coerce")
    if "metric" in rows:
        metrics = rows["metric"].astype(str).where(rows["metric"].notna())
    else:  # the column that the result is a copy of
        metrics = pd.Series("auc", index=rows.index)
        for name in (name for name in _AMLB_ERRORS if name in rows):
            metrics = metrics.mask(pd.to_numeric(rows[name], errors="coerce") == result, name)
    errors = metrics.isin(_AMLB_ERRORS)
    facts = _metrics(("neg_" + metrics).where(errors, metrics)[result.notna()])
    method = rows["framework"]
    if "constraint" in rows and rows["constraint"].nunique() > 1:
        method = method.astype(str) + " (" + rows["constraint"].astype(str) + ")"
    values = result.where(~errors, -result)
    frame = pd.DataFrame({"method": method, "task": rows["task"], "seed": rows["fold"], "score": values})
    notes = [f"{int(result.isna().sum())} jobs gave no result"] if result.isna().any() else []
    return Scores(frame=frame, higher_is_better=True, **facts, notes=notes)


def _tabarena(rows: pd.DataFrame, score: str | None) -> Scores:
    """TabArena: results per split, by dataset and fold; lower ``metric_error`` is better.

    Rows that are ``imputed``, where another method's result stands for one that failed, are missing cells here.
    """
    facts = _metrics(rows["metric"]) if "metric" in rows else {"measured": "error"}
    facts["measured"] = f"error of {facts['measured']}"
    frame = rows[["method", "dataset", "fold"]].set_axis(["method", "task", "seed"], axis=1)
    frame["score"], notes = rows["metric_error"], []
    if "imputed" in rows:
        imputed = rows["imputed"].fillna(False).astype(str).str.lower() == "true"
        frame.loc[imputed, "score"] = None
        notes += [f"{int(imputed.sum())} imputed results are taken as missing"] if imputed.any() else []
    return Scores(frame=frame, higher_is_better=False, **facts, notes=notes)


_TOLERANCE = 1e38


def _benchopt(rows: pd.DataFrame, score: str | None) -> Scores:
    """benchopt: one row per dataset, objective, solver, repetition and stopping value.

    Of every curve the last point counts, the objective where the solver ended: that of the largest ``stop_val``, or,
    where it is a tolerance, which begins at 3e38, of the smallest. It is minimised, unless the benchmark's stopping
    criterion has ``minimize=False``, which results do not say.
    """
    data = next((name for name in ("dataset_name", "data_name") if name in rows), None)
    value = next((name for name in rows if str(name).startswith("objective_value")), None)
    if data is None or value is None:
        raise TableError("no results of benchopt: no column dataset_name or objective_value")
    keys = ["solver_name", data, *(["objective_name"] if "objective_name" in rows else []), "idx_rep"]
    stops = rows.groupby(keys, sort=False)["stop_val"]
    largest, smallest = stops.transform("max"), stops.transform("min")
    tolerance = largest > _TOLERANCE
    if "sampling_strategy" in rows:
        tolerance |= rows["sampling_strategy"].astype(str).str.lower() == "tolerance"
    last = rows[rows["stop_val"] == smallest.where(tolerance, largest)]
    if last.duplicated(keys).any():
        reason = "several objectives where a solver ended (evaluate_result gives a list): which counts?"
        raise TableError(f"{reason} judge a table of those rows alone, with --format=table")
    task = last[data].astype(str)
    if "objective_name" in last and last["objective_name"].nunique() > 1:
        task = task + ", " + last["objective_name"].astype(str)
    frame = last[["solver_name", "idx_rep", value]].set_axis(["method", "seed", "score"], axis=1).assign(task=task)
    direction = "lower is better, unless --higher-is-better says otherwise"
    note = f"{value} where each solver ended; {direction}. Curves over time are not judged"
    return Scores(frame=frame, measured=str(value), higher_is_better=False, notes=[note])


def _cv_results(rows: pd.DataFrame, score: str | None) -> Scores:
    """scikit-learn's ``cv_results_`` of a search: parameters name a method, its splits share the rows of one data set.

    Up to five splits are taken for those of one cross-validation; of more, as they may be repeated, the share of rows
    that each tests has to be said.
    """
    splits = [match for match in map(_SPLIT.fullmatch, map(str, rows.columns)) if match]
    metrics = list(dict.fromkeys(match[2] for match in splits))
    if score is None and len(metrics) > 1:
        raise TableError(f"which score? say --score={'|'.join(metrics)}")
    measured = score or next(iter(metrics), "score")
    if measured not in metrics:
        raise TableError(f"no results of cv_results_: no column split0_test_{measured}")
    notes = []
    if "n_resources" in rows and rows["n_resources"].nunique() > 1:
        last = rows["n_resources"] == rows["n_resources"].max()
        notes.append(f"{int((~last).sum())} candidates that fewer resources ruled out are left out")
        rows = rows[last]
    settings = [name for name in rows if str(name).startswith("param_")]
    varied = [name for name in settings if rows[name].astype(str).nunique() > 1] or settings
    texts = []
    for name in varied:
        values = rows[name].astype(object).where(rows[name].notna(), "None").astype(str)
        texts.append(f"{name.removeprefix('param_')}=" + values.str.split().str.join(" "))
    method = texts[0].str.cat(texts[1:], sep=" ") if texts else rows["params"].astype(str)
    columns = {match[0]: match[1] for match in splits if match[2] == measured}
    by_split = rows[[*columns]].rename(columns=columns).assign(method=method)
    frame = by_split.melt("method", var_name="seed", value_name="score")
    count = len(columns)
    if count <= 5:
        notes.append(f"splits are taken for those of one {count}-fold cross-validation; --test-share says otherwise")
    share = 1 / count if 1 < count <= 5 else math.nan
    return Scores(frame=frame, measured=measured, higher_is_better=True, test_share=share, notes=notes)


# By tool, columns of the tables that it writes, and what reads them.
_TABLES: Mapping[str, tuple[tuple[str, ...], Callable[[pd.DataFrame, str | None], Scores]]] = {
    "tabarena": (("dataset", "fold", "method", "metric_error"), _tabarena),
    "amlb": (("task", "framework", "fold", "result"), _amlb),
    "benchopt": (("solver_name", "idx_rep", "stop_val"), _benchopt),
    "cv_results_": ((), _cv_results),
}
FORMATS = (*KEYS, *_TABLES)
"""What wrote files or tables."""
