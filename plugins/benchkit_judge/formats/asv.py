"""asv, airspeed velocity: ``results/MACHINE/COMMIT-ENVIRONMENT.json``; every commit (and environment) is a method.

``results`` maps each benchmark to values in the order of ``result_columns``; ``result`` has one value for every
combination of ``params``, and null where it failed. What is measured follows from a benchmark's name
(``asv_runner/benchmarks``, ``name_regex``): seconds where it is a time, in this process or (``timeraw``) in another.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchkit import TableError
from benchkit_judge.formats.json_files import files_below, load_json
from benchkit_judge.scores import Scores, checked

NAME = "asv"
_TIMES = re.compile(r"(Time|Timeraw)[A-Z_].+|time(raw)?_.+")


def recognises(data: Any) -> bool:
    """Whether this is what a file of it holds."""
    return isinstance(data, dict) and "commit_hash" in data and "result_columns" in data


def read(paths: Sequence[Path]) -> Scores:
    """Times by benchmark, parameters and machine."""
    import pandas as pd

    documents = []
    for path in files_below(paths, "*.json"):
        if path.name in ("machine.json", "benchmarks.json"):
            continue
        data = load_json(path)
        if not recognises(data):
            raise TableError(f"{path}: no results of asv: no 'commit_hash' with 'result_columns'")
        documents.append(data)
    several = len({data.get("env_name") for data in documents}) > 1
    rows: list[dict[str, Any]] = []
    others = 0
    for data in documents:
        method = data["commit_hash"][:8] + (f" {data.get('env_name')}" if several else "")
        for name, values in data["results"].items():
            if not _TIMES.fullmatch(name.rpartition(".")[2]):
                others += 1
                continue
            if not isinstance(values, list):  # a benchmark that failed
                continue
            fields = dict(zip(data["result_columns"], values, strict=False))
            known = {"method": method, "machine": data.get("params", {}).get("machine", "")}
            combinations = list(itertools.product(*(fields.get("params") or [])))
            results = fields.get("result") or [None] * len(combinations)
            for result, parameters in zip(results, combinations, strict=False):
                task = f"{name}({', '.join(parameters)})" if parameters else name
                rows.append({**known, "task": task, "score": result})
    if not rows:
        raise TableError(f"{paths[0]}: no times of asv (benchmarks named time_...)")
    told = [
        "commits were measured at their own times; only asv run --interleave-rounds takes turns, and files do not say"
    ]
    told += [f"{others} benchmarks that are no time are left out"] if others else []
    return checked(pd.DataFrame(rows), str(paths[0]), measured="time", higher_is_better=False, timings=True, told=told)
