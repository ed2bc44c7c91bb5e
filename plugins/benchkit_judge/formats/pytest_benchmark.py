"""pytest-benchmark: ``--benchmark-json`` or saved runs; medians of times.

Of several files each is a method, paired by test and machine; of one file each test is a method, paired by group.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchkit import TableError
from benchkit_judge.formats.json_files import files_below, load_json
from benchkit_judge.scores import Scores, checked

NAME = "pytest-benchmark"


def recognises(data: Any) -> bool:
    """Whether this is what a file of it holds."""
    return isinstance(data, dict) and isinstance(data.get("benchmarks"), list) and "machine_info" in data


def read(paths: Sequence[Path]) -> Scores:
    """Times by test and machine."""
    import pandas as pd

    files = list(files_below(paths, "*.json"))
    rows = []
    for path in files:
        data = load_json(path)
        if not recognises(data):
            raise TableError(f"{path}: no results of pytest-benchmark: no 'machine_info' with 'benchmarks'")
        machine = data["machine_info"].get("node", "")
        for test in data["benchmarks"]:
            if len(files) > 1:
                method, task = path.stem, test["fullname"]
            elif test.get("group"):
                method, task = test["name"], test["group"]
            else:
                raise TableError(f"{path}: what is compared? give two runs, or tests that are in groups")
            time = test["stats"]["median"]
            rows.append({"method": method, "task": task, "machine": machine, "score": time})
    if not rows:
        raise TableError(f"{paths[0]}: no benchmarks in it")
    machines = {row["method"]: row["machine"] for row in rows}
    if len(files) > 1 and len(set(machines.values())) == len(files):
        named = ", ".join(
            f"{method} on {machine or 'a machine without a name'}" for method, machine in machines.items()
        )
        raise TableError(
            f"{paths[0]}: every file is of another machine ({named[:200]}): a difference may be the machine's. Run all "
            "on one; or, to compare them all the same, write a table of method, task and seconds and judge that"
        )
    told = [
        "each file was measured at its own time, not in turns: load or heat in between looks like a difference"
        if len(files) > 1
        else "tests were measured one after the other, not in turns"
    ]
    return checked(
        pd.DataFrame(rows), str(paths[0]), measured="median time", higher_is_better=False, timings=True, told=told
    )
