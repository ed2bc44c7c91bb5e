"""Declarations of classifiers that are trained for columns to go missing."""

from benchkit import Algorithm

ALGORITHMS = [
    Algorithm(
        name="column-dropout",
        make="benchkit_worst_case.estimators.column_dropout:ColumnDropout",
        summary="Boosted trees, or any classifier, trained on copies of the rows that lack features at random",
        grid={"rate": [0.0, 0.1, 0.3, 0.6]},
        groups_param="groups",
        algorithm_param="estimator",
        accepts_missing=True,
        reference="Globerson & Roweis 2006, Nightmare at test time, section 1, for training on corrupted copies; "
        "Maaten et al. 2013, Learning with marginalized corrupted features",
        formula="copies of x_i without |S| ~ U{0, ..., rate n} features at random",
    ),
    Algorithm(
        name="column-dropout-regressor",
        make="benchkit_worst_case.estimators.column_dropout:ColumnDropoutRegressor",
        summary="Boosted trees, or any regression, trained on copies of the rows that lack features at random",
        tasks=("regression",),
        grid={"rate": [0.0, 0.1, 0.3, 0.6]},
        groups_param="groups",
        algorithm_param="estimator",
        accepts_missing=True,
        reference="Globerson & Roweis 2006, Nightmare at test time, section 1, for training on corrupted copies; "
        "Maaten et al. 2013, Learning with marginalized corrupted features",
        formula="copies of x_i without |S| ~ U{0, ..., rate n} features at random",
    ),
    Algorithm(
        name="adversarial-columns",
        make="benchkit_worst_case.estimators.adversarial_columns:AdversarialColumns",
        warm_up="benchkit_worst_case.search.warm_up:compile_search",
        summary="Boosted trees, or another sum, refitted in rounds on the deletions that hurt it most",
        grid={"n_deleted": [0.0, 1.0, 2.0, 4.0]},
        values_param="feature_values",
        groups_param="groups",
        algorithm_param="estimator",
        accepts_missing=True,
        reference="Kantchelian, Tygar & Joseph 2016, Evasion and hardening of tree ensemble classifiers, section 5",
        formula="x_i without argmin_S of the margin, S within the budget, added in each round",
    ),
    Algorithm(
        name="choice",
        make="benchkit_worst_case.estimators.choice:Choice",
        summary="Whichever of several methods tuning chooses: name them in a grid of 'estimator'",
        values_param="feature_values",
        groups_param="groups",
        algorithm_param="estimator",
        accepts_missing=True,
        reference="Rice 1976, The algorithm selection problem",
    ),
    Algorithm(
        name="feature-partition",
        make="benchkit_worst_case.estimators.feature_partition:FeaturePartition",
        summary="A vote of boosted trees, or any classifiers, that share no column: its lead proves what may be lost",
        grid={"n_parts": [1, 3, 5, 9, 15]},
        groups_param="groups",
        algorithm_param="estimator",
        accepts_missing=True,
        reference="Calzavara et al. 2021, Feature partitioning for robust tree ensembles and their certification; "
        "Hammoudeh & Lowd 2024, Provable robustness against a union of l0 adversarial attacks",
        formula="argmax_c sum_p [f_p(x_p) = c], p the parts of the features",
    ),
    Algorithm(
        name="gap-model",
        make="benchkit_worst_case.estimators.gap_model:GapModel",
        summary="A model for each lost feature or source, of boosted trees or any classifiers, chosen by a row's gaps",
        groups_param="groups",
        algorithm_param="estimator",
        accepts_missing=True,
        reference="Saar-Tsechansky & Provost 2007, Handling missing values when applying classification models",
        formula="f_L(x without L), L the features that are gaps in x",
    ),
]
