"""Runs that ended: their models rechecked, joined into one, sent to trackers."""

import copy
import shutil
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePath
from typing import Any

from benchkit.environment.place import require_here
from benchkit.errors import BenchkitError, JournalError, RequestError, writing
from benchkit.journal import manifest as manifests
from benchkit.journal.rows import Outcomes, OutcomesWriter
from benchkit.journal.store import RUN_ID, Store, best, model_path, read_model
from benchkit.plugin.declarations.exchanged import ModelCheck
from benchkit.plugin.guard import guarded, of
from benchkit.plugin.manager import Registry, registry
from benchkit.plugin.spec import Run
from benchkit.report.analysis import Analysis
from benchkit.report.files import write_files, write_index
from benchkit.report.results import Results
from benchkit.report.stored_results import join_results
from benchkit.report.stored_results import load as load_results
from benchkit.session.listeners import chosen_trackers, end_killed
from benchkit.session.plan import Plan, Request, plan_suite
from benchkit.session.provenance import command_line, session_of, write_suite
from benchkit.suite.load import load as load_suite
from benchkit.suite.names import portable_params
from benchkit.suite.trial import Trial, cell_of
from benchkit.trial.learner import FitCache, Learner
from benchkit.trial.prepared import prepare
from benchkit.trial.record import Record


def plugins_of_run(folder: Path, trust: bool, why: str) -> tuple[str, ...]:
    """The plugin files that a run's trials need to be run again.

    Parameters
    ----------
    folder : Path
        The run's.
    trust : bool
        Also the run of another, or one made elsewhere; its plugin files must be those that it was made with.
    why : str
        What would be executed, for the message: ``verify runs a part of the trials``.

    Raises
    ------
    JournalError
        The run is not the user's own and not trusted, or its plugin files have changed.
    """
    manifest = manifests.read_manifest(folder)
    manifests.require_trust(folder, manifest, trust, why)
    if manifests.is_own(folder, manifest):
        return tuple(str(path) for path in manifests.plugin_files(folder, manifest).values())
    plugins = manifests.trusted_plugin_files(folder, manifest)
    for name in load_suite(str(folder / "suite.yaml")).suite.plugins:
        if str((folder / name).resolve()) not in plugins:
            raise JournalError(f"{folder / 'suite.yaml'}: the run's manifest does not name the plugin file {name}")
    return plugins


def replan(folder: Path, trust: bool, why: str, *needed: str) -> tuple[Plan, dict[str, Trial]]:
    """Plan a run again from its folder's suite, with its trials, as they are now, by their ids in its manifest."""
    plugins = plugins_of_run(folder, trust, why)
    manifest = manifests.read_manifest(folder)
    plan = plan_suite(Request(str(folder / "suite.yaml"), out=folder.parent.parent, plugins=plugins))
    now = {trial.position: trial for trial in plan.trials.values()}
    places = zip(manifest["trials"], manifest["positions"], strict=True)
    trials = {name: plan.trials.get(name, now.get(place)) for name, place in places}
    if gone := [name for name in needed if trials.get(name) is None]:
        raise JournalError(f"{folder / 'suite.yaml'}: the suite has no trial {gone[0]} any more")
    return plan, {name: trial for name, trial in trials.items() if trial is not None}


@dataclass(frozen=True)
class Verified:
    """A trial's kept model and what came of its checks.

    Attributes
    ----------
    trial : str
    display_name : str
        A short name for people.
    algorithm : str
        Its label.
    checks : list of ModelCheck
        Empty where the algorithm declares no way to check it.
    """

    trial: str
    display_name: str
    algorithm: str
    checks: list[ModelCheck]

    @property
    def holds(self) -> bool:
        """Whether every check holds."""
        return all(check.holds for check in self.checks)


def verify(run: str | Path, *, trust: bool = False) -> Iterator[Verified]:
    """Recheck the kept models of a run, or of each suite of a collection's run, in its order; there may be none.

    What a model states of itself is recomputed from its trial's data without its solver.

    Parameters
    ----------
    run : path
        A run's folder, or a suite's folder, which stands for its newest run.
    trust : bool, default=False
        Also of a run that another made, or that was made elsewhere: models are unpickled.

    Raises
    ------
    JournalError
        The run is not trusted.
    """
    for folder in manifests.runs_of(run):
        store = Store(folder.parent.parent, folder.parent.name)
        _, records, _ = manifests.read_run(folder)
        kept = [row["trial"] for row in records if row["status"] == "ok" and model_path(store.models, row["trial"])]
        if not kept:
            continue
        plan, trials = replan(folder, trust, "verify unpickles the models of a run", *kept)
        for trial_id in kept:
            trial = trials[trial_id]
            declared = plan.registry.algorithms[trial.algorithm.name]
            checks: list[ModelCheck] = []
            if declared.verify is not None:
                require_here(declared)
                model = read_model(store.models, trial_id, trusted=True)
                learner = Learner(trial, prepare(trial), FitCache(None))
                if learner.instead is None:  # else it is a model of another method, of which nothing is stated
                    part = learner.refit_on()
                    checks = declared.verify(model, part.X, part.y)
            yield Verified(trial_id, trial.display_name, trial.algorithm.label, checks)


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
    groups = [manifests.read_group(group) for run in runs if (group := manifests.find_group(run)) is not None]
    if not groups:
        return _merge_suite([manifests.read_run(run) for run in runs], out)
    if len(groups) < len(runs) or len({manifest["collection"] for manifest, _ in groups}) > 1:
        raise JournalError("these are not all runs of one collection, nor all of one suite: merge one kind")
    parts: dict[str, list[tuple[manifests.Manifest, list[Record], Path]]] = {}
    for folder in (folder for _, folders in groups for folder in folders):
        parts.setdefault(folder.parent.name, []).append(manifests.read_run(folder))
    members = [_merge_suite(suite_parts, out) for suite_parts in parts.values()]
    first = groups[0][0]
    folder = out / first["collection"] / datetime.now().strftime(RUN_ID)
    runs_by_suite = {member.suite: member.folder.name for member in members}
    manifests.write_group(folder, {**first, "command": command_line(), "runs": runs_by_suite})
    return join_results(first["collection"], first["title"], folder, members)


def _merge_suite(parts: Sequence[tuple[manifests.Manifest, list[Record], Path]], out: Path) -> Results:
    first, _, origin = parts[0]
    order: dict[str, int] = {}
    for manifest, _, folder in parts:
        one, other = (_without_folders(each["suite_as_run"]) for each in (manifest, first))
        if difference := _difference(one, other):
            raise JournalError(f"{folder} and {origin} are not runs of one suite: {difference}")
        positions = manifest.get("positions") or range(len(order), len(order) + len(manifest["trials"]))
        order = dict(zip(manifest["trials"], positions, strict=True)) | order
    order = dict(sorted(order.items(), key=lambda item: item[1]))
    _call_files_alike(parts)
    rows = best((str(row["trial"]), row) for _, records, _ in parts for row in records)
    stores = [(records, place, Outcomes(place.parent.parent)) for _, records, place in parts]
    origins = {id(row): (place, outcomes) for records, place, outcomes in stores for row in records}
    files = {name: str(path.resolve()) for name, path in manifests.plugin_files(origin, first).items()}
    digests = first.get("plugin_digests") or {}
    shards = [str(manifest.get("shard", "1/1")) for manifest, _, _ in parts]
    of = {shard.rpartition("/")[2] for shard in shards}
    are_all = of == {str(len({*shards}))}
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
    store = Store(out, first["suite"])
    store.open()
    with closing(store), writing(store.folder):
        folder = store.folder / datetime.now().strftime(RUN_ID)
        folder.mkdir(parents=True)
        writer = OutcomesWriter(out, first["suite"], folder.name)
        for trial in order:
            if (last := rows.get(trial)) is not None:
                place, kept_rows = origins[id(last)]
                trace = place / "tracebacks" / f"{trial}.txt"
                if trace.is_file():
                    (folder / trace.parent.name).mkdir(exist_ok=True)
                    shutil.copy(trace, folder / trace.parent.name)
                if (model := model_path(place.parent / store.models.name, trial)) is not None:
                    store.models.mkdir(exist_ok=True)
                    shutil.copy(model, store.models)
                try:
                    of_rows = kept_rows.of(last)
                except JournalError:  # its run was moved without them
                    of_rows = None
                outcomes = None if of_rows is None else writer.append(trial, of_rows)
                store.append({**last, "run": folder.name, "outcomes": outcomes})
        joint = {  # the first part's, with what is of all
            **{key: value for key, value in first.items() if key != "damaged"},
            "plugins": list(files.values()),
            "plugin_digests": {path: digests[name] for name, path in files.items() if name in digests},
            "run": folder.name,
            "started": datetime.now().isoformat(timespec="seconds"),
            "command": command_line(),
            "merged": [{key: manifest.get(key) for key in of_each} for manifest, _, _ in parts],
            "shard": "1/1" if are_all else ", ".join(shards),
            "fresh": False,
            "complete": all(trial in rows for trial in order),
            "disagreements": disagreements,
            "content": content,
            **{"reused": 0, "reused_from": {}, "trials": list(order), "positions": list(order.values())},
        }
        are_own = all(manifests.is_own(place, manifest) for manifest, _, place in parts)
        joint["seal"] = manifests.seal(folder, joint) if are_own else None
        write_suite(folder, joint)
        manifests.write_manifest(folder, joint)
        results = load_results(folder)
        write_files(Analysis(results), folder)
        write_index(out)
    return results


def _without_folders(suite: dict[str, Any]) -> dict[str, Any]:
    """A suite as it was run, with the names of its files alone: what is in them is in the ids of its trials."""
    suite = copy.deepcopy(suite)
    suite["plugins"] = [PurePath(file).name for file in suite.get("plugins", [])]
    for part in [suite, *(entry for entry in suite.get("datasets", []) if isinstance(entry, dict))]:
        part["params"] = portable_params(part.get("params", {}))
        split = part.get("split", {})
        if isinstance(split.get("test"), str):
            split["test"] = PurePath(split["test"]).name
    return suite


def _call_files_alike(parts: Iterable[tuple[manifests.Manifest, list[Record], Path]]) -> None:
    """Give a data set of a file the path that the first run has, wherever it lay; its content must be the same."""
    known: dict[str, tuple[dict[str, Any], Any, Path]] = {}
    for manifest, records, folder in parts:
        content = manifest.get("content") or {"designs": {}, "places": {}}
        for row in (row for row in records if "path" in row["dataset_params"]):
            design, *_ = content["places"].get(row["trial"], [None])
            files = content["designs"].get(design, {}).get("files")
            key = str([row["dataset"], row["axis_value"], portable_params(row["dataset_params"])])
            row["dataset_params"], same, origin = known.setdefault(key, (row["dataset_params"], files, folder))
            row["cell"] = cell_of(row)
            if files != same:
                raise JournalError(
                    f"{folder} and {origin} are not of the same data: a file of {row['dataset']} differs"
                )


def _difference(one: Any, other: Any, key: str = "") -> str:
    """The first key, dotted, that two suites do not have alike, with both values; empty where there is none."""
    if isinstance(one, dict) and isinstance(other, dict):
        pairs = [(name, one.get(name), other.get(name)) for name in {**one, **other}]
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = [(place, *both) for place, both in enumerate(zip(one, other, strict=True))]
    else:
        values = ["not given" if value is None else f"{value!r:.80}" for value in (one, other)]
        return (
            "" if one == other else f"{key.removeprefix('.')} is {values[0]} in the former, {values[1]} in the latter"
        )
    return next(filter(None, (_difference(mine, yours, f"{key}.{name}") for name, mine, yours in pairs)), "")


def sync(
    reference: str | Path,
    warn: Callable[[str], None] = warnings.warn,
    trackers: bool | str | Sequence[str] = True,
    known: Registry | None = None,
) -> list[tuple[str, Run, str]]:
    """Send a run, or each suite's of a collection, to trackers by name; True stands for all that take ended runs.

    Returns what became of each suite and tracker: a word or two, the run, and the place that it was sent to.
    """
    to = [tracker for tracker in chosen_trackers(known or registry(), trackers) if tracker.send is not None]
    if not to:
        raise RequestError("no tracker is installed that takes a run after it ended")
    sent = []
    for place in manifests.runs_of(reference):
        manifest, records, folder = manifests.read_run(place)
        run = session_of(folder, manifest, {record["trial"]: record for record in records}, records)

        def analyse(folder: Path = folder, is_ours: bool = manifests.is_own(folder, manifest)) -> Analysis:
            analysis = Analysis(load_results(folder))
            # The run was killed before it reported, or another wrote the report: what is shown is made here.
            if not (folder / "report.html").exists() or not is_ours:
                write_files(analysis, folder, plots=True)
            return analysis

        for tracker in to:
            with guarded(f"{of(tracker)}: send", passing=(BenchkitError,)):
                outcome, where = tracker.send(run=run, records=records, analyse=analyse, warn=warn)
            sent.append((outcome, run, where))
        end_killed(to, run.out, warn, connects=True)
    return sent
