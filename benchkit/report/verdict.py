"""Judging a suite's expectations against its records."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from benchkit.report.statistics import Record, mean_and_error, paired_difference, values_by_repetition
from benchkit.suite.plan import dataset_name

Outcome = Literal["holds", "fails", "not run"]


@dataclass(frozen=True)
class Verdict:
    """Whether a claim holds, and the numbers that decide it.

    Attributes
    ----------
    claim, source : str
    outcome : {"holds", "fails", "not run"}
    evidence : str
        The decisive numbers; where the claim fails, those of the worst violation.
    """

    claim: str
    source: str
    outcome: Outcome
    evidence: str


def judge(expectation: Mapping[str, Any], records: Iterable[Record], metric: str, greater_is_better: bool) -> Verdict:
    """Judge one expectation at every point that it speaks of.

    An order holds where each algorithm's mean is at most ``tolerance`` worse than the next one's, on shared
    repetitions; an interval, where the mean lies within it, widened by ``tolerance``.
    """
    selected = [row for row in records if _spoken_of(expectation, row)]
    by_point: dict[tuple[str, ...], dict[str, list[Record]]] = defaultdict(lambda: defaultdict(list))
    for row in selected:
        name = dataset_name(row["dataset"], row["dataset_params"])
        point: tuple[str, ...] = (name, row["adversary"], str(row["axis_value"]))
        by_point[point][row["algorithm"]].append(row)
    checks: list[tuple[float, str]] = []
    for point, algorithms in by_point.items():
        where = " ".join(point)
        if expectation["order"] is not None:
            checks += _order(expectation, algorithms, metric, greater_is_better, where)
        else:
            checks += _interval(expectation, algorithms, metric, where)
    if not checks:
        return Verdict(expectation["claim"], expectation["source"], "not run", "no records")
    slack, evidence = min(checks)
    return Verdict(expectation["claim"], expectation["source"], "holds" if slack >= 0 else "fails", evidence)


def _spoken_of(expectation: Mapping[str, Any], row: Record) -> bool:
    for key, field in (("datasets", "dataset"), ("adversaries", "adversary"), ("at", "axis_value")):
        if expectation[key] is not None and row[field] not in expectation[key]:
            return False
    return True


Algorithms = Mapping[str, Sequence[Record]]


def _order(
    expectation: Mapping[str, Any], algorithms: Algorithms, metric: str, greater_is_better: bool, where: str
) -> list[tuple[float, str]]:
    """(slack, evidence) of each neighbouring pair; negative slack breaks the claim."""
    found = []
    for better, worse in pairwise(expectation["order"]):
        first, second = (values_by_repetition(algorithms.get(name, ()), metric) for name in (better, worse))
        difference = paired_difference(first, second)
        if difference is None:
            continue
        loss = -difference.mean if greater_is_better else difference.mean
        text = f"{better} - {worse} = {difference.mean:+.4f} [{difference.low:+.4f}, {difference.high:+.4f}] at {where}"
        found.append((expectation["tolerance"] - loss, text))
    return found


def _interval(
    expectation: Mapping[str, Any], algorithms: Algorithms, metric: str, where: str
) -> list[tuple[float, str]]:
    name = expectation["algorithm"]
    mean, error = mean_and_error(list(values_by_repetition(algorithms.get(name, ()), metric).values()))
    if mean is None:
        return []
    low, high = expectation["between"]
    slack = min(mean - low, high - mean) + expectation["tolerance"]
    spread = f" ± {error:.4f}" if error is not None else ""
    return [(slack, f"{name} = {mean:.4f}{spread} at {where}")]
