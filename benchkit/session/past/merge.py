"""Joining runs that were made apart, such as shards, into one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from benchkit.journal import (
    JournalError,
    Manifest,
    Record,
    Store,
    find_group,
    read_group,
    read_run,
    run_name,
    write_group,
    write_manifest,
)
from benchkit.journal.manifest import is_own, plugin_files, seal
from benchkit.journal.rows import Outcomes, OutcomesWriter
from benchkit.journal.store import best
from benchkit.report.analysis import Analysis
from benchkit.report.files import write_files
from benchkit.report.results import Results
from benchkit.report.stored_results import join_results, load
from benchkit.session.designs import join_designs
from benchkit.session.provenance import command_line
from benchkit.suite import yaml_text

_Part = tuple[Manifest, list[Record], Path]

# What two runs must share to be one.
_ALIKE = ("suite", "suite_as_run")


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
    runs = list(runs)
    groups = [group for run in runs if (group := find_group(run)) is not None]
    if not groups:
        return _merge_suite([read_run(run) for run in runs], Path(out))
    if len(groups) < len(runs):
        raise JournalError("some of these are runs of a collection, others of a suite: merge one kind")
    manifests = [read_group(group)[0] for group in groups]
    name = manifests[0]["collection"]
    for manifest, group in zip(manifests, groups, strict=True):
        if manifest["collection"] != name:
            raise JournalError(f"{group} and {groups[0]} are not runs of one collection")
    parts: dict[str, list[_Part]] = {}
    for folder in (folder for group in groups for folder in read_group(group)[1]):
        parts.setdefault(folder.parent.name, []).append(read_run(folder))
    members = [_merge_suite(suite_parts, Path(out)) for suite_parts in parts.values()]
    folder = Path(out) / name / run_name(Path(out) / name, datetime.now())
    runs_by_suite = {each.suite: each.folder.name for each in members}
    write_group(folder, {**manifests[0], "command": command_line(), "runs": runs_by_suite})
    return join_results(name, manifests[0]["title"], folder, members)


def _merge_suite(parts: Sequence[_Part], out: Path) -> Results:
    first, _, origin = parts[0]
    for manifest, _, folder in parts[1:]:
        for key in _ALIKE:
            if manifest[key] != first[key]:
                raise JournalError(f"{folder} and {origin} are not runs of one suite: their {key!r} differ")
    order: dict[str, int] = {}
    for manifest, _, _ in parts:
        positions = manifest.get("positions") or range(len(order), len(order) + len(manifest["trials"]))
        for trial, position in zip(manifest["trials"], positions, strict=True):
            order.setdefault(trial, position)
    rows = best((str(row["trial"]), row) for _, records, _ in parts for row in records)
    disagreements = list(_disagreements(parts, rows))
    trials = sorted(order, key=lambda trial: order[trial])
    folder = _write(Store(out, first["suite"]), parts, trials, rows, order, disagreements)
    results = load(folder)
    write_files(Analysis(results), folder)
    return results


def _disagreements(parts: Sequence[_Part], rows: Mapping[str, Record]) -> Iterator[str]:
    """Where records of one trial tell different things, of which only one can stand: the last run's."""
    for _, records, folder in parts:
        for row in records:
            kept = rows[str(row["trial"])]
            if row["status"] == "ok" and row["metrics"] != kept["metrics"]:
                where = f"{row['algorithm']} on {row['dataset']} #{row['repetition']} (trial {row['trial']})"
                values = f"{kept['metrics']} is kept, {row['metrics']} of {folder.name} is not"
                yield f"the merged runs disagree on {where}: {values}"


def _write(
    store: Store,
    parts: Sequence[_Part],
    trials: Sequence[str],
    rows: Mapping[str, Record],
    order: Mapping[str, int],
    disagreements: Sequence[str],
) -> Path:
    now = datetime.now()
    shards = [str(manifest.get("shard", "1/1")) for manifest, _, _ in parts]
    first, _, origin = parts[0]
    files = {name: str(path.resolve()) for name, path in plugin_files(origin, first).items()}
    digests = first.get("plugin_digests") or {}
    store.open()
    try:
        folder = store.new_run(now)
        manifest = {
            **{key: value for key, value in first.items() if key != "damaged"},
            "plugins": list(files.values()),
            "plugin_digests": {path: digests[name] for name, path in files.items() if name in digests},
            "run": folder.name,
            "started": now.isoformat(timespec="seconds"),
            "command": command_line(),
            "merged": [
                {key: manifest.get(key) for key in ("run", "shard", "started", "command", "environment", "source")}
                for manifest, _, _ in parts
            ],
            "shard": "1/1" if len(set(shards)) == _count(shards[0]) else ", ".join(shards),
            "fresh": False,
            "complete": all(trial in rows and rows[trial]["status"] != "interrupted" for trial in trials),
            "disagreements": list(disagreements),
            "content": join_designs(manifest for manifest, _, _ in parts),
            "reused": 0,
            "reused_from": {},
            "trials": list(trials),
            "positions": [order[trial] for trial in trials],
        }
        alone = {"plugins": list(files.values())} if files else {}
        (folder / "suite.yaml").write_text(yaml_text.write(first["suite_as_run"] | alone), encoding="utf-8")
        carried = _carried_outcomes(store, folder.name, parts)
        for trial in trials:
            if trial in rows:
                store.append({**rows[trial], "run": folder.name, "outcomes": carried(rows[trial])})
        own = all(is_own(place, part) for part, _, place in parts)
        write_manifest(folder, {**manifest, "seal": seal(folder, manifest) if own else None})
    except OSError as error:
        raise JournalError(f"{store.folder}: cannot write: {error.strerror or error}") from None
    finally:
        store.close()
    return folder


def _carried_outcomes(store: Store, run: str, parts: Sequence[_Part]) -> Callable[[Record], str | None]:
    """What writes the outcomes of a record's rows beside the joint journal, and says where they are."""
    writer = OutcomesWriter(store.folder.parent, store.folder.name, run)
    read = [(records, Outcomes(place.parent.parent)) for _, records, place in parts]
    origins = {id(row): outcomes for records, outcomes in read for row in records}

    def carry(row: Record) -> str | None:
        try:
            kept = origins[id(row)].of(row)
        except JournalError:  # its run was moved without them
            return None
        return None if kept is None else writer.append(str(row["trial"]), kept)

    return carry


def _count(shard: str) -> int:
    return int(shard.partition("/")[2] or 1)
