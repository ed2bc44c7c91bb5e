"""Joining runs of one suite that were made apart, such as shards, into one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from benchkit.conduct.provenance import command_line
from benchkit.journal import JournalError, Record, Store, read_run, write_manifest
from benchkit.plugin.manager import registry
from benchkit.report.files import write_files
from benchkit.report.results import Results, load_results

# What two runs must share to be one.
_ALIKE = ("suite", "suite_as_run")


def merge(runs: Sequence[str | Path], *, out: str | Path = "runs") -> Results:
    """One run that holds the trials of several.

    Parameters
    ----------
    runs : sequence of path
        Runs' folders, or suites' folders, which stand for their newest run.
    out : path, default="runs"
        Output folder of the joint run.

    Returns
    -------
    Results

    Raises
    ------
    JournalError
        The runs are not of one suite.
    """
    found = [read_run(run) for run in runs]
    first, _, origin = found[0]
    for manifest, _, folder in found[1:]:
        for key in _ALIKE:
            if manifest[key] != first[key]:
                raise JournalError(f"{folder} and {origin} are not runs of one suite: their {key!r} differ")
    order: dict[str, int] = {}
    for manifest, _, _ in found:
        positions = manifest.get("positions") or range(len(order), len(order) + len(manifest["trials"]))
        for trial, position in zip(manifest["trials"], positions, strict=True):
            order.setdefault(trial, position)
    rows: dict[str, Record] = {}
    for _, records, _ in found:
        for row in records:
            if row["trial"] not in rows or rows[row["trial"]]["status"] != "ok":
                rows[row["trial"]] = row
    trials = sorted(order, key=lambda trial: order[trial])
    folder = _write(Store(Path(out), first["suite"]), found, trials, rows, order)
    metrics = registry().metrics
    results = load_results(folder, {name: metrics[name].greater_is_better for name in metrics})
    write_files(results, folder)
    return results


def _write(
    store: Store,
    found: Sequence[tuple[dict[str, Any], list[Record], Path]],
    trials: Sequence[str],
    rows: dict[str, Record],
    order: dict[str, int],
) -> Path:
    now = datetime.now()
    folder = store.folder / f"{now:%Y%m%d-%H%M%S-%f}"
    shards = [str(manifest.get("shard", "1/1")) for manifest, _, _ in found]
    manifest = {
        **found[0][0],
        "run": folder.name,
        "started": now.isoformat(timespec="seconds"),
        "command": command_line(),
        "merged": [
            {key: manifest.get(key) for key in ("run", "shard", "started", "command", "environment", "source")}
            for manifest, _, _ in found
        ],
        "shard": "1/1" if len(set(shards)) == _count(shards[0]) else ", ".join(shards),
        "reused": 0,
        "trials": list(trials),
        "positions": [order[trial] for trial in trials],
    }
    store.open()
    try:
        done = store.read()
        for trial in trials:
            if trial in rows and done.get(trial, {}).get("status") != "ok":
                store.append(rows[trial])
        folder.mkdir()
        write_manifest(folder, manifest)
    except OSError as error:
        raise JournalError(f"{folder}: cannot write: {error.strerror or error}") from None
    finally:
        store.close()
    return folder


def _count(shard: str) -> int:
    return int(shard.partition("/")[2] or 1)
