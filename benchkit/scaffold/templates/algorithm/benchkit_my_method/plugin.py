"""What this plugin declares. It imports nothing heavy: the code is named, and imported when it is used."""

from benchkit import Algorithm, hookimpl

benchkit_api = 1


@hookimpl
def benchkit_algorithms() -> list[Algorithm]:
    """Declare the algorithms."""
    return [
        Algorithm(
            name="my-method",
            make="benchkit_my_method.my_method:MyMethod",
            summary="Difference of the class means, small weights set to zero",
            grid={"shrinkage": [0.0, 0.1, 0.3, 1.0]},
            reference="Tibshirani, Hastie, Narasimhan & Chu 2002, shrunken centroids",
            formula="w = soft(mean of the class +1 - mean of the class -1, shrinkage)",
        )
    ]
