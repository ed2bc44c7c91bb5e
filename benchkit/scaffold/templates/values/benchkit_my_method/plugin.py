"""What this plugin declares. It imports nothing heavy: the code is named, and imported when it is used."""

from benchkit import FeatureValues, hookimpl

benchkit_api = 1


@hookimpl
def benchkit_feature_values() -> list[FeatureValues]:
    """Declare the values."""
    return [
        FeatureValues(
            name="my-method",
            compute="benchkit_my_method.my_method:my_method",
            summary="Columns of many different values cost the adversary more",
        )
    ]
