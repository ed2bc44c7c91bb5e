"""Declarations of adversaries."""

from benchkit import Adversary

ADVERSARIES = [
    Adversary(
        name="exact-tree-delete",
        situation="In the worst case",
        loss="worst",
        budget_title="features deleted",
        make="benchkit_worst_case.adversaries.exact_tree_delete:ExactTreeDelete",
        summary="Deletes the worst features of each row: exact for trees, forests, boosting, additive models",
        stronger_than=(
            "exact-delete",
            "greedy-delete",
            "query-delete",
            "query-delete-regression",
            "failing-columns-query",
            "random-delete",
            "named-delete",
        ),
        reference="Chen et al. 2019, Robustness verification of tree-based models, for the leaves that are reached; "
        "Geoffrion 1974, Lagrangean relaxation for integer programming, for the bound",
        formula="min over S with sum_{j in S} v_j <= N of sum_t f_t(x without S), f_t a tree's leaf",
    ),
    Adversary(
        name="failing-columns-query",
        situation="If the worst columns fail for all rows alike",
        loss="worst",
        budget_title="columns failed",
        make="benchkit_worst_case.adversaries.failing_columns_query:FailingColumnsQuery",
        summary="Deletes the same columns of all rows, which any model misses most: exact where there are few sets",
        budget_unit="features",
        formula="max over |S| <= N of the mean loss of f(x without S), S the same for all rows",
    ),
    Adversary(
        name="query-delete-regression",
        situation="In the worst case that a search finds",
        loss="worst",
        budget_title="features deleted",
        make="benchkit_worst_case.adversaries.query_delete_regression:QueryDeleteRegression",
        summary="Searches for the deletion that makes each row's absolute error largest, by querying any regression",
        tasks=("regression",),
        formula="max over S with sum_{j in S} v_j <= N of |f(x without S) - y|, by a beam search",
    ),
]
