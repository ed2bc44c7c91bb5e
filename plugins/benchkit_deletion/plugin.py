"""The deletion plugin: adversaries that delete features, and what is proved of the worst of them."""

from functools import partial
from typing import Any

from benchkit import Adversary, Metric, hookimpl

benchkit_api = 1

DSX10 = "Dekel, Shamir & Xiao 2010, Learning to classify with missing and corrupted features"
GR06 = "Globerson & Roweis 2006, Nightmare at test time: robust learning by feature deletion"
_ROOM = "benchkit_deletion.adversaries"

_WEAKER = ("greedy-delete", "query-delete", "random-delete", "named-delete")
_random = partial(Adversary, budget_title="features deleted", budget_unit="features")
_worst = partial(Adversary, budget_title="features deleted")

ADVERSARIES = [
    _random(
        name="random-delete",
        situation="If features go at random",
        make=f"{_ROOM}.given:RandomDelete",
        summary="Deletes so many features of each row at random, of all or of the raw non-zero ones",
        reference=f"{GR06}, section 4; Dekel & Shamir 2008, Fig. 1",
    ),
    _random(
        name="named-delete",
        situation="If the named features go",
        make=f"{_ROOM}.given:NamedDelete",
        example={"features": [0, 1, 2, 3, 4, 5]},
        features_param="features",
        summary="Deletes the first so many of the named features, each row with a probability",
        reference=f"{DSX10}, 4.1; {GR06}, 4.1",
    ),
    _worst(
        name="greedy-delete",
        situation="In the worst case that a search finds",
        make=f"{_ROOM}.linear:GreedyDelete",
        summary="Deletes the features that help most per value, row by row, while the budget lasts",
        requires="linear",
        # Where every value is 1, greedy is the exact worst case.
        stronger_than=("random-delete", "named-delete"),
        reference=f"{DSX10}, section 4",
        formula="by y w_j x_j / v_j descending: delete j if y w_j x_j > 0 and the budget still holds after it",
    ),
    _worst(
        name="exact-delete",
        situation="In the worst case",
        make=f"{_ROOM}.linear:ExactDelete",
        summary="Deletes the features of the largest total contribution that the budget allows: the true worst case",
        requires="linear",
        stronger_than=_WEAKER,
        reference=f"{DSX10}, Eq. 1",
        formula="max sum_j delta_j y w_j x_j over delta in {0, 1}, sum_j delta_j v_j <= N: a 0/1 knapsack per row",
    ),
    _worst(
        name="failing-features",
        situation="If features fail one after another, for all rows alike",
        budget_title="features failed",
        make=f"{_ROOM}.linear:FailingFeatures",
        summary="Features die one after another, for all rows alike: next what causes most errors, or in random order",
        requires="linear",
        budget_unit="features",
        reference=f"{DSX10}, section 5",
        formula="argmax_j #{i : y_i (b + w.x_i) - y_i w_j x_ij <= 0} over what is alive, again and again",
    ),
    _worst(
        name="query-delete",
        situation="In the worst case that a search finds",
        make=f"{_ROOM}.asking:QueryDelete",
        summary="Searches for the deletion that lowers the true class's score most, by querying any model",
        requires="decision_function",
        formula="min over delta of score(x without delta), by a beam search that follows the greedy deletion too",
    ),
    _worst(
        name="query-delete-regression",
        situation="In the worst case that a search finds",
        make=f"{_ROOM}.asking:QueryDeleteRegression",
        summary="Searches for the deletion that makes each row's absolute error largest, by querying any regression",
        tasks=("regression",),
        formula="max over S with sum_{j in S} v_j <= N of |f(x without S) - y|, by a beam search",
    ),
    _worst(
        name="enumerate-delete",
        situation="In the worst case",
        make=f"{_ROOM}.asking:EnumerateDelete",
        summary="Asks any model about every deletion that the budget allows: exact, for rows of at most 12 features",
        requires="decision_function",
        stronger_than=("exact-delete", "exact-tree-delete", *_WEAKER),
        formula="min over all delta in {0, 1} with sum_j delta_j v_j <= N of score(x without delta)",
    ),
    _worst(
        name="failing-columns-query",
        situation="If the worst columns fail for all rows alike",
        budget_title="columns failed",
        make=f"{_ROOM}.asking:FailingColumnsQuery",
        summary="Deletes the same columns of all rows, which any model misses most: exact where there are few sets",
        budget_unit="features",
        formula="max over |S| <= N of the mean loss of f(x without S), S the same for all rows",
    ),
    _worst(
        name="exact-tree-delete",
        situation="In the worst case",
        make=f"{_ROOM}.exact_tree_delete:ExactTreeDelete",
        summary="Deletes the worst features of each row: exact for trees, forests, boosting, additive models",
        stronger_than=("exact-delete", "query-delete-regression", "failing-columns-query", *_WEAKER),
        reference="Chen et al. 2019, Robustness verification of tree-based models, for the leaves that are reached; "
        "Geoffrion 1974, Lagrangean relaxation for integer programming, for the bound",
        formula="min over S with sum_{j in S} v_j <= N of sum_t f_t(x without S), f_t a tree's leaf",
    ),
]


def _metric(name: str, summary: str, **more: Any) -> Metric:
    """The function of ``metrics.py`` that has the metric's name."""
    return Metric(name=name, compute=f"benchkit_deletion.metrics:{name.replace('-', '_')}", summary=summary, **more)


_BOTH = ("classification", "regression")
_timed = partial(_metric, measures_time=True, tasks=_BOTH)

METRICS = [
    _metric(
        "worst-case-bound",
        "Most that the error can be (regression: the mean absolute error), as exact-tree-delete proves it",
        tasks=_BOTH,
        formula="mean_i [bound_i <= 0]; regression: mean_i of the bound of max_S |f(x_i without S) - y_i|",
    ),
    _metric(
        "certified-accuracy",
        "Share of rows proved to stay right whatever features of the budget go",
        range=(0, 1),
        greater_is_better=True,
        formula="mean_i [bound_i > 0]",
    ),
    _metric(
        "open-rows",
        "Share of rows whose worst deletion exact-tree-delete could not prove within its limit",
        range=(0, 1),
        tasks=_BOTH,
    ),
    _timed(
        "rows-within-a-second",
        "Share of rows whose worst deletion exact-tree-delete found and proved within a processor second",
        range=(0, 1),
        greater_is_better=True,
    ),
    _timed("median-row-seconds", "Median processor seconds of exact-tree-delete for one row"),
    _timed("slowest-row-seconds", "Most processor seconds of exact-tree-delete for one row"),
]

benchkit_adversaries = hookimpl(lambda: ADVERSARIES)
benchkit_metrics = hookimpl(lambda: METRICS)
