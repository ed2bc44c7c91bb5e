"""Data sets as MLflow knows them: a name, and a digest of what it holds. Nothing of the data itself is sent."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from benchkit import dataset_name

_LONGEST_NAME = 500  # MLflow's limits
_LONGEST_SOURCE = 60_000
_DIGITS = 16


def data_sets(rows: Iterable[Mapping[str, Any]], designs: Mapping[str, Any]) -> dict[str, Any]:
    """The data sets of some records, by name.

    Parameters
    ----------
    rows : iterable of records
    designs : mapping
        What a run's manifest says of its designs, by which the same name for other data has another digest: the code
        that makes it, and the digests of its files.

    Returns
    -------
    dict of str to mlflow.entities.Dataset
    """
    made: dict[str, Mapping[str, Any]] = {}
    for design in designs.values():
        name = design["question"]["dataset"]["name"]
        made[name] = {"code": design.get("code", {}).get("data"), "files": design.get("files")}
    found: dict[str, Any] = {}
    for row in rows:
        name = dataset_name(row["dataset"], row["dataset_params"])[:_LONGEST_NAME]
        if name not in found:
            found[name] = _data_set(name, row, made.get(row["dataset"], {}))
    return found


def _data_set(name: str, row: Mapping[str, Any], made: Mapping[str, Any]) -> Any:
    from mlflow.entities import Dataset

    asked = {"dataset": row["dataset"], "params": row["dataset_params"]}
    source = json.dumps(asked, sort_keys=True, default=str)
    text = json.dumps([asked, made], sort_keys=True, default=str)
    return Dataset(
        name=name,
        digest=hashlib.sha256(text.encode()).hexdigest()[:_DIGITS],
        source_type="benchkit",
        source=source[:_LONGEST_SOURCE],
        profile=json.dumps({"num_rows": row.get("n_rows")}),
    )


def as_inputs(found: Iterable[Any]) -> list[Any]:
    """Data sets as inputs of a run, which trains and tests on them."""
    from mlflow.entities import DatasetInput, InputTag

    return [DatasetInput(each, [InputTag("mlflow.data.context", "train, test")]) for each in found]
