"""Results of a suite and of a collection, from what the folders of their runs hold: nothing else makes any."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pydantic import ValidationError

from benchkit.errors import JournalError, RequestError
from benchkit.journal.manifest import (
    Manifest,
    find_group,
    is_own,
    read_group,
    read_run,
    trusted_plugin_files,
)
from benchkit.plugin.manager import Registry, registry
from benchkit.report.points import trivial_methods
from benchkit.report.results import Results
from benchkit.suite.claims import Claim
from benchkit.trial.record import Record

if TYPE_CHECKING:
    from benchkit.trial.rows import RowOutcomes


def make_results(folder: Path, manifest: Manifest, records: Sequence[Record], known: Registry | None = None) -> Results:
    """Results of one suite's run, from what its folder holds, or is going to.

    The manifest has no ``trials`` where these are not known yet; records are in its order. Of a registry the metrics
    read rows, and its report sections are the report's; without one there are no sections.
    """
    suite = manifest["suite_as_run"]
    metrics = suite.get("metrics") or ["error"]
    directions, declared = manifest["greater_is_better"], manifest.get("ranges", {})
    ranges = {name: declared.get(name) or (None, None) for name in metrics}  # None stands for no limit
    try:
        expectations = [Claim.model_validate(claim) for claim in suite.get("expect", [])]
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise JournalError(f"{folder / 'manifest.json'}: not a claim of a suite: {first['msg']}") from None
    return Results(
        suite=manifest["suite"],
        title=manifest["title"],
        folder=folder,
        rows=records,
        metrics=metrics,
        greater_is_better={name: directions.get(name, False) for name in metrics},
        expectations=expectations,
        attack_order=manifest.get("attack_order", {}),
        ranges={
            name: (-math.inf if low is None else low, math.inf if high is None else high)
            for name, (low, high) in ranges.items()
        },
        margin=suite.get("margin"),
        planned=len(manifest["trials"]) if "trials" in manifest else None,
        report_sections=tuple(known.report_sections.values()) if known else (),
        row_metrics=(known or registry()).metrics,
        axis_titles=manifest.get("axis_titles", {}),
        situations=manifest.get("situations", {}),
        shares=manifest.get("shares", {}),
        trivial=trivial_methods() | manifest.get("trivial", {}),  # older runs did not note it
        labels=[each["label"] for each in suite.get("datasets", ()) if isinstance(each, dict) and each.get("label")],
        damaged=[*manifest.get("damaged", ()), *manifest.get("disagreements", ())],
        until_decided=bool(manifest.get("until_decided")),
        leaks=[f"{label}: {text}" for label, texts in manifest.get("leaks", {}).items() for text in texts],
        declared_elsewhere=_declared_elsewhere(suite.get("algorithms", ())),
    )


def results_of(
    manifest: Manifest,
    rows: Sequence[Mapping[str, Any]],
    outcomes: Callable[[Record], RowOutcomes | None] | None = None,
) -> Results:
    """Results of rows that lie in no run's folder, such as those that others have published.

    ``outcomes`` tells what is known of the test rows of a record's trial; None where nothing is.
    """
    folder = Path(manifest["suite"], manifest["run"])
    results = make_results(folder, manifest, cast(Sequence[Record], rows), registry())
    return replace(results, told=manifest, outcomes_beside=() if outcomes is None else (outcomes,))


def results_by_records(folder: Path, manifest: Manifest) -> Callable[[Sequence[Mapping[str, Any]]], Results]:
    """What makes results of a part of a run's records, again and again."""
    empty = make_results(folder, manifest, ())
    return lambda records: replace(empty, rows=cast(Sequence[Record], records))


def _declared_elsewhere(entries: Sequence[str | Mapping[str, Any]]) -> list[str]:
    """Labels of the methods of a suite that neither a plugin of benchkit nor scikit-learn brings."""
    known = registry()
    labels = []
    for entry in entries:
        named = entry if isinstance(entry, Mapping) else {"name": entry}
        name = str(named.get("name") or named.get("estimator"))
        declared = None if ":" in name else known.algorithms.get(name)
        if not name.startswith("sklearn.") and (declared is None or not known.is_own(declared)):
            labels.append(str(named.get("label") or name))
    return labels


def join_results(name: str, title: str, folder: Path, members: Sequence[Results], interrupted: bool = False) -> Results:
    """Results of a collection's run, whose folder is ``runs/<collection>/<id>``, from those of the suites that ran."""
    return Results(
        suite=name,
        title=title,
        folder=folder,
        rows=[record for each in members for record in each.rows],
        metrics=list(dict.fromkeys(metric for each in members for metric in each.metrics)),
        greater_is_better={name: better for each in members for name, better in each.greater_is_better.items()},
        ran=sum(each.ran for each in members),
        reused=sum(each.reused for each in members),
        planned=sum(each.planned or 0 for each in members),
        seconds=sum(each.seconds for each in members),
        interrupted=interrupted,
        members=tuple(members),
    )


def load(run: str | Path, *, trust: bool = False) -> Results:
    """Read the results of a run from its folder, finished or not: of one suite, or of a collection.

    Plugin files are loaded of runs that this user made here, and of others that are trusted: for what their metrics say
    of rows, and their report sections. Of all other runs only data is read, and nothing that they bring is executed.

    Parameters
    ----------
    run : path
        A run's folder, or a suite's or collection's (its newest run), such as ``runs/quickstart``.
    trust : bool, default=False
        Execute what the run brings, also where it was made elsewhere.

    Returns
    -------
    Results

    Raises
    ------
    JournalError
        There is no run, it cannot be read, or a trusted plugin file is not the one that it was made with.
    """
    group = find_group(run)
    if group is not None:
        manifest, folders = read_group(group)
        if not folders:
            raise JournalError(f"{group}: none of its suites had ended when it was stopped; run it again to go on")
        members = [load(folder, trust=trust) for folder in folders]
        return join_results(manifest["collection"], manifest["title"], group, members)
    gc.disable()  # it finds no garbage among records, but walks all of them again and again
    try:
        manifest, records, folder = read_run(run)
    finally:
        gc.freeze()
        gc.enable()
    known = registry(trusted_plugin_files(folder, manifest) if trust else ())
    if not trust and is_own(folder, manifest):
        with suppress(RequestError):  # of files that have changed since, or are gone
            known = registry(trusted_plugin_files(folder, manifest))
    if "greater_is_better" not in manifest:  # of an earlier version; unknown metrics count as losses
        manifest["ranges"] = {name: known.metrics[name].range for name in known.metrics}
        manifest["greater_is_better"] = {name: known.metrics[name].greater_is_better for name in known.metrics}
    return make_results(folder, manifest, records, known)
