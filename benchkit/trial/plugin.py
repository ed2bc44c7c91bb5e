"""The first-party tuners, declared through the hook that other people's are."""

from benchkit.plugin.declarations import Tuner
from benchkit.plugin.spec import hookimpl

benchkit_api = 1


@hookimpl
def benchkit_tuners() -> list[Tuner]:
    """Declare the tuners."""
    return [
        Tuner(
            name="grid",
            make="benchkit.trial.searches:GridSearch",
            summary="Every combination of listed values",
        ),
        Tuner(
            name="random",
            make="benchkit.trial.searches:RandomSearch",
            summary="Random draws from lists of values and from distributions",
            reference="Bergstra & Bengio, JMLR 13, 2012",
        ),
        Tuner(
            name="halving",
            make="benchkit.trial.searches:SuccessiveHalving",
            summary="Successive halving: many candidates on few rows, the better of them on more",
            reference="Jamieson & Talwalkar, AISTATS 2016, algorithm 1",
        ),
    ]
