"""The datasets plugin."""

from benchkit import Dataset, hookimpl
from benchkit_datasets.declared import feature_noise, for_users, generated, incomplete_data, robust_regression

benchkit_api = 1


@hookimpl
def benchkit_datasets() -> list[Dataset]:
    """Declare the datasets."""
    return [
        *feature_noise.DATASETS,
        *incomplete_data.DATASETS,
        *robust_regression.DATASETS,
        *generated.DATASETS,
        *for_users.DATASETS,
    ]
