"""Trees of XGBoost, from its JSON."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from benchkit import NotApplicableError
from benchkit_worst_case.models.trees import Tree, TreeSum


def read_xgboost(model: Any) -> TreeSum:
    """An ``XGBClassifier`` or ``XGBRegressor``; the constant is what it says beyond its trees."""
    booster = model.get_booster()
    if getattr(model, "early_stopping_rounds", None):
        booster = booster[: model.best_iteration + 1]
    learner = json.loads(bytes(booster.save_raw("json")))["learner"]
    if learner["gradient_booster"]["name"] != "gbtree":
        raise NotApplicableError(f"XGBoost's booster is {learner['gradient_booster']['name']}; gbtree is needed")
    stored = learner["gradient_booster"]["model"]
    n_outputs = max(1, int(learner["learner_model_param"]["num_class"]))
    trees = [_tree(each, output, n_outputs) for each, output in zip(stored["trees"], stored["tree_info"], strict=True)]
    return TreeSum(trees, single_precision=True, sums_in_single=True, absent_is_missing=True)


def _tree(stored: dict[str, Any], output: int, n_outputs: int) -> Tree:
    if any(stored["split_type"]):
        raise NotApplicableError("XGBoost splits on categories; thresholds are needed")
    if int(stored["tree_param"]["size_leaf_vector"]) > 1:
        raise NotApplicableError("XGBoost's leaves hold vectors (multi_strategy); one number is needed")
    left = np.array(stored["left_children"])
    leaf = left < 0
    condition = np.array(stored["split_conditions"], dtype=np.float32)
    value = np.zeros((len(left), n_outputs))
    value[leaf, output] = condition[leaf]
    return Tree(
        column=np.where(leaf, -1, np.array(stored["split_indices"])),
        # x < t in single precision is x <= the number before t.
        threshold=np.nextafter(condition, np.float32(-np.inf)),
        left=left,
        right=np.array(stored["right_children"]),
        missing_left=np.array(stored["default_left"]).astype(bool),
        value=value,
    )
