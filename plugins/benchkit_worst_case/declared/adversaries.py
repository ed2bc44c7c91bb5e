"""Declarations of adversaries."""

from benchkit import Adversary

ADVERSARIES = [
    Adversary(
        name="exact-tree-delete",
        budget_title="features deleted",
        make="benchkit_worst_case.adversaries.exact_tree_delete:ExactTreeDelete",
        summary="Deletes the worst features of each row: exact for trees, forests, boosting, additive models",
        stronger_than=("exact-delete", "greedy-delete", "query-delete", "random-delete", "named-delete"),
        reference="Chen et al. 2019, Robustness verification of tree-based models, for the leaves that are reached; "
        "Geoffrion 1974, Lagrangean relaxation for integer programming, for the bound",
        formula="min over S with sum_{j in S} v_j <= N of sum_t f_t(x without S), f_t a tree's leaf",
    ),
]
