"""What is lost, and of which data: the words that the front page's question is asked in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchkit.plugin.manager import Registry

KINDS: Mapping[str, str] = {
    "worst": "values deleted, the worst ones",
    "random": "values deleted at random, or known ones",
    "corrupted": "values corrupted",
    "training": "values missing in training",
    "outliers": "outliers: training targets or rows corrupted",
    "streaming": "features arriving one after another",
}
"""Kinds of loss, in the order in which they are offered."""

_TABLE = re.compile(r"(\d+) x (\d+)")
_SMALL_CLASS = re.compile(r"\((\d+)\)")


@dataclass(frozen=True)
class DataFacts:
    """What is known of a data set without loading it, by its declaration and its rows' records.

    Attributes
    ----------
    rows, columns : int or None
    categories : bool or None
        Whether it is declared to have columns of categories; None where the data set is not installed here.
    classes : {"two", "more", "numbers", "unknown"}
        What is predicted; of a data set that is not installed here the metric tells no more than whether it is numbers.
    balance : float or None
        Share of the smaller of two classes, where it is declared.
    """

    rows: int | None
    columns: int | None
    categories: bool | None
    classes: str
    balance: float | None


def kinds_of(adversary: str, methods: set[str], known: Registry) -> list[str]:
    """The kinds of loss that an adversary's rows speak of.

    Parameters
    ----------
    adversary : str
        Its registered name.
    methods : set of str
        Registered names of the methods that are compared.
    known : Registry
    """
    declared = known.adversaries.get(adversary)
    kind: str = "outliers" if declared is not None and declared.phase == "train" else "corrupted"
    if declared is not None and declared.loss is not None:
        kind = declared.loss
    arriving = [name for name in methods if name in known.algorithms and known.algorithms[name].streaming]
    return [kind, "streaming"] if len(arriving) > 1 else [kind]


def facts_of(dataset: str, params: Mapping[str, Any], rows: int | None, metric: str, known: Registry) -> DataFacts:
    """What a data set is like.

    Parameters
    ----------
    dataset : str
        Its registered name.
    params : mapping
        What the suite gave it.
    rows : int or None
        That its records tell.
    metric : str
        That is compared.
    known : Registry
    """
    if dataset not in known.datasets:
        tasks = known.metrics[metric].tasks if metric in known.metrics else ()
        return DataFacts(
            rows, _columns("", params), None, "numbers" if set(tasks) == {"regression"} else "unknown", None
        )
    declared = known.datasets[dataset]
    counts = [int(count) for count in _SMALL_CLASS.findall(declared.classes)]
    more = any(each in params for each in ("classes",)) or len(counts) > 2
    classes = "numbers" if declared.task == "regression" else "more" if more else "two"
    balance = min(counts) / sum(counts) if len(counts) == 2 and "pair" not in params else None
    return DataFacts(rows, _columns(declared.shape, params), declared.categories, classes, balance)


def share_of(unit: str, budget: float, given_as: str, columns: int | None) -> float | None:
    """The share of all that could be lost which a budget is; None where that is not known.

    Feature values sum to the number of features (`benchkit.trial.feature_values`), where they are not the data's own.

    Parameters
    ----------
    unit : str
        What the adversary's budgets count.
    budget : float
    given_as : {"amount", "share"}
    columns : int or None
    """
    if given_as == "share" or unit == "fraction":
        return budget
    return min(1.0, budget / columns) if unit in ("value", "features") and columns else None


def _columns(shape: str, params: Mapping[str, Any]) -> int | None:
    for name in ("n_features", "p"):
        if isinstance(params.get(name), int):
            return int(params[name])
    found = _TABLE.search(shape)
    if params.get("encoding") == "one-hot" and (encoded := re.search(r"one-hot gives (\d+)", shape)):
        return int(encoded[1])
    if params.get("columns") == "all" and (every := re.search(r"all gives (\d+)", shape)):
        return int(every[1])
    return int(found[2]) if found else None
