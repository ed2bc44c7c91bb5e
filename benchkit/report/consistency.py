"""Consistency of attacks: a weaker attack that does more damage than a stronger one shows a defect in one of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from benchkit.journal import Record
from benchkit.journal.place import Params, place_of
from benchkit.plugin.declarations import ReportTable

if TYPE_CHECKING:
    from benchkit.report.results import Results

ROUNDING = 1e-9

_Attacked = tuple[tuple[str, Params, str], str, str, int, float | None]
"""A model within a budget: its data, its algorithm with its parameters, its repetition, the budget."""


@dataclass(frozen=True)
class Inconsistency:
    """Trials of one cell in which the weaker attack won.

    Attributes
    ----------
    stronger, weaker, algorithm, dataset, metric : str
    repetitions : int
        In how many repetitions and budgets.
    excess : float
        By how much at most.
    """

    stronger: str
    weaker: str
    algorithm: str
    dataset: str
    metric: str
    repetitions: int
    excess: float

    def __str__(self) -> str:
        what = f"{self.weaker} does more damage than {self.stronger}, which is said to be at least as strong"
        return (
            f"{self.algorithm} on {self.dataset}: {what}: {self.metric} by up to {self.excess:.3g} in "
            f"{self.repetitions} trial{'s' if self.repetitions > 1 else ''}"
        )


def inconsistencies(records: Iterable[Record], order: Mapping[str, Any]) -> list[Inconsistency]:
    """Where a weaker attack on the same model within the same budget did more damage than a stronger one.

    Parameters
    ----------
    records : iterable of record
    order : mapping
        As `benchkit.suite.whole_suite.attack_order` returns it.
    """
    pairs = order.get("pairs", [])
    compared = {pair[side] for pair in pairs for side in ("stronger", "weaker")}
    by_adversary: dict[str, dict[_Attacked, Record]] = {}
    for record in records:
        if record["status"] == "ok" and record["adversary"] in compared:
            by_adversary.setdefault(record["adversary"], {})[_attacked(record)] = record
    failures = []
    for pair in pairs:
        strong, weak = (by_adversary.get(pair[side], {}) for side in ("stronger", "weaker"))
        shared = [
            (strong[key], weak[key])
            for key in strong.keys() & weak.keys()
            if not pair["uniform_only"] or strong[key].get("feature_values") == "uniform"
        ]
        for metric, greater_is_better in order["metrics"].items():
            failures += _failures(shared, pair, metric, -1.0 if greater_is_better else 1.0)
    return sorted(failures, key=lambda failure: (failure.dataset, failure.algorithm, failure.metric))


def _attacked(record: Record) -> _Attacked:
    params = json.dumps(record.get("params"), sort_keys=True, default=str)
    return place_of(record).data, record["algorithm"], params, record["repetition"], record.get("budget")


def _failures(
    shared: Iterable[tuple[Record, Record]], pair: Mapping[str, Any], metric: str, sign: float
) -> list[Inconsistency]:
    excesses: dict[tuple[str, str], list[float]] = {}
    for strong, weak in shared:
        better, worse = strong["metrics"].get(metric), weak["metrics"].get(metric)
        if better is None or worse is None:
            continue
        excess = sign * (worse - better)
        if excess > ROUNDING:
            excesses.setdefault((strong["algorithm"], strong["dataset"]), []).append(excess)
    return [
        Inconsistency(pair["stronger"], pair["weaker"], algorithm, dataset, metric, len(amounts), max(amounts))
        for (algorithm, dataset), amounts in excesses.items()
    ]


def consistency_table(results: Results) -> ReportTable | None:
    """The report section: each failure of a run, None where attacks keep their order."""
    failures = results.inconsistencies()
    if not failures:
        return None
    columns = ("algorithm", "dataset", "stronger", "does less than", "metric", "trials", "by up to")
    return ReportTable(
        columns=columns,
        rows=[
            [
                *attrgetter("algorithm", "dataset", "stronger", "weaker", "metric", "repetitions")(each),
                f"{each.excess:.3g}",
            ]
            for each in failures
        ],
        note="an attack that is declared to be at least as strong did less damage to the same model",
    )
