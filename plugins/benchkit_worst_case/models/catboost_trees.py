"""Trees of CatBoost, oblivious or not, from its JSON."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchkit import NotApplicableError
from benchkit_worst_case.models.nested import flat_tree
from benchkit_worst_case.models.trees import Tree, TreeSum


def read_catboost(model: Any) -> TreeSum:
    """A ``CatBoostClassifier`` or ``CatBoostRegressor`` on numbers."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save_model(str(path), format="json")
        stored = json.loads(path.read_text())
    scale, bias = stored["scale_and_bias"]
    n_classes = len(getattr(model, "classes_", ()))
    n_outputs = n_classes if n_classes > 2 else 1
    constant = np.zeros(n_outputs) + np.asarray(bias if np.size(bias) else 0.0, dtype=float)
    # NaN is below every border but where gaps in training were taken for the largest value.
    above = {
        feature["feature_index"]: feature["nan_value_treatment"] == "AsTrue"
        for feature in stored["features_info"]["float_features"]
    }

    def split(stored_split: dict[str, Any]) -> tuple[int, float, bool]:
        if stored_split["split_type"] != "FloatFeature":
            raise NotApplicableError("CatBoost splits on categories; thresholds are needed")
        column = stored_split["float_feature_index"]
        return column, float(np.float32(stored_split["border"])), not above[column]

    if "oblivious_trees" in stored:
        trees = [_oblivious(each, split, scale, n_outputs) for each in stored["oblivious_trees"]]
    else:
        trees = [_nested(each, split, scale, n_outputs) for each in stored["trees"]]
    return TreeSum(trees, single_precision=True, sums_in_single=False, constant=constant)


def _oblivious(stored: dict[str, Any], split: Any, scale: float, n_outputs: int) -> Tree:
    """All nodes of a level ask the same; a leaf's place has a bit per split, the first split being the lowest bit."""
    leaves = scale * np.array(stored["leaf_values"], dtype=float).reshape(-1, n_outputs)
    splits = [split(each) for each in stored.get("splits") or []]

    def node(place: tuple[int, int]) -> Any:
        level, leaf = place
        if level < 0:
            return leaves[leaf]
        return *splits[level], (level - 1, leaf), (level - 1, leaf | 1 << level)

    return flat_tree((len(splits) - 1, 0), node, None, n_outputs)


def _nested(stored: dict[str, Any], split: Any, scale: float, n_outputs: int) -> Tree:
    def node(nested: dict[str, Any]) -> Any:
        if "split" not in nested:
            return scale * np.asarray(nested["value"], dtype=float)
        return *split(nested["split"]), nested["left"], nested["right"]

    return flat_tree(stored, node, None, n_outputs)
