"""Declarations of the adversaries of responses, and of the metrics of what is recovered despite them."""

import math

from benchkit import Adversary, Metric

ROOFS = "Zhang, Lei, Zhao, Boedihardjo & Lu, Robust regression via online feature selection under data corruption"

ADVERSARIES = [
    Adversary(
        name="corrupt-responses",
        situation="If training responses are corrupted",
        tasks=("regression",),
        budget_title="fraction of responses corrupted",
        make="benchkit_robust_regression.adversaries.corrupt_responses:CorruptResponses",
        summary="Adds uniform corruption to a fraction of the responses, and dense noise to all",
        phase="train",
        budget_unit="fraction",
        example={"noise": 0.0},  # noise on clean rows is not what the budget counts
        reference=f"{ROOFS}, VI-A",
        formula="y = y* + u + e, u ~ U(-5 max|y*|, 5 max|y*|) on corrupted rows, e ~ N(0, 0.1), there N(0, 0.01)",
    ),
    Adversary(
        name="random-scores",
        situation="If training responses are random",
        tasks=("regression",),
        budget_title="fraction of responses corrupted",
        make="benchkit_robust_regression.adversaries.random_scores:RandomScores",
        summary="Replaces a fraction of the responses by random whole numbers from 1 to 10",
        phase="train",
        budget_unit="fraction",
        reference=f"{ROOFS}, VI-F",
    ),
    Adversary(
        name="corrupt-adaptive",
        situation="If training responses are corrupted with intent",
        tasks=("regression",),
        budget_title="fraction of responses corrupted",
        make="benchkit_robust_regression.adversaries.corrupt_adaptive:CorruptAdaptive",
        summary="Knows the clean responses and moves those of a fraction of the rows to one wrong model",
        phase="train",
        budget_unit="fraction",
        example={"noise": 0.0},  # noise on clean rows is not what the budget counts
        formula="y_i = x_i.w' + e_i on the rows with the largest |x_i.(w' - w*)|, w' = -w* or w* + d",
    ),
]

METRICS = [
    Metric(
        name="coefficient-error",
        range=(0, math.inf),
        compute="benchkit_robust_regression.metrics.recovery:coefficient_error",
        summary="Distance of the weights from the true ones",
        tasks=("regression",),
        reference=f"{ROOFS}, Figs. 1 and 2",
        formula="|w - w*|_2",
    ),
    Metric(
        name="coefficient-error-bound",
        range=(0, math.inf),
        compute="benchkit_robust_regression.metrics.error_bound:coefficient_error_bound",
        summary="What Theorem 3 allows that distance to be, at the sets that the fit ended with",
        tasks=("regression",),
        reference=f"{ROOFS}, Theorem 3",
        formula="(|y_T - X_T w*| + |y_T - X_T w|) / sqrt(least eigenvalue), T = rows taken as clean that are",
    ),
    Metric(
        name="clean-rows-f1",
        range=(0, 1),
        compute="benchkit_robust_regression.metrics.recovery:clean_rows_f1",
        summary="F1 of the set of rows taken as clean",
        greater_is_better=True,
        tasks=("regression",),
        reference=f"{ROOFS}, Table II",
        formula="2 |selected and clean| / (|selected| + |clean|)",
    ),
    Metric(
        name="all-clean-f1",
        range=(0, 1),
        compute="benchkit_robust_regression.metrics.recovery:all_clean_f1",
        summary="The clean-rows-f1 of taking all rows as clean",
        greater_is_better=True,
        tasks=("regression",),
        formula="2 (1 - c) / (2 - c)",
    ),
    Metric(
        name="features-f1",
        range=(0, 1),
        compute="benchkit_robust_regression.metrics.recovery:features_f1",
        summary="F1 of the set of selected features",
        greater_is_better=True,
        tasks=("regression",),
        reference=f"{ROOFS}, Table III",
        formula="2 |selected and true| / (|selected| + |true|)",
    ),
    Metric(
        name="chance-features-f1",
        range=(0, 1),
        compute="benchkit_robust_regression.metrics.recovery:chance_features_f1",
        summary="The features-f1 to be expected of as many features drawn at random",
        greater_is_better=True,
        tasks=("regression",),
        formula="2 s k / (p (s + k)) for s selected, k true of p; k/p where s = k",
    ),
    Metric(
        name="clean-share",
        range=(0, 1),
        compute="benchkit_robust_regression.metrics.recovery:clean_share",
        summary="Share of the training rows that is taken as clean",
        greater_is_better=True,
        tasks=("regression",),
    ),
    Metric(
        name="fit-iterations",
        range=(0, math.inf),
        compute="benchkit_robust_regression.metrics.recovery:fit_iterations",
        summary="Iterations of the fit, where the method counts them",
        tasks=("regression",),
    ),
]
