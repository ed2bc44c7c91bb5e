"""Declarations of what the papers' figures need beyond their methods: an arms race, a ranking put to use, metrics."""

from benchkit import Algorithm, Metric

DSX10 = "Dekel, Shamir & Xiao 2010, Learning to classify with missing and corrupted features"
GR06 = "Globerson & Roweis 2006, Nightmare at test time: robust learning by feature deletion"
_METRICS = "benchkit_feature_noise.bounds.outcome_metrics"

ALGORITHMS = [
    Algorithm(
        name="selecting-svm",
        make="benchkit_feature_noise.estimators.selecting_svm:FeatureSelectingSVM",
        warm_up="benchkit_feature_noise.estimators.warm_up:compile_kernels",
        summary="Linear support vector machine on the features that a ranking puts first",
        grid={"C": [0.001, 0.01, 0.1, 1.0, 10.0]},
        accepts_sparse=True,
        reference=f"{GR06}, section 3; Yang & Pedersen 1997 (InfoGain)",
        formula="rank by the share of rows from which the adversary of fdrop deletes j, or by I([x_j > 0]; y)",
    ),
]


METRICS = [
    Metric(
        name="chosen-k",
        compute=f"{_METRICS}:chosen_k",
        summary="How much deletion the fitted model was made for: K of fdrop, N of lp",
    ),
    Metric(
        name="first-feature-deleted",
        compute=f"{_METRICS}:first_feature_deleted",
        summary="Share of training rows with x_1 > 0, y = +1 whose worst deletion takes x_1",
        greater_is_better=True,
        reference=f"{GR06}, 4.1",
    ),
    Metric(
        name="corruption-excess",
        compute=f"{_METRICS}:corruption_excess",
        summary="Error under the adversary minus the error under greedy deletion with the same budget",
        reference=f"{DSX10}, 2.5",
    ),
    Metric(
        name="greedy-understatement",
        compute=f"{_METRICS}:greedy_understatement",
        summary="Exact worst case minus what the greedy adversary reaches",
    ),
    Metric(
        name="bracket-width",
        compute=f"{_METRICS}:bracket_width",
        summary="What deletion in parts reaches minus what the greedy adversary reaches",
    ),
    Metric(
        name="theorem2-slack",
        compute="benchkit_feature_noise.bounds.bound_metrics:theorem2_slack",
        summary="Theorem 2's bound minus the exact worst-case error: what the bound gives away",
        reference=f"{DSX10}, Theorem 2",
    ),
]
