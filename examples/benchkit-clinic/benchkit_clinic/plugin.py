"""The plugin: what is declared, and nothing that is heavy to import."""

from benchkit import FeatureValues, PreprocessingStep, SplitMethod, hookimpl

benchkit_api = 1


@hookimpl
def benchkit_splits() -> list[SplitMethod]:
    """One."""
    return [
        SplitMethod(
            name="later-rows",
            make="benchkit_clinic.later_rows:later_rows",
            summary="train on the earlier rows, test on the later ones",
        )
    ]


@hookimpl
def benchkit_preprocessing_steps() -> list[PreprocessingStep]:
    """One."""
    return [
        PreprocessingStep(
            name="winsorize",
            make="benchkit_clinic.winsorize:Winsorizer",
            summary="values beyond a quantile of the training part become that quantile",
        )
    ]


@hookimpl
def benchkit_feature_values() -> list[FeatureValues]:
    """One."""
    return [
        FeatureValues(
            name="spread", compute="benchkit_clinic.spread:spread", summary="what varies more costs more to lose"
        )
    ]
