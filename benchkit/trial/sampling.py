"""How a trial's rows were drawn: what inference from its repetitions rests on."""

from __future__ import annotations

from typing import Any

from benchkit.plugin.declarations import Dataset
from benchkit.suite.schema import Split
from benchkit.trial.prepared import Prepared


def sampling_fields(split: Split, dataset: Dataset, prepared: Prepared) -> dict[str, Any]:
    """The record's fields on sampling.

    ``n_rows`` counts the rows of the whole data set, ``n_train``, ``n_validation`` and ``n_test`` those of the parts;
    ``generated`` says whether each repetition (each shuffle, for k-fold) draws fresh data; ``split`` is the method, and
    ``folds`` the number of folds or None.
    """
    sizes = {f"n_{name}": len(getattr(prepared, name).y) for name in ("train", "validation", "test")}
    drawn = {"generated": dataset.generated, "split": split.method, "folds": split.folds}
    return {"n_rows": len(prepared.data.y), **sizes, **drawn}
