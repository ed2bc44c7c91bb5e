"""lm-evaluation-harness: ``results_*.json`` of every model, and ``samples_TASK_*.jsonl`` of ``--log_samples``.

Where there are samples, every document is an item; else every task has one score, its first metric. Of some metrics
samples hold what the tool computes a score of all documents from (``lm_eval/api/task.py``, ``process_results``).
Perplexities and bits per byte: the log-likelihood, of which higher is better. As the documents, and so their words and
bytes, are the same for all models, its mean over documents orders them as the tool's number does, the other way round.
Brier scores: the right answer and the probabilities, of which each document has a score. F1, MCC, BLEU, chrF and TER:
pairs of texts or labels, which are scored all together only.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchkit import TableError
from benchkit_judge.formats.json_files import files_below, load_json
from benchkit_judge.scores import Scores, checked

NAME = "lm-eval"
_LIKELIHOODS = ("perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte")
# As lm_eval/api/metrics.py registers them; but for TER, an error rate, which is registered as higher is better and
# described there as the opposite.
_HIGHER = ("acc", "acc_norm", "acc_mutual_info", "acc_all", "exact_match", "f1", "mcc", "bleu", "chrf")
_LOWER = (*_LIKELIHOODS, "brier_score", "ter", "mae")
_SAMPLES = re.compile(r"samples_(.+)_\d{4}-\d\d-\d\dT[\d.\-]+\.jsonl")


def recognises(data: Any) -> bool:
    """Whether this is what a results file holds."""
    return isinstance(data, dict) and isinstance(data.get("results"), dict) and "n-shot" in data


def read(paths: Sequence[Path]) -> Scores:
    """Scores of the models that were evaluated."""
    import pandas as pd

    told: list[str] = []
    rows = list(_samples(paths))
    if not rows:
        rows = list(_results(paths, told))
        told.append("scores of whole tasks: with --log_samples lm-eval also writes those of every question")
    if not rows:
        raise TableError(f"{paths[0]}: no results_*.json or samples_*.jsonl of lm-eval here")
    rows = _of_one_scale(rows, told)
    metrics = list(dict.fromkeys(row["metric"] for row in rows))
    told.append(f"the first metric of each task: {', '.join(metrics)}")
    frame = pd.DataFrame(rows).drop(columns=["metric", "higher"])
    several = len(metrics) > 1
    return checked(
        frame,
        str(paths[0]),
        measured=metrics[0],
        higher_is_better=rows[0]["higher"],
        several_metrics=several,
        told=told,
    )


def _of_one_scale(rows: Sequence[dict[str, Any]], told: list[str]) -> list[dict[str, Any]]:
    """The rows of most tasks: of scores or of log-likelihoods, and where more is better or where less is."""
    scales = {row["task"]: _scale(row) for row in rows}
    counted = Counter(scales.values())
    kept = max(counted, key=lambda scale: (counted[scale], scale[0], scale))
    for task, metric in {row["task"]: row["metric"] for row in rows}.items():
        if scales[task][0] != kept[0]:
            told.append(
                f"{task} is left out: of {metric} {'more' if scales[task][0] else 'less'} is better, unlike the others"
            )
        elif scales[task] != kept:
            told.append(f"{task} is left out: {metric} is on another scale than the others")
    return [row for row in rows if scales[row["task"]] == kept]


def _scale(row: Mapping[str, Any]) -> tuple[bool, bool]:
    return row["higher"], not row["metric"].startswith("log-likelihood")


def _names(folders: Sequence[Path]) -> dict[Path, str]:
    """What each run's folder is called: its name, with that of the folder above where several have one name."""
    runs = list(dict.fromkeys(folders))
    counted = Counter(folder.name for folder in runs)
    return {run: run.name if counted[run.name] == 1 else f"{run.parent.name}/{run.name}" for run in runs}


def _samples(paths: Sequence[Path]) -> Iterator[dict[str, Any]]:
    files = list(files_below(paths, "samples_*.jsonl"))
    names = _names([path.absolute().parent for path in files])
    for path in files:
        named = _SAMPLES.fullmatch(path.name)
        if not named:
            continue
        directions = _directions_beside(path, named[1])
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
            if not line.strip():
                continue
            try:
                sample = json.loads(line)
                # Several filters of one answer: the first is the one that results name first.
                if sample.get("filter") not in (None, "none", _first_filter(path)):
                    continue
                metrics = sample.get("metrics") or ["acc"]
                row = {"method": names[path.absolute().parent], "task": named[1], "item": sample["doc_id"]}
                scores = [
                    (metric, score) for metric in metrics if (score := _score(metric, sample[metric])) is not None
                ]
            except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
                raise TableError(f"{path}: line {number} is no sample of lm-eval: {error!s:.80}") from None
            if not scores:
                raise TableError(
                    f"{path}: {' and '.join(metrics)} has no score of a single document; judge results_*.json instead"
                )
            metric, score = scores[0]
            if metric in _LIKELIHOODS:
                yield {**row, "score": score, "metric": f"log-likelihood ({metric})", "higher": True}
            else:
                yield {**row, "score": score, "metric": metric, "higher": _is_higher_better(metric, directions, path)}


def _score(metric: str, value: Any) -> Any:
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
    if not isinstance(directions.get(metric), bool):
        raise TableError(
            f"{path}: is more {metric} better? results_*.json of lm-eval 0.4.3 or newer say so: keep them beside"
        )
    return bool(directions[metric])


def _directions_beside(path: Path, task: str) -> dict[str, Any]:
    """``higher_is_better`` of a task's metrics, from results in the samples' folder."""
    directions: dict[str, Any] = {}
    for results in sorted(path.parent.glob("results*.json")):
        data = load_json(results)
        directions |= data.get("higher_is_better", {}).get(task, {}) if recognises(data) else {}
    return directions


def _first_filter(path: Path) -> str | None:
    with path.open(encoding="utf-8") as lines:
        first = json.loads(next(lines))
    return first.get("filter") if isinstance(first, dict) else None


def _results(paths: Sequence[Path], told: list[str]) -> Iterator[dict[str, Any]]:
    for path in files_below(paths, "results*.json"):
        data = load_json(path)
        if not recognises(data):
            raise TableError(f"{path}: no results of lm-eval: it has no 'results' with 'n-shot'")
        parts = data.get("group_subtasks", {})
        for task, values in data["results"].items():
            if parts.get(task):  # a mean over others
                told.append(f"{task} is left out: a mean over its subtasks, which are judged")
                continue
            metrics = [key for key in values if "," in key and "_stderr" not in key]
            if metrics:
                metric = metrics[0].partition(",")[0]
                higher = _is_higher_better(metric, data.get("higher_is_better", {}).get(task, {}), path)
                model = data.get("model_name") or path.parent.name
                row = {"method": model, "task": task, "score": values[metrics[0]]}
                yield {**row, "metric": metric, "higher": higher}
