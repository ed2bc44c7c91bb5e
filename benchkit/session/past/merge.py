"""Joining runs that were made apart, such as shards, into one: their journal lines are copied and reported."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from benchkit.journal import (
    JournalError,
    Manifest,
    Record,
    Store,
    find_group,
    read_group,
    read_run,
    write_group,
    write_manifest,
)
from benchkit.journal.manifest import is_own, plugin_files, seal
from benchkit.journal.rows import Outcomes, OutcomesWriter
from benchkit.journal.store import RUN_ID, best
from benchkit.report.analysis import Analysis
from benchkit.report.files import write_files, write_index
from benchkit.report.results import Results
from benchkit.report.stored_results import join_results, load
from benchkit.session.provenance import command_line, write_suite

_Part = tuple[Manifest, list[Record], Path]


def merge(runs: Iterable[str | Path], *, out: str | Path = "runs") -> Results:
    """One run that holds the trials of several; of collections' runs, one run for each suite.

    Parameters
    ----------
    runs : iterable of path
        Runs' folders, or suites' or collections' folders, which stand for their newest run.
    out : path, default="runs"
        Output folder of the joint run.

    Returns
    -------
    Results

    Raises
    ------
    JournalError
        The runs are not of one suite, or not of one collection.
    """
    runs, out = list(runs), Path(out)
    groups = [read_group(group) for run in runs if (group := find_group(run)) is not None]
    if not groups:
        return _merge_suite([read_run(run) for run in runs], out)
    names = {manifest["collection"] for manifest, _ in groups}
    if len(groups) < len(runs) or len(names) > 1:
        raise JournalError("these are not all runs of one collection, nor all of one suite: merge one kind")
    parts: dict[str, list[_Part]] = {}
    for folder in (folder for _, folders in groups for folder in folders):
        parts.setdefault(folder.parent.name, []).append(read_run(folder))
    members = [_merge_suite(suite_parts, out) for suite_parts in parts.values()]
    (name,), first = names, groups[0][0]
    folder = out / name / datetime.now().strftime(RUN_ID)
    runs_by_suite = {member.suite: member.folder.name for member in members}
    write_group(folder, {**first, "command": command_line(), "runs": runs_by_suite})
    return join_results(name, first["title"], folder, members)


def _merge_suite(parts: Sequence[_Part], out: Path) -> Results:
    first, _, origin = parts[0]
    order: dict[str, int] = {}
    for manifest, _, folder in parts:
        for key in ("suite", "suite_as_run"):
            if manifest[key] != first[key]:
                raise JournalError(f"{folder} and {origin} are not runs of one suite: their {key!r} differ")
        positions = manifest.get("positions") or range(len(order), len(order) + len(manifest["trials"]))
        order = dict(zip(manifest["trials"], positions, strict=True)) | order
    order = dict(sorted(order.items(), key=lambda item: item[1]))
    rows = best((str(row["trial"]), row) for _, records, _ in parts for row in records)
    stores = [(records, Outcomes(place.parent.parent)) for _, records, place in parts]
    origins = {id(row): outcomes for records, outcomes in stores for row in records}
    store = Store(out, first["suite"])
    store.open()
    try:
        folder = store.new_run(datetime.now())
        writer = OutcomesWriter(out, first["suite"], folder.name)
        for trial in order:
            if (row := rows.get(trial)) is not None:
                try:
                    kept = origins[id(row)].of(row)
                except JournalError:  # its run was moved without them
                    kept = None
                outcomes = None if kept is None else writer.append(trial, kept)
                store.append({**row, "run": folder.name, "outcomes": outcomes})
        manifest = _manifest(folder, parts, order, rows)
        write_suite(folder, manifest)
        write_manifest(folder, manifest)
        results = load(folder)
        write_files(Analysis(results), folder)
        write_index(out)
    except OSError as error:
        raise JournalError(f"{store.folder}: cannot write: {error.strerror or error}") from None
    finally:
        store.close()
    return results


def _manifest(
    folder: Path, parts: Sequence[_Part], order: Mapping[str, int], rows: Mapping[str, Record]
) -> dict[str, Any]:
    """The manifest of the joint run: the first part's, with what is of all."""
    first, _, origin = parts[0]
    files = {name: str(path.resolve()) for name, path in plugin_files(origin, first).items()}
    digests = first.get("plugin_digests") or {}
    shards = [str(manifest.get("shard", "1/1")) for manifest, _, _ in parts]
    content: dict[str, dict[str, Any]] = {"designs": {}, "methods": {}, "places": {}}
    disagreements = []
    for manifest, records, place in parts:
        for key, described in (manifest.get("content") or {}).items():
            content[key] |= described
        for row in records:  # of records that tell different things of one trial only one can stand: the last run's
            kept = rows[str(row["trial"])]
            if row["status"] == "ok" and row["metrics"] != kept["metrics"]:
                where = f"{row['algorithm']} on {row['dataset']} #{row['repetition']} (trial {row['trial']})"
                values = f"{kept['metrics']} is kept, {row['metrics']} of {place.name} is not"
                disagreements.append(f"the merged runs disagree on {where}: {values}")
    of_each = ("run", "shard", "started", "command", "environment", "source")
    joint = {
        **{key: value for key, value in first.items() if key != "damaged"},
        "plugins": list(files.values()),
        "plugin_digests": {path: digests[name] for name, path in files.items() if name in digests},
        "run": folder.name,
        "started": datetime.now().isoformat(timespec="seconds"),
        "command": command_line(),
        "merged": [{key: manifest.get(key) for key in of_each} for manifest, _, _ in parts],
        "shard": "1/1" if str(len(set(shards))) == (shards[0].partition("/")[2] or "1") else ", ".join(shards),
        "fresh": False,
        "complete": all(trial in rows for trial in order),
        "disagreements": disagreements,
        "content": content,
        "reused": 0,
        "reused_from": {},
        "trials": list(order),
        "positions": list(order.values()),
    }
    own = all(is_own(place, manifest) for manifest, _, place in parts)
    return {**joint, "seal": seal(folder, joint) if own else None}
