"""Trees of scikit-learn, XGBoost, LightGBM and CatBoost, read from what the libraries store."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchkit import NotApplicableError
from benchkit_deletion.models.trees import Tree, TreeSum


def read_tree_or_forest(model: Any) -> TreeSum:
    """A ``DecisionTree``, ``ExtraTree``, ``RandomForest`` or ``ExtraTrees``; outputs are averages of the trees'."""
    if getattr(model, "n_outputs_", 1) != 1:
        raise NotApplicableError(f"{type(model).__name__} predicts {model.n_outputs_} outputs; one is needed")
    members = getattr(model, "estimators_", [model])
    n_classes = len(model.classes_) if hasattr(model, "classes_") else 0
    trees = [_cart(member.tree_, n_classes, 1.0 / len(members)) for member in members]
    return TreeSum(trees, single_precision=True, sums_in_single=False, constant=np.zeros(trees[0].value.shape[1]))


def read_gradient_boosting(model: Any) -> TreeSum:
    """A ``GradientBoostingClassifier`` or ``Regressor``; the constant is what it says beyond its trees."""
    n_rounds, n_outputs = model.estimators_.shape
    trees = [
        _cart(model.estimators_[place, output].tree_, 0, model.learning_rate, output, n_outputs)
        for place in range(n_rounds)
        for output in range(n_outputs)
    ]
    return TreeSum(trees, single_precision=True, sums_in_single=False)


def read_histogram_boosting(model: Any) -> TreeSum:
    """A ``HistGradientBoostingClassifier`` or ``Regressor``, whose nodes hold thresholds of raw values."""
    if getattr(model, "is_categorical_", None) is not None:
        raise NotApplicableError(f"{type(model).__name__} splits on categories; thresholds are needed")
    rounds = model._predictors  # no public name; what is read is compared with what the model says
    n_outputs = len(rounds[0])
    trees = []
    for per_class in rounds:
        for output, predictor in enumerate(per_class):
            nodes = predictor.nodes
            value = np.zeros((len(nodes), n_outputs))
            value[:, output] = nodes["value"]
            leaf = nodes["is_leaf"].astype(bool)
            trees.append(
                Tree(
                    column=np.where(leaf, -1, nodes["feature_idx"].astype(np.int64)),
                    threshold=nodes["num_threshold"],
                    left=nodes["left"].astype(np.int64),
                    right=nodes["right"].astype(np.int64),
                    missing_left=nodes["missing_go_to_left"].astype(bool),
                    value=value,
                )
            )
    return TreeSum(trees, single_precision=False, sums_in_single=False)


def _cart(tree: Any, n_classes: int, factor: float, output: int = 0, n_outputs: int = 1) -> Tree:
    leaf = tree.children_left < 0
    per_node = tree.value[:, 0, :]
    if n_classes:
        shares = per_node / per_node.sum(axis=1, keepdims=True)
        value = shares[:, 1:] - shares[:, :1] if n_classes == 2 else shares
    else:
        value = np.zeros((len(per_node), n_outputs))
        value[:, output] = per_node[:, 0]
    return Tree(
        column=np.where(leaf, -1, tree.feature),
        threshold=tree.threshold,
        left=tree.children_left,
        right=tree.children_right,
        missing_left=tree.__getstate__()["nodes"]["missing_go_to_left"].astype(bool),
        value=factor * value,
    )


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
    trees = [
        _xgboost_tree(each, output, n_outputs)
        for each, output in zip(stored["trees"], stored["tree_info"], strict=True)
    ]
    return TreeSum(trees, single_precision=True, sums_in_single=True, absent_is_missing=True)


def _xgboost_tree(stored: dict[str, Any], output: int, n_outputs: int) -> Tree:
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


def read_lightgbm(model: Any) -> TreeSum:
    """An ``LGBMClassifier`` or ``LGBMRegressor``."""
    dump = model.booster_.dump_model()
    n_outputs = dump["num_tree_per_iteration"]
    if dump["average_output"]:
        raise NotApplicableError("LightGBM's random forests (boosting_type 'rf') are not read; boosted trees are")
    trees = [_lightgbm_tree(each, place % n_outputs, n_outputs) for place, each in enumerate(dump["tree_info"])]
    return TreeSum(trees, single_precision=False, sums_in_single=False, constant=np.zeros(n_outputs))


def _lightgbm_tree(stored: dict[str, Any], output: int, n_outputs: int) -> Tree:
    def node(nested: dict[str, Any]) -> Any:
        if "leaf_coeff" in nested:
            raise NotApplicableError("LightGBM's leaves are linear (linear_tree); numbers are needed")
        if "split_feature" not in nested:
            return nested["leaf_value"]
        if nested["decision_type"] != "<=":
            raise NotApplicableError("LightGBM splits on categories; thresholds are needed")
        if nested["missing_type"] == "Zero":
            raise NotApplicableError("LightGBM takes zeros for missing (zero_as_missing), which is not read")
        # A feature without gaps in training: NaN is taken for 0.
        missing_left = nested["default_left"] if nested["missing_type"] == "NaN" else nested["threshold"] >= 0
        return nested["split_feature"], nested["threshold"], missing_left, nested["left_child"], nested["right_child"]

    return flat_tree(stored["tree_structure"], node, output, n_outputs)


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


_LEFT, _RIGHT = (Tree._fields.index(side) for side in ("left", "right"))


def flat_tree(root: Any, read: Callable[[Any], Any], output: int | None, n_outputs: int) -> Tree:
    """A nested tree as arrays.

    ``read`` takes a node; it returns its value where it is a leaf, else a tuple of column, threshold, whether NaN goes
    left, left child, right child. The leaves' values add to one output; where that is None each has a value for all.
    """
    nodes: list[list[Any]] = []  # in the order of `Tree`'s fields
    waiting = [(root, -1, 0)]
    while waiting:
        node, parent, side = waiting.pop()
        place = len(nodes)
        if parent >= 0:
            nodes[parent][side] = place
        found = read(node)
        value = np.zeros(n_outputs)
        if isinstance(found, tuple):
            column, threshold, missing_left, left, right = found
            waiting += [(right, place, _RIGHT), (left, place, _LEFT)]
        else:
            column, threshold, missing_left = -1, 0.0, False
            value[slice(None) if output is None else output] = found
        nodes.append([column, threshold, -1, -1, missing_left, value])
    return Tree(*map(np.array, zip(*nodes, strict=True)))
