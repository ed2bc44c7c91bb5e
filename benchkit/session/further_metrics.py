"""Trials that are done but for metrics: these follow from the rows that were kept of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from benchkit.journal import Record
from benchkit.journal.outcomes import Outcomes
from benchkit.journal.row_metrics import extended
from benchkit.suite.plan import Trial
from benchkit.trial.identity import Fingerprints


def with_metrics_of(
    left: Mapping[str, Trial], done: Mapping[str, Record], fingerprints: Fingerprints, outcomes: Outcomes
) -> dict[str, Record]:
    """Records of trials that differ from done ones in their metrics alone.

    The record of the same trial with other metrics is found by the id that it had with these.

    Parameters
    ----------
    left : mapping of id to Trial
        What would have to be run.
    done : mapping of id to record
    fingerprints : Fingerprints
    outcomes : Outcomes

    Returns
    -------
    dict of id to record
        Under the id of the trial that is left.
    """
    measured = {tuple(row["metrics"]) for row in done.values() if row["status"] == "ok" and row.get("outcomes")}
    known = fingerprints.registry.metrics
    found: dict[str, Record] = {}
    if not measured:
        return found
    # Entries that differ in their labels alone have ids of their own, and no record but theirs is theirs.
    alone = {name: trial for name, trial in left.items() if fingerprints.identify(trial) == name}
    for metrics in measured:
        for name, trial in alone.items():
            further = [known[metric] for metric in trial.metrics if metric not in metrics]
            if name in found or any(metric.needs == "model" for metric in further) or not _choose_alike(trial, metrics):
                continue
            row = done.get(fingerprints.identify(replace(trial, metrics=metrics)))
            if row is None or row["status"] != "ok" or not row.get("outcomes") or not outcomes.are_there(row):
                continue
            fields = extended(row, further, outcomes)
            if any(fields["metrics"][metric.name] is None for metric in further):
                continue  # the trial itself says why, or has a value
            ordered = {metric: fields["metrics"][metric] for metric in trial.metrics}
            reasons = {metric: why for metric, why in fields["no_value"].items() if metric in ordered}
            found[name] = {**row, "trial": name, "metrics": ordered, "no_value": reasons}
    return found


def _choose_alike(trial: Trial, metrics: tuple[str, ...]) -> bool:
    """Whether parameters would be chosen by the same metric: the first, where the suite names none for that."""
    by_first = any(stage.metric is None for stage in trial.algorithm.tune)
    return bool(metrics) and all(metrics) and (not by_first or metrics[0] == trial.metrics[0])
