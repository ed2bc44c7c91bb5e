"""The search: Optuna proposes, benchkit judges."""

import math
from collections.abc import Sequence
from typing import Any

from benchkit import Distribution, TuningContext

try:
    import optuna
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "optuna is not installed: pip install '.[optuna]' in benchkit's checkout", name="optuna"
    ) from error

# What Optuna can propose from, by SciPy's name; of the others it knows no likelihood.
_FLOATS = {"uniform": False, "loguniform": True, "reciprocal": True}


class OptunaSearch:
    """Bayesian search by Optuna's tree-structured Parzen estimator, one candidate at a time, all on all rows.

    Parameters
    ----------
    startup : int, default=10
        Random candidates before the first that is proposed from what was judged.
    """

    candidates = 20

    def __init__(self, startup: int = 10) -> None:
        if isinstance(startup, bool) or not isinstance(startup, int) or startup < 1:
            raise ValueError(f"startup is {startup!r}, expected a whole number of 1 or more")
        self.startup = startup

    def __call__(self, context: TuningContext) -> None:
        """Search."""
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        sampler = optuna.samplers.TPESampler(seed=context.random_state, n_startup_trials=self.startup)
        study = optuna.create_study(direction="minimize", sampler=sampler)
        for _ in range(context.candidates or self.candidates):
            trial = study.ask()
            candidate = {name: _propose(trial, name, values) for name, values in context.space.items()}
            (loss,) = context.judge([candidate])
            if math.isnan(loss):
                study.tell(trial, state=optuna.trial.TrialState.FAIL)
            else:
                study.tell(trial, loss)


def _propose(trial: Any, name: str, values: Sequence[Any] | Distribution) -> Any:
    if not isinstance(values, Distribution):
        return values[trial.suggest_categorical(name, list(range(len(values))))]
    low, high = (float(end) for end in values.frozen().support())
    if values.name in _FLOATS:
        return trial.suggest_float(name, low, high, log=_FLOATS[values.name])
    if values.name == "randint":
        return trial.suggest_int(name, int(low), int(high))
    known = ", ".join([*_FLOATS, "randint"])
    raise ValueError(f"{name}: optuna does not draw from {values.name}; it knows {known}, and lists of values")
