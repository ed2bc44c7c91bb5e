"""lm-evaluation-harness: ``results_*.json`` of every model, and ``samples_TASK_*.jsonl`` of ``--log_samples``.

Where there are samples, every document is an item; else every task has one score, its first metric.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchkit.data.bounded_table import read_text
from benchkit.judging.formats.json_files import files_below, load_json
from benchkit.judging.scores import Scores, TableError, checked

NAME = "lm-eval"
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
    rows = _of_one_direction(rows, told)
    metrics = list(dict.fromkeys(row["metric"] for row in rows))
    told.append(f"the first metric of each task: {', '.join(metrics)}")
    frame = pd.DataFrame(rows).drop(columns=["metric", "higher"])
    return checked(frame, str(paths[0]), measured=metrics[0], higher_is_better=rows[0]["higher"], told=told)


def _of_one_direction(rows: Sequence[dict[str, Any]], told: list[str]) -> list[dict[str, Any]]:
    """The rows of most tasks: those where more is better, or those where less is."""
    better = {row["task"]: row["higher"] for row in rows}
    kept = 2 * sum(better.values()) >= len(better)
    less = "less" if kept else "more"
    others = {row["task"]: row["metric"] for row in rows if row["higher"] != kept}
    told += [f"{task} is left out: of {metric} {less} is better, unlike the others" for task, metric in others.items()]
    return [row for row in rows if row["higher"] == kept]


def _samples(paths: Sequence[Path]) -> Iterator[dict[str, Any]]:
    for path in files_below(paths, "samples_*.jsonl"):
        named = _SAMPLES.fullmatch(path.name)
        if not named:
            continue
        for number, line in enumerate(read_text(path).decode().splitlines(), start=1):
            try:
                sample = json.loads(line)
                metric = sample["metrics"][0] if sample.get("metrics") else "acc"
                row = {"task": named[1], "item": sample["doc_id"], "score": sample[metric], "metric": metric}
            except (ValueError, KeyError, TypeError) as error:
                raise TableError(f"{path}: line {number} is no sample of lm-eval: {error!s:.80}") from None
            # Several filters of one answer: the first is the one that results name first.
            if sample.get("filter") in (None, "none", _first_filter(path)):
                yield {"method": path.parent.name, **row, "higher": metric not in ("perplexity", "bits_per_byte")}


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
                higher = data.get("higher_is_better", {}).get(task, {}).get(metric, True)
                model = data.get("model_name") or path.parent.name
                row = {"method": model, "task": task, "score": values[metrics[0]]}
                yield {**row, "metric": metric, "higher": bool(higher)}
