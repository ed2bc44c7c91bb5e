"""What this plugin declares."""

from benchkit import Tuner, hookimpl

benchkit_api = 1


@hookimpl
def benchkit_tuners() -> list[Tuner]:
    """Declare the tuner."""
    return [
        Tuner(
            name="optuna",
            make="benchkit_optuna.search:OptunaSearch",
            summary="Tree-structured Parzen estimator of Optuna; needs the extra optuna",
            reference="Akiba et al., KDD 2019; Bergstra et al., NeurIPS 2011",
        )
    ]
