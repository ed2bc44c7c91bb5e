"""Declarations of the adversaries that solve the knapsack, corrupt, or query."""

from benchkit import Adversary

DSX10 = "Dekel, Shamir & Xiao 2010, Learning to classify with missing and corrupted features"

ADVERSARIES = [
    Adversary(
        name="exact-delete",
        situation="In the worst case",
        loss="worst",
        budget_title="features deleted",
        make="benchkit_feature_noise.adversaries.exact_delete:ExactDelete",
        summary="Deletes the features of the largest total contribution that the budget allows: the true worst case",
        requires="linear",
        stronger_than=("greedy-delete", "query-delete", "random-delete", "named-delete"),
        reference=f"{DSX10}, Eq. 1",
        formula="max sum_j delta_j y w_j x_j over delta in {0, 1}, sum_j delta_j v_j <= N: a 0/1 knapsack per row",
    ),
    Adversary(
        name="greedy-corrupt",
        situation="If noise replaces the features that count most",
        budget_title="features corrupted",
        make="benchkit_feature_noise.adversaries.greedy_corrupt:GreedyCorrupt",
        summary="Chooses features as greedy-delete does and replaces them by noise, Gaussian or bounded",
        requires="linear",
        reference=f"{DSX10}, section 4 and 2.5",
        formula="x_j ~ N(mean_j, var_j) or U(-1, 1) for the j that greedy-delete would delete",
    ),
    Adversary(
        name="query-delete",
        situation="In the worst case that a search finds",
        loss="worst",
        budget_title="features deleted",
        make="benchkit_feature_noise.adversaries.query_delete:QueryDelete",
        summary="Searches for the deletion that lowers the true class's score most, by querying any model",
        requires="decision_function",
        formula="min over delta of score(x without delta), by a beam search that follows the greedy deletion too",
    ),
    Adversary(
        name="query-corrupt",
        situation="If noise replaces the features that count most",
        budget_title="features replaced",
        make="benchkit_feature_noise.adversaries.query_corrupt:QueryCorrupt",
        summary="Chooses features as query-delete does and replaces them by Gaussian noise",
        requires="decision_function",
        reference=f"{DSX10}, section 4, with query-delete's choice",
        formula="x_j ~ N(mean_j, var_j) for the j that query-delete would delete",
    ),
    Adversary(
        name="enumerate-delete",
        situation="In the worst case",
        loss="worst",
        budget_title="features deleted",
        make="benchkit_feature_noise.adversaries.enumerate_delete:EnumerateDelete",
        summary="Asks any model about every deletion that the budget allows: exact, for rows of at most 12 features",
        requires="decision_function",
        stronger_than=(
            "exact-delete",
            "exact-tree-delete",
            "greedy-delete",
            "query-delete",
            "random-delete",
            "named-delete",
        ),
        formula="min over all delta in {0, 1} with sum_j delta_j v_j <= N of score(x without delta)",
    ),
]
