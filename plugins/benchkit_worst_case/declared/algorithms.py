"""Declarations of classifiers that are trained for columns to go missing."""

from benchkit import Algorithm

ALGORITHMS = [
    Algorithm(
        name="column-dropout",
        make="benchkit_worst_case.estimators.column_dropout:ColumnDropout",
        summary="Boosted trees, or any classifier, trained on copies of the rows that lack features at random",
        grid={"rate": [0.0, 0.1, 0.3, 0.6]},
        groups_param="groups",
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
        accepts_missing=True,
        reference="Kantchelian, Tygar & Joseph 2016, Evasion and hardening of tree ensemble classifiers, section 5",
        formula="x_i without argmin_S of the margin, S within the budget, added in each round",
    ),
]
