"""Result files of other tools: tables with columns of their own, and logs in JSON; each reader makes `Scores`."""

from __future__ import annotations

import io
import itertools
import json
import math
import re
import struct
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from benchkit import TableError, read_table
from benchkit_judge.scores import Scores, checked

_ZSTANDARD = 93
_SPLIT = re.compile(r"split(\d+)_test_(.+)")
WITHOUT_DIRECTION = ("benchopt", "sktime")
"""Those whose files do not say whether higher is better."""
_INDEXES = ("machine.json", "benchmarks.json", "logs.json", "eval-set.json")  # beside results


def guess(paths: Sequence[Path]) -> str | None:
    """The format of JSON files, archives or folders; None of a table, whose columns are looked at."""
    first = paths[0]
    files = list(_files(paths[:1], "*"))
    if first.is_file() and first.suffix not in (".json", ".eval") and not re.match(r"samples_.+\.jsonl$", first.name):
        return None
    for path in (path for path in files if path.suffix == ".json" and path.name not in _INDEXES):
        data = _load(path)
        name = next((name for name in FORMATS if FORMATS[name].of_files and _holds(data, name)), None)
        if name is None and not isinstance(data, list):
            raise TableError(
                f"{path}: what wrote this? say --format={'|'.join(FORMATS)}; a table in JSON is a list of objects"
            )
        return name
    if any(re.match(r"samples_.+\.jsonl$", path.name) for path in files):
        return "lm-eval"
    if any(path.suffix == ".eval" for path in files):
        return "inspect_ai"
    raise TableError(f"{first}: no result files of {', '.join(FORMATS)} in this folder")


def of_columns(columns: Sequence[Any]) -> str | None:
    """The format of a table with these columns, if it is one of the tools'."""
    if any(_SPLIT.fullmatch(str(name)) for name in columns):
        return "cv_results_"
    tables = (name for name, form in FORMATS.items() if form.needed and not form.of_files)
    return next((name for name in tables if {*FORMATS[name].needed} <= {*columns}), None)


def read_results(
    name: str, table: Sequence[Path] | pd.DataFrame, source: str = "table", score: str | None = None
) -> Scores:
    """The scores of a tool's files, or of a table that it wrote; one line where they are not laid out so."""
    if not isinstance(table, pd.DataFrame):
        source = str(table[0])
    try:
        if FORMATS[name].of_files:
            if isinstance(table, pd.DataFrame):
                raise TableError(f"{source}: no results of {name}, which writes files: name them")
            return FORMATS[name].read(table)
        if not isinstance(table, pd.DataFrame):
            paths = [path for path in _files(table, "*") if path in table or path.suffix in (".csv", ".parquet")]
            if not paths:
                raise TableError(f"{source}: no tables (.csv, .parquet) here")
            table = pd.concat([read_table(path, na_values=["NA"]) for path in paths], ignore_index=True)
        if lacking := [column for column in FORMATS[name].needed if column not in table]:
            raise TableError(f"{source}: no results of {name}: no column {', '.join(lacking)}")
        return FORMATS[name].read(table, source, score)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        reason = f"no {error}" if isinstance(error, KeyError) else str(error)[:100]
        raise TableError(f"{source}: not laid out as results of {name} are: {reason}") from error


def _files(paths: Sequence[Path], pattern: str) -> Iterator[Path]:
    """The files named, and those of the folders named that fit a pattern, in the order of their names."""
    for path in paths:
        if not path.is_file() and not path.is_dir():
            raise TableError(f"{path}: {'a device or a pipe, no file' if path.exists() else 'no such file or folder'}")
        yield from sorted(file for file in path.rglob(pattern) if file.is_file()) if path.is_dir() else [path]


def _load(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise TableError(f"{path}: cannot be read as JSON: {str(error)[:120]}") from None


def _holds(data: Any, name: str) -> bool:
    return isinstance(data, dict) and {*FORMATS[name].needed} <= data.keys()


def _documents(name: str, paths: Sequence[Path], pattern: str = "*.json") -> Iterator[tuple[Path, dict[str, Any]]]:
    """Every file of a tool, and what it holds."""
    for path in _files(paths, pattern):
        if path.name in _INDEXES or path.suffix not in (".json", ".eval"):
            continue
        data = _archive(path) if path.suffix == ".eval" else _load(path)
        if not _holds(data, name):
            raise TableError(f"{path}: no results of {name}: no {' with '.join(map(repr, FORMATS[name].needed))}")
        yield path, data


def _metrics(names: pd.Series) -> tuple[str, bool]:
    """What is measured, in a word, and whether tasks are measured in several ways."""
    metrics = names.dropna().astype(str).unique()
    return str(metrics[0]) if len(metrics) == 1 else "result", len(metrics) > 1


# Of which amlb/results.py says that higher is not better.
_AMLB_ERRORS: tuple[str, ...] = ("logloss", "max_pce", "mean_pce", "mae", "mse", "msle", "rmse", "rmsle")
_AMLB_ERRORS += ("mase", "smape", "mape", "nrmse", "wape", "mwql")


def _amlb(rows: pd.DataFrame, source: str, score: str | None) -> Scores:
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
    measured, several = _metrics(("neg_" + metrics).where(errors, metrics)[result.notna()])
    method = rows["framework"]
    if "constraint" in rows and rows["constraint"].nunique() > 1:
        method = method.astype(str) + " (" + rows["constraint"].astype(str) + ")"
    values = result.where(~errors, -result)
    frame = pd.DataFrame({"method": method, "task": rows["task"], "seed": rows["fold"], "score": values})
    notes = [f"{int(result.isna().sum())} jobs gave no result"] if result.isna().any() else []
    return checked(frame, source, measured=measured, higher_is_better=True, several_metrics=several, notes=notes)


def _tabarena(rows: pd.DataFrame, source: str, score: str | None) -> Scores:
    """TabArena: results per split, by dataset and fold; lower ``metric_error`` is better.

    Rows that are ``imputed``, where another method's result stands for one that failed, are missing cells here.
    """
    measured, several = _metrics(rows["metric"]) if "metric" in rows else ("error", False)
    notes = []
    frame = rows[["method", "dataset", "fold"]].set_axis(["method", "task", "seed"], axis=1)
    frame["score"] = rows["metric_error"]
    if "imputed" in rows:
        imputed = rows["imputed"].fillna(False).astype(str).str.lower() == "true"
        frame.loc[imputed, "score"] = None
        notes += [f"{int(imputed.sum())} imputed results are taken as missing"] if imputed.any() else []
    measured = f"error of {measured}"
    return checked(frame, source, measured=measured, higher_is_better=False, several_metrics=several, notes=notes)


_TOLERANCE = 1e38


def _benchopt(rows: pd.DataFrame, source: str, score: str | None) -> Scores:
    """benchopt: one row per dataset, objective, solver, repetition and stopping value.

    Of every curve the last point counts, the objective where the solver ended: that of the largest ``stop_val``, or,
    where it is a tolerance, which begins at 3e38, of the smallest. It is minimised, unless the benchmark's stopping
    criterion has ``minimize=False``, which results do not say.
    """
    data = next((name for name in ("dataset_name", "data_name") if name in rows), None)
    value = next((name for name in rows if str(name).startswith("objective_value")), None)
    if data is None or value is None:
        raise TableError(f"{source}: no results of benchopt: no column dataset_name or objective_value")
    keys = ["solver_name", data, *(["objective_name"] if "objective_name" in rows else []), "idx_rep"]
    stops = rows.groupby(keys, sort=False)["stop_val"]
    largest, smallest = stops.transform("max"), stops.transform("min")
    tolerance = largest > _TOLERANCE
    if "sampling_strategy" in rows:
        tolerance |= rows["sampling_strategy"].astype(str).str.lower() == "tolerance"
    last = rows[rows["stop_val"] == smallest.where(tolerance, largest)]
    if last.duplicated(keys).any():
        raise TableError(
            f"{source}: several objectives where a solver ended (evaluate_result gives a list): which counts? judge a "
            "table of those rows alone, with --format=table"
        )
    task = last[data].astype(str)
    if "objective_name" in last and last["objective_name"].nunique() > 1:
        task = task + ", " + last["objective_name"].astype(str)
    frame = last[["solver_name", "idx_rep", value]].set_axis(["method", "seed", "score"], axis=1).assign(task=task)
    notes = [
        f"{value} where each solver ended; lower is better, unless --higher-is-better says otherwise. Curves over time "
        "are not judged"
    ]
    return checked(frame, source, measured=str(value), higher_is_better=False, notes=notes)


_FOLD = re.compile(r"folds\.(\d+)\.scores\.(.+)")


def _sktime(rows: pd.DataFrame, source: str, score: str | None) -> Scores:
    """Sktime's benchmarks, as csv, Parquet or JSON: models by validation, which names data and splits; folds are seeds.

    Lower is better where a metric is called an error or a loss.
    """
    if "folds" in rows:  # JSON
        rows = pd.json_normalize(rows.to_dict("records"))
    cells = [match for match in map(_FOLD.fullmatch, map(str, rows.columns)) if match]
    metrics = sorted({match[2] for match in cells} - {"fit_time", "pred_time"})
    if (score or metrics[0]) not in metrics or (score is None and len(metrics) > 1):
        raise TableError(f"{source}: which score? say --score={'|'.join(metrics)}")
    columns = {match[0]: match[1] for match in cells if match[2] == (score or metrics[0])}
    keys = {"model_id": "method", "validation_id": "task"}
    frame = rows.rename(columns={**keys, **columns}).melt([*keys.values()], [*columns.values()], "seed", "score")
    measured = score or metrics[0]
    lower = re.search("(error|loss)$", measured, re.IGNORECASE) is not None
    notes = [f"{'lower' if lower else 'higher'} {measured} is taken to be better, by its name"]
    return checked(frame, source, measured=measured, higher_is_better=not lower, notes=notes)


def _cv_results(rows: pd.DataFrame, source: str, score: str | None) -> Scores:
    """scikit-learn's ``cv_results_`` of a search: parameters name a method, its splits share the rows of one data set.

    Up to five splits are taken for those of one cross-validation; of more, as they may be repeated, the share of rows
    that each tests has to be said.
    """
    splits = [match for match in map(_SPLIT.fullmatch, map(str, rows.columns)) if match]
    metrics = list(dict.fromkeys(match[2] for match in splits))
    if not metrics or (score or metrics[0]) not in metrics:
        raise TableError(f"{source}: no results of cv_results_: no column split0_test_{score or 'score'}")
    if score is None and len(metrics) > 1:
        raise TableError(f"{source}: which score? say --score={'|'.join(metrics)}")
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
    columns = {match[1]: match[0] for match in splits if match[2] == (score or metrics[0])}
    long = rows[list(columns.values())].set_axis(list(columns), axis=1).assign(method=method)
    frame = long.melt(id_vars="method", var_name="seed", value_name="score")
    count = len(columns)
    if count <= 5:
        notes.append(f"splits are taken for those of one {count}-fold cross-validation; --test-share says otherwise")
    scores = checked(frame, source, measured=score or metrics[0], higher_is_better=True, notes=notes)
    return replace(scores, test_share=1 / count if 1 < count <= 5 else math.nan)


_WINNERS = {"model_a": 1.0, "a": 1.0, "model_b": 0.0, "b": 0.0}
_TIES = ("tie", "tie (bothbad)", "bothbad", "both_bad", "draw")


def _battles(rows: pd.DataFrame, source: str, score: str | None) -> Scores:
    """Battles as Chatbot Arena writes them: ``winner`` is ``model_a``, ``model_b`` or a tie, or a method's name."""
    first, second, winner = (rows[name].astype(str).str.strip() for name in ("model_a", "model_b", "winner"))
    lacking = rows[["model_a", "model_b", "winner"]].isna().any(axis=1)
    won = winner.str.lower().map({**_WINNERS, **dict.fromkeys(_TIES, 0.5)})
    won = won.mask(winner == first, 1.0).mask(winner == second, 0.0)
    for row in (won.isna() | lacking).to_numpy().nonzero()[0][:1]:
        name = str(winner.iloc[row])[:40]
        raise TableError(f"{source}: row {row + 1}: winner is {name!r}; write model_a, model_b, tie, or a name of both")
    own = first == second
    notes = ["a tie counts half"] if (won == 0.5).any() else []
    notes += [f"{int(own.sum())} battles of a method with itself are left out"] if own.any() else []
    columns = {"first": first, "second": second, "won": won}
    item = next((name for name in ("question_id", "item", "question") if name in rows), None)
    if item is not None and rows[item].duplicated().any():
        columns["item"] = rows[item].astype(str)
        notes.append(f"battles of one {item} are drawn together")
    frame = pd.DataFrame(columns)[~own]
    if frame.empty:
        raise TableError(f"{source}: no battles of two methods in it")
    return Scores(frame=frame, measured="chance to win", higher_is_better=True, notes=tuple(notes))


_LIKELIHOODS = ("perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte")
# As lm_eval/api/metrics.py registers them; but for TER, an error rate, which is registered as higher is better and
# described there as the opposite.
_HIGHER = ("acc", "acc_norm", "acc_mutual_info", "acc_all", "exact_match", "f1", "mcc", "bleu", "chrf")
_LOWER = (*_LIKELIHOODS, "brier_score", "ter", "mae")
_SAMPLES = re.compile(r"samples_(.+)_\d{4}-\d\d-\d\dT[\d.\-]+\.jsonl")


def _lm_eval(paths: Sequence[Path]) -> Scores:
    """lm-evaluation-harness: ``results_*.json`` of every model, and ``samples_TASK_*.jsonl`` of ``--log_samples``.

    Where there are samples, every document is an item; else every task has one score, its first metric. Of some metrics
    samples hold what the tool computes a score of all documents from (``lm_eval/api/task.py``, ``process_results``).
    Perplexities and bits per byte: the log-likelihood, of which higher is better. As the documents, and so their words
    and bytes, are the same for all models, its mean over documents orders them as the tool's number does, the other way
    round. Brier scores: the right answer and the probabilities, of which each document has a score. F1, MCC, BLEU, chrF
    and TER: pairs of texts or labels, which are scored all together only.
    """
    notes: list[str] = []
    frame = pd.DataFrame(_lm_eval_samples(paths))
    if frame.empty:
        frame = pd.DataFrame(_lm_eval_results(paths, notes))
        notes.append("scores of whole tasks: with --log_samples lm-eval also writes those of every question")
    if frame.empty:
        raise TableError(f"{paths[0]}: no results_*.json or samples_*.jsonl of lm-eval here")
    return _of_one_scale(frame, paths, notes)


def _of_one_scale(frame: pd.DataFrame, paths: Sequence[Path], notes: list[str]) -> Scores:
    """Scores of the most tasks that are on one scale: scores or log-likelihoods, where more is better or less is."""
    frame["scale"] = [*zip(frame["higher"], ~frame["metric"].str.startswith("log-likelihood"), strict=True)]
    tasks = frame.drop_duplicates("task", keep="last")
    counts = Counter(tasks["scale"])
    kept = max(counts, key=lambda scale: (counts[scale], scale[0], scale))
    for row in tasks.itertuples():
        if row.scale != kept:
            reason = f"{row.metric} is on another scale than the others"
            if row.higher != kept[0]:
                reason = f"of {row.metric} {'more' if row.higher else 'less'} is better, unlike the others"
            notes.append(f"{row.task} is left out: {reason}")
    frame = frame[frame["scale"] == kept].dropna(axis=1, how="all")
    metrics = list(frame["metric"].unique())
    notes.append(f"the first metric of each task: {', '.join(metrics)}")
    return checked(
        frame,
        str(paths[0]),
        measured=metrics[0],
        higher_is_better=bool(kept[0]),
        several_metrics=len(metrics) > 1,
        notes=notes,
    )


def _lighteval(paths: Sequence[Path]) -> Scores:
    """lighteval: ``results/MODEL/results_DATE.json``, and ``details/MODEL/DATE/details_TASK_DATE.parquet``, of which
    every document is an item; else every task has one score. The first metric of each task counts.
    """
    rows: list[dict[str, Any]] = []
    for path, data in _documents("lighteval", paths, "results*.json"):
        model, date = data["config_general"]["model_name"], path.stem.removeprefix("results_")
        root = next((folder.parent for folder in path.absolute().parents if folder.name == "results"), path.parent)
        for task, config in data["config_tasks"].items():
            metric = config["metrics"][0]
            name = metric["metric_name"]
            cell = {"method": model, "task": task, "metric": name, "higher": metric["higher_is_better"]}
            details = root / "details" / model / date / f"details_{task}_{date}.parquet"
            if details.is_file():
                documents = read_table(details)
                parts = zip(documents["doc.id"], documents[f"metric.{name}"], strict=True)
                rows += [{**cell, "item": item, "score": score} for item, score in parts]
            else:
                rows.append({**cell, "score": data["results"][task][name]})
    if not rows:
        raise TableError(f"{paths[0]}: no results of lighteval here")
    return _of_one_scale(pd.DataFrame(rows), paths, [])


def _lm_eval_samples(paths: Sequence[Path]) -> Iterator[dict[str, Any]]:
    files = [path for path in _files(paths, "samples_*.jsonl") if _SAMPLES.fullmatch(path.name)]
    runs = _names_of_folders(files)
    for path in files:
        folder, task = path.absolute().parent, path.name.removeprefix("samples_").rpartition("_")[0]
        directions: dict[str, Any] = {}  # from results in the samples' folder
        for data in map(_load, sorted(folder.glob("results*.json"))):
            directions |= data.get("higher_is_better", {}).get(task, {}) if _holds(data, "lm-eval") else {}
        first_filter = None
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
            if not line.strip():
                continue
            try:
                sample = json.loads(line)
                # Several filters of one answer: the first is the one that results name first.
                first_filter = first_filter or sample.get("filter")
                if sample.get("filter") not in (None, "none", first_filter):
                    continue
                metrics = sample.get("metrics") or ["acc"]
                scores = {metric: _document_score(metric, sample[metric]) for metric in metrics}
                row = {"method": runs[folder], "task": task, "item": sample["doc_id"]}
            except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
                raise TableError(f"{path}: line {number} is not a sample of lm-eval: {error!s:.80}") from None
            metric = next((metric for metric, score in scores.items() if score is not None), None)
            if metric is None:
                raise TableError(
                    f"{path}: {' and '.join(metrics)} has no score of a single document; judge results_*.json instead"
                )
            likelihood = metric in _LIKELIHOODS
            higher = likelihood or _is_higher_better(metric, directions, path)
            named = f"log-likelihood ({metric})" if likelihood else metric
            yield {**row, "score": scores[metric], "metric": named, "higher": higher}


def _names_of_folders(paths: Sequence[Path]) -> dict[Path, str]:
    """What the folders of files are called: by their names, and as many folders above as tell them apart."""
    folders = {path.absolute().parent for path in paths}
    depths = range(1, 1 + max((len(folder.parts) for folder in folders), default=0))
    named = ({folder: "/".join(folder.parts[-depth:]) for folder in folders} for depth in depths)
    return next((names for names in named if len({*names.values()}) == len(folders)), {})


def _document_score(metric: str, value: Any) -> Any:
    """The score of one document; None where the metric has none."""
    if not isinstance(value, list):
        return value
    if metric in _LIKELIHOODS:
        return value[0]
    if metric == "brier_score":
        right, probabilities = value
        return sum((chance - (place == right)) ** 2 for place, chance in enumerate(probabilities))
    return None


def _is_higher_better(metric: str, directions: Mapping[str, Any], path: Path) -> bool:
    """Whether more is better: by the tool's registry of metrics, else by what the task's results say."""
    if metric in _HIGHER or metric in _LOWER:
        return metric in _HIGHER
    higher = directions.get(metric)
    if not isinstance(higher, bool):
        raise TableError(
            f"{path}: is more {metric} better? results_*.json of lm-eval 0.4.3 or newer say so: keep them beside"
        )
    return higher


def _lm_eval_results(paths: Sequence[Path], notes: list[str]) -> Iterator[dict[str, Any]]:
    documents = list(_documents("lm-eval", paths, "results*.json"))
    runs = _names_of_folders([path for path, _ in documents])
    models = {(data.get("model_name"), path.absolute().parent) for path, data in documents}
    folders = Counter(model for model, _ in models)  # of each model
    for path, data in documents:
        model, folder = data.get("model_name"), path.absolute().parent
        method = model if model and folders[model] == 1 else runs[folder]
        directions = data.get("higher_is_better", {})
        for task, values in data["results"].items():
            if data.get("group_subtasks", {}).get(task):
                notes.append(f"{task} is left out: a mean over its subtasks, which are judged")
                continue
            key = next((key for key in values if "," in key and "_stderr" not in key), None)
            if key is not None:
                metric = key.partition(",")[0]
                higher = _is_higher_better(metric, directions.get(task, {}), path)
                row = {"method": method, "task": task, "score": values[key]}
                yield {**row, "metric": metric, "higher": higher}


# As inspect_ai.scorer.value_to_float has them: correct, partially correct, incorrect, no answer.
_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


def _inspect_ai(paths: Sequence[Path]) -> Scores:
    """inspect_ai: logs as JSON, or as ``.eval``, an archive of JSON; every sample is an item, every epoch a seed.

    Scored by the first scorer of each log.
    """
    rows: list[dict[str, Any]] = []
    scorers: dict[str, None] = {}
    failed = 0
    for _, data in _documents("inspect_ai", paths, "*"):
        failed += data.get("status") not in (None, "success")
        log = data["eval"]
        for sample in data.get("samples") or []:
            scorer, score = next(iter((sample.get("scores") or {}).items()), ("", {"value": None}))
            value = score["value"]
            if isinstance(value, dict) and value:  # several scores of one scorer
                key = next((key for key, part in value.items() if isinstance(_counted(part), float)), next(iter(value)))
                value, scorer = value[key], f"{scorer}: {key}"
            scorers |= {scorer: None} if scorer else {}
            cell = {"method": log["model"], "task": log.get("task", "task"), "item": sample["id"]}
            rows.append({**cell, "seed": sample.get("epoch", 1), "score": _counted(value)})
    if failed and all(row["score"] is None for row in rows):
        raise TableError(f"{paths[0]}: no sample was scored, and {failed} logs did not end with success")
    if not rows:
        raise TableError(f"{paths[0]}: no samples in it; log samples, or give a table of scores")
    notes = [f"scored by {', '.join(scorers)}; C counts 1, P a half, I and N 0"]
    notes += [f"{failed} logs did not end with success: what is missing of them is left out"] if failed else []
    if indexes := {path.name for path in _files(paths, "*.json")} & {*_INDEXES}:
        notes.append(f"{' and '.join(sorted(indexes))} hold no samples and are left out")
    frame = pd.DataFrame(rows)
    frame = frame.drop(columns="seed") if frame["seed"].nunique() == 1 else frame
    return checked(frame, str(paths[0]), measured="score", higher_is_better=True, notes=notes)


def _counted(value: Any) -> Any:
    """What a score of inspect_ai counts: a number, or what it is where that is none."""
    if isinstance(value, str):
        return _LETTERS.get(value, _WORDS.get(value.lower(), value))
    return float(value) if isinstance(value, int) else value


def _archive(path: Path) -> Any:
    try:
        with zipfile.ZipFile(path) as archive:
            names = sorted(name for name in archive.namelist() if name.startswith("samples/"))
            header, *samples = (json.loads(_member(archive, path, name)) for name in ("header.json", *names))
            return {**header, "samples": samples}
    except (OSError, KeyError, ValueError, RecursionError, zipfile.BadZipFile) as error:
        raise TableError(f"{path}: no log of inspect_ai: {str(error)[:100]}") from None


def _member(archive: zipfile.ZipFile, path: Path, name: str) -> bytes:
    """A member of an archive, also one compressed by Zstandard, which zipfile reads from Python 3.14 on."""
    member = archive.getinfo(name)
    if member.compress_type != _ZSTANDARD:
        return archive.read(member)
    import pyarrow as pa

    with path.open("rb") as file:
        file.seek(member.header_offset + 26)  # of the local header, APPNOTE.TXT 4.3.7
        file.seek(sum(struct.unpack("<HH", file.read(4))), io.SEEK_CUR)
        return bytes(pa.input_stream(pa.py_buffer(file.read(member.compress_size)), compression="zstd").read())


def _pytest_benchmark(paths: Sequence[Path]) -> Scores:
    """pytest-benchmark: ``--benchmark-json`` or saved runs; medians of times.

    Of several files each is a method, paired by test and machine; of one file each test is a method, paired by group.
    """
    documents = list(_documents("pytest-benchmark", paths))
    several = len(documents) > 1
    rows = []
    for path, data in documents:
        for test in data["benchmarks"]:
            if not several and not test.get("group"):
                raise TableError(f"{path}: what is compared? give two runs, or tests that are in groups")
            method, task = (path.stem, test["fullname"]) if several else (test["name"], test["group"])
            machine = data["machine_info"].get("node", "")
            rows.append({"method": method, "task": task, "machine": machine, "score": test["stats"]["median"]})
    if not rows:
        raise TableError(f"{paths[0]}: no benchmarks in it")
    machines = {row["method"]: row["machine"] for row in rows}
    if several and len(set(machines.values())) == len(documents):
        named = ", ".join(f"{method} on {machine or 'no name'}" for method, machine in machines.items())
        raise TableError(
            f"{paths[0]}: every file is of another machine ({named[:200]}): a difference may be the machine's. Run all "
            "on one; or, to compare them all the same, write a table of method, task and seconds and judge that"
        )
    notes = [
        "each file was measured at its own time, not in turns: load or heat in between looks like a difference"
        if several
        else "tests were measured one after the other, not in turns"
    ]
    return _times(rows, paths, "median time", notes)


_ASV_TIMES = re.compile(r"(Time|Timeraw)[A-Z_].+|time(raw)?_.+")


def _asv(paths: Sequence[Path]) -> Scores:
    """asv, airspeed velocity: ``results/MACHINE/COMMIT-ENVIRONMENT.json``; every commit (and environment) is a method.

    ``results`` maps each benchmark to values in the order of ``result_columns``; ``result`` has one value for every
    combination of ``params``, and null where it failed. What is measured follows from a benchmark's name
    (``asv_runner/benchmarks``, ``name_regex``): seconds where it is a time, in this process or (``timeraw``) in
    another.
    """
    documents = [data for _, data in _documents("asv", paths)]
    several = len({data.get("env_name") for data in documents}) > 1
    rows: list[dict[str, Any]] = []
    others = 0
    for data in documents:
        method = data["commit_hash"][:8] + (f" {data.get('env_name')}" if several else "")
        cell = {"method": method, "machine": data.get("params", {}).get("machine", "")}
        for name, values in data["results"].items():
            is_time = _ASV_TIMES.fullmatch(name.rpartition(".")[2])
            others += not is_time
            if not is_time or not isinstance(values, list):  # no list: a benchmark that failed
                continue
            fields = dict(zip(data["result_columns"], values, strict=False))
            combinations = list(itertools.product(*(fields.get("params") or [])))
            results = fields.get("result") or [None] * len(combinations)
            for result, parameters in zip(results, combinations, strict=False):
                task = f"{name}({', '.join(parameters)})" if parameters else name
                rows.append({**cell, "task": task, "score": result})
    if not rows:
        raise TableError(f"{paths[0]}: no times of asv (benchmarks named time_...)")
    notes = [
        "commits were measured at their own times; only asv run --interleave-rounds takes turns, and files do not say"
    ]
    notes += [f"{others} benchmarks that are no time are left out"] if others else []
    return _times(rows, paths, "time", notes)


def _times(rows: Sequence[Mapping[str, Any]], paths: Sequence[Path], measured: str, notes: Sequence[str]) -> Scores:
    frame = pd.DataFrame(rows)
    return checked(frame, str(paths[0]), measured=measured, higher_is_better=False, timings=True, notes=notes)


class _Format(NamedTuple):
    needed: tuple[str, ...]  # keys of the object that a tool's JSON files hold, or columns of its tables
    read: Callable[..., Scores]
    of_files: bool = False


FORMATS: Mapping[str, _Format] = {
    "lm-eval": _Format(("results", "n-shot"), _lm_eval, True),
    "lighteval": _Format(("results", "config_general"), _lighteval, True),
    "inspect_ai": _Format(("eval",), _inspect_ai, True),
    "pytest-benchmark": _Format(("benchmarks", "machine_info"), _pytest_benchmark, True),
    "asv": _Format(("commit_hash", "result_columns"), _asv, True),
    "tabarena": _Format(("dataset", "fold", "method", "metric_error"), _tabarena),
    "amlb": _Format(("task", "framework", "fold", "result"), _amlb),
    "benchopt": _Format(("solver_name", "idx_rep", "stop_val"), _benchopt),
    "sktime": _Format(("model_id", "validation_id"), _sktime),
    "battles": _Format(("model_a", "model_b", "winner"), _battles),
    "cv_results_": _Format((), _cv_results),
}
"""What wrote files or tables, and how they are recognised and read."""
