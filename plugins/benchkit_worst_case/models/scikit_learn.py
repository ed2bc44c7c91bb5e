"""Trees, forests and both boostings of scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchkit import NotApplicableError
from benchkit_worst_case.models.trees import Tree, TreeSum


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
