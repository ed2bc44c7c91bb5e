"""Declarations of the robust programs with step functions in place of weights."""

from benchkit import Algorithm

ALGORITHMS = [
    Algorithm(
        name="additive-fdrop",
        make="benchkit_feature_noise.estimators.additive:RobustAdditiveClassifier",
        hardened={},
        defaults={"method": "fdrop"},
        summary="fdrop-v on bins of each column: a sum of step functions that survives the deletion of K features",
        grid={"C": [0.001, 0.01, 0.1, 1.0, 10.0], "n_bins": [8, 16]},
        budget_param="budget",
        values_param="feature_values",
        groups_param="groups",
        accepts_missing=True,
        warm_up="benchkit_feature_noise.estimators.warm_up:compile_kernels",
        reference="Globerson & Roweis 2006, Eq. 6, with the indicators of a column's bins as one feature",
        formula="min 1/2 |h|^2 + C sum_i [1 - y_i (b + sum_j h_j(x_ij)) + max_(features of value <= K) sum y_i h_j]_+",
    ),
    Algorithm(
        name="additive-lp",
        make="benchkit_feature_noise.estimators.additive:RobustAdditiveClassifier",
        defaults={"method": "lp"},
        summary="lp on bins of each column: a sum of step functions in a box that survives the deletion of value N",
        grid="benchkit_feature_noise.estimators.additive:step_grid",
        budget_param="budget",
        at_all_features="constant",
        values_param="feature_values",
        groups_param="groups",
        accepts_missing=True,
        warm_up="benchkit_feature_noise.estimators.warm_up:compile_kernels",
        reference="Dekel, Shamir & Xiao 2010, Eq. 4, with the indicators of a column's bins as one feature",
        formula="min (1/m) sum_i xi_i, xi_i = [max_J V(J)/P - y_i (b + sum_J h_j(x_ij))]_+, |h_j| <= C",
    ),
]
