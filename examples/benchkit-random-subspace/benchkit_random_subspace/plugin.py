"""What this plugin declares. It imports nothing heavy: the code is named, and imported when it is used."""

from benchkit import Algorithm, hookimpl

benchkit_api = 1


@hookimpl
def benchkit_algorithms() -> list[Algorithm]:
    """Declare the ensemble."""
    return [
        Algorithm(
            name="random-subspace",
            make="benchkit_random_subspace.ensemble:RandomSubspaceClassifier",
            summary="Logistic regressions on random subsets of the features, averaged",
            grid={"share": [0.1, 0.3, 0.5], "C": [0.01, 0.1, 1.0]},
            accepts_sparse=True,
            reference="Ho 1998, The random subspace method for constructing decision forests",
            formula="w = (1/M) sum_m w_m, w_m fitted on a random share of the features and zero elsewhere",
        )
    ]
