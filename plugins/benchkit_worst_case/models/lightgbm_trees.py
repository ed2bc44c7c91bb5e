"""Trees of LightGBM, from its dump."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchkit import NotApplicableError
from benchkit_worst_case.models.nested import flat_tree
from benchkit_worst_case.models.trees import Tree, TreeSum


def read_lightgbm(model: Any) -> TreeSum:
    """An ``LGBMClassifier`` or ``LGBMRegressor``."""
    dump = model.booster_.dump_model()
    n_outputs = dump["num_tree_per_iteration"]
    n_trees = len(dump["tree_info"])
    factor = n_outputs / n_trees if dump["average_output"] and n_trees else 1.0
    trees = [_tree(each, place % n_outputs, n_outputs, factor) for place, each in enumerate(dump["tree_info"])]
    return TreeSum(trees, single_precision=False, sums_in_single=False, constant=np.zeros(n_outputs))


def _tree(stored: dict[str, Any], output: int, n_outputs: int, factor: float) -> Tree:
    def node(nested: dict[str, Any]) -> Any:
        if "leaf_coeff" in nested:
            raise NotApplicableError("LightGBM's leaves are linear (linear_tree); numbers are needed")
        if "split_feature" not in nested:
            return factor * nested["leaf_value"]
        if nested["decision_type"] != "<=":
            raise NotApplicableError("LightGBM splits on categories; thresholds are needed")
        if nested["missing_type"] == "Zero":
            raise NotApplicableError("LightGBM takes zeros for missing (zero_as_missing), which is not read")
        # A feature without gaps in training: NaN is taken for 0.
        missing_left = nested["default_left"] if nested["missing_type"] == "NaN" else nested["threshold"] >= 0
        return nested["split_feature"], nested["threshold"], missing_left, nested["left_child"], nested["right_child"]

    return flat_tree(stored["tree_structure"], node, output, n_outputs)
