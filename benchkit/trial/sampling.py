"""How a trial's rows were drawn: what inference from its repetitions rests on."""

from __future__ import annotations

from typing import Any

from benchkit.plugin.declarations import Dataset
from benchkit.plugin.declarations.features import Features
from benchkit.suite.schema import Split
from benchkit.trial.prepared import Prepared


def sampling_fields(split: Split, dataset: Dataset, prepared: Prepared) -> dict[str, Any]:
    """The record's fields on sampling.

    ``n_rows`` counts the rows of the whole data set, ``n_train``, ``n_validation`` and ``n_test`` those of the parts,
    ``n_features`` the features, of which budgets may be shares; ``generated`` says whether each repetition (each
    shuffle, for k-fold) draws fresh data; ``split`` is the method, or ``time`` or ``given`` where dates or a given test
    part decide, and ``folds`` the number of folds or None. ``units`` is ``rows``, or where whole groups are drawn the
    ``column`` that tells them and the number of ``groups``.
    """
    sizes = {f"n_{name}": len(getattr(prepared, name).y) for name in ("train", "validation", "test")}
    method = "time" if split.time is not None else "given" if split.test_is_given else split.method
    units: Any = "rows"
    if split.groups is not None:
        units = {"column": split.groups, "groups": prepared.structure.n_groups}
    drawn = {"generated": dataset.generated, "split": method, "folds": split.folds, "units": units}
    n_features = Features(len(prepared.values), prepared.data.groups).n_features
    return {"n_rows": len(prepared.data.y), **sizes, "n_features": n_features, **drawn}
