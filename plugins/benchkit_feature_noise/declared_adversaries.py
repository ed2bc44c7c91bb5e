"""Declarations of the adversaries that solve the knapsack, corrupt, or query."""

from benchkit import Adversary

DSX10 = "Dekel, Shamir & Xiao 2010, Learning to classify with missing and corrupted features"

ADVERSARIES = [
    Adversary(
        name="exact-delete",
        make="benchkit_feature_noise.exact_delete:ExactDelete",
        summary="Deletes the features of the largest total contribution that the budget allows: the true worst case",
        requires="linear",
        stronger_than=("greedy-delete", "query-delete", "random-delete", "named-delete"),
        reference=f"{DSX10}, Eq. 1",
        formula="max sum_j delta_j y w_j x_j over delta in {0, 1}, sum_j delta_j v_j <= N: a 0/1 knapsack per row",
    ),
    Adversary(
        name="greedy-corrupt",
        make="benchkit_feature_noise.greedy_corrupt:GreedyCorrupt",
        summary="Chooses features as greedy-delete does and replaces them by noise, Gaussian or bounded",
        requires="linear",
        reference=f"{DSX10}, section 4 and 2.5",
        formula="x_j ~ N(mean_j, var_j) or U(-1, 1) for the j that greedy-delete would delete",
    ),
    Adversary(
        name="query-delete",
        make="benchkit_feature_noise.query_delete:QueryDelete",
        summary="Deletes greedily what lowers the true class's score most per value, by querying any model",
        requires="decision_function",
        formula="argmax_j (score(x) - score(x without j)) / v_j, again while that is positive and the budget holds",
    ),
]
