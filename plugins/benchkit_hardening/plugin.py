"""The hardening plugin: classifiers and regressions that are trained for columns to go missing."""

from functools import partial
from typing import Any

from benchkit import Algorithm, Metric, hookimpl

benchkit_api = 1

# Each has another method within, and takes gaps.
_within = partial(Algorithm, groups_param="groups", algorithm_param="estimator", accepts_missing=True)
_DROPOUT: dict[str, Any] = {
    "hardened": "benchkit_hardening.copies:dropout_for",
    "grid": {"rate": [0.0, 0.1, 0.3, 0.6]},
    "reference": "Globerson & Roweis 2006, Nightmare at test time, section 1, for training on corrupted copies; "
    "Maaten et al. 2013, Learning with marginalized corrupted features",
    "formula": "copies of x_i without |S| ~ U{0, ..., rate n} features at random",
}

ALGORITHMS = [
    _within(
        name="column-dropout",
        make="benchkit_hardening.copies:ColumnDropout",
        summary="Boosted trees, or any classifier, trained on copies of the rows that lack features at random",
        **_DROPOUT,
    ),
    _within(
        name="column-dropout-regressor",
        make="benchkit_hardening.copies:ColumnDropoutRegressor",
        summary="Boosted trees, or any regression, trained on copies of the rows that lack features at random",
        tasks=("regression",),
        **_DROPOUT,
    ),
    _within(
        name="adversarial-columns",
        make="benchkit_hardening.copies:AdversarialColumns",
        hardened="benchkit_hardening.copies:adversarial_for",
        warm_up="benchkit_deletion.worst_deletion:compile_search",
        summary="Boosted trees, or another sum, refitted in rounds on the deletions that hurt it most",
        grid={"n_deleted": [0.0, 1.0, 2.0, 4.0]},
        values_param="feature_values",
        reference="Kantchelian, Tygar & Joseph 2016, Evasion and hardening of tree ensemble classifiers, section 5",
        formula="x_i without argmin_S of the margin, S within the budget, added in each round",
    ),
    _within(
        name="choice",
        make="benchkit_hardening.choice:Choice",
        summary="Whichever of several methods tuning chooses: name them in a grid of 'estimator'",
        values_param="feature_values",
        reference="Rice 1976, The algorithm selection problem",
    ),
    _within(
        name="feature-partition",
        make="benchkit_hardening.certified:FeaturePartition",
        summary="A vote of boosted trees, or any classifiers, that share no column: its lead proves what may be lost",
        grid={"n_parts": [1, 3, 5, 9, 15]},
        reference="Calzavara et al. 2021, Feature partitioning for robust tree ensembles and their certification; "
        "Hammoudeh & Lowd 2024, Provable robustness against a union of l0 adversarial attacks",
        formula="argmax_c sum_p [f_p(x_p) = c], p the parts of the features",
    ),
    _within(
        name="gap-model",
        make="benchkit_hardening.certified:GapModel",
        summary="A model for each lost feature or source, of boosted trees or any classifiers, chosen by a row's gaps",
        reference="Saar-Tsechansky & Provost 2007, Handling missing values when applying classification models",
        formula="f_L(x without L), L the features that are gaps in x",
    ),
]

METRICS = [
    Metric(
        name="model-certified-accuracy",
        range=(0, 1),
        greater_is_better=True,
        compute="benchkit_hardening.certified:model_certified_accuracy",
        summary="Share of rows that are right, and proved by the model itself to stay so whatever of the budget goes",
        reference="Hammoudeh & Lowd 2024, Provable robustness against a union of l0 adversarial attacks",
        formula="mean_i [f(x_i) = y_i and no loss within the budget changes f(x_i)]",
    )
]

benchkit_algorithms = hookimpl(lambda: ALGORITHMS)
benchkit_metrics = hookimpl(lambda: METRICS)
