"""Tables of trials: which did not end ok, where a weaker attack did more damage than a stronger one, tuning."""

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, median
from typing import Any, NamedTuple

from benchkit.document.text import number
from benchkit.plugin.declarations import ReportCell, ReportTable
from benchkit.report.points import place_of, placed
from benchkit.suite.names import NO_ADVERSARY
from benchkit.trial.record import Record

FAILURES = "What failed or was skipped"
_ROUNDING = 1e-9
TUNING_NOTE = (
    "judged: candidates that a trial judged, each round of halving counted; seconds: median over trials; stopped: "
    "trials whose search the suite's tuning_seconds ended. Seconds compare within a run only."
)


def failed_trials(rows: Iterable[Record]) -> list[tuple[str, str, str, str, list[str]]]:
    """Algorithms, data sets and adversaries, status, reason and ids of trials that failed alike, most first.

    Of a trial of which only a metric failed the status is ``metric failed``.

    Of several data sets each comes with its number of trials.
    """
    alike: dict[tuple[str, str, str], tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    grouped: dict[tuple[str, str, str], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row["status"] != "ok" or row.get("error"):
            kind = (
                ""
                if row["status"] == "skipped" or row["error_type"] in (None, row["status"])
                else f"{row['error_type']}: "
            )
            why = f"{kind}{row['error'] or ''}".removesuffix(": ")
            under = "" if row["adversary"] == NO_ADVERSARY else f" under {row['adversary']}"
            ending = "metric failed" if row["status"] == "ok" else row["status"]
            grouped[row["algorithm"], ending, why][f"{row['dataset']}{under}"].append(row["trial"])
    for (algorithm, status, why), places in grouped.items():
        counted = [f"{place} ({len(trials)})" for place, trials in places.items()]
        where = ", ".join(counted if len(places) > 1 else places)
        names, ids = alike[where, status, why]
        names.append(algorithm)
        ids += [trial for trials in places.values() for trial in trials]
    failed = [(", ".join(names), *place, ids) for place, (names, ids) in alike.items()]
    return sorted(failed, key=lambda of_one_reason: -len(of_one_reason[-1]))


def failures(records: Iterable[Record], damaged: Sequence[str]) -> ReportTable | None:
    """How many, of which algorithm, where and why, and what is wrong with the records; None where all is well."""
    rows = [
        [
            ReportCell(status, emphasis=f"badge {'open' if status == 'skipped' else 'bad'}"),
            algorithm,
            where,
            ReportCell(str(len(trials)), len(trials)),
            why,
        ]
        for algorithm, where, status, why, trials in failed_trials(records)
    ]
    note = "; ".join(dict.fromkeys(damaged))
    columns = ["status", "algorithm", "where", "trials", "reason"] if rows else []
    return ReportTable(title=FAILURES, columns=columns, rows=rows, note=note) if rows or note else None


class Inconsistency(NamedTuple):
    """Trials of one cell in which the weaker attack won: in how many repetitions and budgets, by how much at most."""

    algorithm: str
    dataset: str
    stronger: str
    weaker: str
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

    The order is as `benchkit.suite.whole_suite.describe_adversaries` returns it.
    """
    pairs = order.get("pairs", [])
    by_adversary: dict[str, dict[Any, Record]] = {pair[side]: {} for pair in pairs for side in ("stronger", "weaker")}
    for row in records:
        if row["status"] == "ok" and row["adversary"] in by_adversary:
            params = json.dumps(row.get("params"), sort_keys=True, default=str)
            place = place_of(row)
            data = place.dataset, place.dataset_params, place.feature_values
            model = data, row["algorithm"], params, row["repetition"], row.get("budget")
            by_adversary[row["adversary"]][model] = row
    excesses: dict[tuple[str, str, str, str, str], list[float]] = defaultdict(list)
    for pair in pairs:
        strong, weak = by_adversary[pair["stronger"]], by_adversary[pair["weaker"]]
        for row, other in ((strong[model], weak[model]) for model in strong.keys() & weak.keys()):
            if pair["uniform_only"] and row.get("feature_values") != "uniform":
                continue
            for metric, greater_is_better in order["metrics"].items():
                values = row["metrics"].get(metric), other["metrics"].get(metric)
                if values[0] is not None and values[1] is not None:
                    excess = (values[1] - values[0]) * (-1.0 if greater_is_better else 1.0)
                    if excess > _ROUNDING:
                        key = row["algorithm"], row["dataset"], pair["stronger"], pair["weaker"], metric
                        excesses[key].append(excess)
    failed = [Inconsistency(*key, len(amounts), max(amounts)) for key, amounts in excesses.items()]
    return sorted(failed, key=lambda failure: (failure.dataset, failure.algorithm, failure.metric))


def tuning(records: Iterable[Record], metric: str) -> list[ReportTable]:
    """For each dataset (or group) under each adversary a row for each algorithm that tuned, over its trials."""
    panels: dict[tuple[str, str], dict[str, list[Record]]] = defaultdict(lambda: defaultdict(list))
    for row, place in placed(records):
        if row["status"] == "ok" and row.get("tuning"):
            panels[place.group or place.dataset, place.adversary][row["algorithm"]].append(row)
    return [
        ReportTable(
            title=dataset if adversary == NO_ADVERSARY else f"{dataset} under {adversary}",
            columns=["algorithm", "trials", "judged", "seconds", "most", "stopped", metric],
            rows=[_tuning_row(name, rows, metric) for name, rows in algorithms.items()],
            align=("left", *["right"] * 6),
        )
        for (dataset, adversary), algorithms in panels.items()
    ]


def _tuning_row(name: str, rows: Sequence[Record], metric: str) -> list[str | ReportCell]:
    judged = [sum(stage["judged"] for stage in row["tuning"]) for row in rows]
    seconds = [float(row["tune_seconds"] or 0.0) for row in rows]
    stopped = sum(any(stage["stopped"] for stage in row["tuning"]) for row in rows)
    # Where it has no value the metric that the method was tuned by, or another, has one.
    metrics = dict.fromkeys([metric, rows[0]["tuning"][-1]["metric"], *rows[0]["metrics"]])
    values = {name: [value for row in rows if (value := row["metrics"].get(name)) is not None] for name in metrics}
    shown = next((name for name in metrics if values[name]), None)
    mean = fmean(values[shown]) if shown else math.nan
    low, middle, high = min(judged), median(judged), max(judged)
    return [
        name,
        ReportCell(str(len(rows)), len(rows)),
        ReportCell(f"{middle:g}" if low == high else f"{middle:g} ({low} to {high})", middle),
        *(ReportCell(f"{value:.3g}", value) for value in (median(seconds), max(seconds))),
        ReportCell(str(stopped), stopped),
        ReportCell(f"{'' if shown == metric else f'{shown} '}{number(mean)}", mean) if shown else ReportCell("-"),
    ]
