"""Declarations of the adversaries that corrupt."""

from benchkit import Adversary

DSX10 = "Dekel, Shamir & Xiao 2010, Learning to classify with missing and corrupted features"

ADVERSARIES = [
    Adversary(
        name="greedy-corrupt",
        situation="If noise replaces the features that count most",
        budget_title="features corrupted",
        make="benchkit_feature_noise.adversaries:GreedyCorrupt",
        summary="Chooses features as greedy-delete does and replaces them by noise, Gaussian or bounded",
        requires="linear",
        reference=f"{DSX10}, section 4 and 2.5",
        formula="x_j ~ N(mean_j, var_j) or U(-1, 1) for the j that greedy-delete would delete",
    ),
    Adversary(
        name="query-corrupt",
        situation="If noise replaces the features that count most",
        budget_title="features replaced",
        make="benchkit_feature_noise.adversaries:QueryCorrupt",
        summary="Chooses features as query-delete does and replaces them by Gaussian noise",
        requires="decision_function",
        reference=f"{DSX10}, section 4, with query-delete's choice",
        formula="x_j ~ N(mean_j, var_j) for the j that query-delete would delete",
    ),
]
