"""How long trials may take that nobody has run yet: each method is tried on a few hundred rows."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

from benchkit.data.kept import keep, kept
from benchkit.plugin.declarations import Algorithm, DataUnavailableError, NotApplicableError
from benchkit.plugin.manager import one_line
from benchkit.report.formatting import duration
from benchkit.session.forecast import Forecast
from benchkit.session.reuse import Reuse
from benchkit.suite.plan import Trial

_ROWS = (100, 300)
# Of a table of so many rows, a trial is tried as it is.
_SMALL = 1200
# A fit is told from so many seconds on, beside that of the next methods.
_LONG, _TOLD = 60.0, 3
# Time grows with the rows no faster than this power of them, or two noisy seconds would say anything.
_STEEPEST = 2.0


@dataclass
class _Tried:
    """What a trial took on few rows, in seconds; its fits and their tuning apart from all else."""

    fit: float
    rest: float
    n_train: int
    n_rows: int


def probe(reuse: Reuse, limit: float = 4.0) -> Forecast | None:
    """How long the trials left may take, from trials on one and three hundred rows.

    The seconds of fits grow as a power of the rows, which two sizes tell; all else grows in proportion. A fit that does
    not depend on the budget is counted once a repetition, as it is done once.

    Parameters
    ----------
    reuse : Reuse
    limit : float, default=4.0
        Processor seconds after which no further method is tried, or twice as many where others keep the machine busy:
        those left are expected to take what the others take on average.

    Returns
    -------
    Forecast or None
        None where nothing could be tried: a suite that wants the machine for itself, rows that no shares of a table
        divide, or methods that are not here. Trials that fail are told under ``failed``, with the reason.
    """
    trials = [trial for _, trial in reuse.left]
    # A trial of a suite that measures time may be a work of minutes, whatever its rows.
    if reuse.plan.suite.exclusive or any(trial.dataset.split.method != "random" for trial in trials):
        return None
    until, worked = time.perf_counter() + 2 * limit, time.process_time() + limit
    registry = reuse.plan.registry
    chosen = _of_middling_budget(reuse.left)
    found: dict[tuple[str, str], tuple[float, float] | Exception | None] = {}
    for pair, (name, trial) in chosen.items():
        elsewhere = registry.algorithms[trial.algorithm.name].environment is not None
        in_time = time.process_time() < worked and time.perf_counter() < until
        found[pair] = None if elsewhere else _remembered(name, trial, in_time)
    seconds = {pair: each if isinstance(each, tuple) else None for pair, each in found.items()}
    whys = (_told(chosen[pair][1], each) for pair, each in found.items() if isinstance(each, Exception))
    failed = tuple(dict.fromkeys(whys))
    tried = [each for each in seconds.values() if each is not None]
    if not tried:
        return Forecast(None, "no trial was run", failed=failed) if failed else None
    average = sum(fit for fit, _ in tried) / len(tried), sum(rest for _, rest in tried) / len(tried)
    total, fitted = 0.0, set()
    for trial in trials:
        fit, rest = seconds[trial.dataset.label, trial.algorithm.label] or average
        shared = (trial.dataset.label, str(trial.dataset.params), trial.algorithm.label, trial.repetition)
        total += rest
        if shared not in fitted or _depends_on_budget(trial, registry.algorithms[trial.algorithm.name]):
            total += fit
            fitted.add(shared)
    missed = sum(each is None for each in found.values())
    others = f" ({missed} of {len(seconds)} untried, taken for average)" if missed else ""
    if missed > len(tried):
        others = f" ({missed} of {len(seconds)} untried, so that it may take many times as long)"
    return Forecast(total, f"a probe of each method on some rows{others}{_longest(seconds)}", failed=failed)


def _told(trial: Trial, error: Exception) -> str:
    """What is to come of a trial that could not be tried."""
    if isinstance(error, DataUnavailableError):
        return f"trials on {trial.dataset.label} are skipped: {error}"
    against, adversary = "", trial.adversary
    if adversary is not None:
        budget = f"{adversary.amount:g}" if adversary.share is None else f"{adversary.share:.4g} of all"
        against = f" under {adversary.label} at {budget}"
    where = f"{trial.algorithm.label} on {trial.dataset.label}{against}"
    if isinstance(error, NotApplicableError):
        return f"{where} is skipped: {error}"
    return f"{where} fails: {one_line(error)}"


def _of_middling_budget(left: Sequence[tuple[str, Trial]]) -> dict[tuple[str, str], tuple[str, Trial]]:
    """A trial for each data set and method, of the first repetition: as budgets grow, more settings may be tried."""
    own: dict[tuple[str, str], list[tuple[str, Trial]]] = {}
    for name, trial in left:
        own.setdefault((trial.dataset.label, trial.algorithm.label), []).append((name, trial))
    chosen = {}
    for pair, trials in own.items():
        first = min(trial.repetition for _, trial in trials)
        here = [each for each in trials if each[1].repetition == first]
        chosen[pair] = sorted(here, key=lambda each: _amount(each[1]))[len(here) // 2]
    return chosen


def _amount(trial: Trial) -> float:
    return (trial.adversary.amount if trial.adversary else None) or 0.0


def _longest(seconds: dict[tuple[str, str], tuple[float, float] | None]) -> str:
    """The fits that take longest, each method's once, where one takes a minute or more."""
    fits: dict[str, float] = {}
    for (_, algorithm), found in seconds.items():
        if found is not None:
            fits[algorithm] = max(fits.get(algorithm, 0.0), found[0])
    slowest = sorted(fits, key=lambda algorithm: -fits[algorithm])[:_TOLD]
    if not slowest or fits[slowest[0]] < _LONG:
        return ""
    return "; one fit, tuned: " + ", ".join(f"{name} about {duration(fits[name])}" for name in slowest)


def _remembered(name: str, trial: Trial, time_left: bool) -> tuple[float, float] | Exception | None:
    """What `_whole` finds: a plan that is asked for again, with more repetitions, tries what it had no time for."""
    match kept("probes", name):
        case [float(fit), float(rest)]:
            return fit, rest
    found = _whole(trial) if time_left else None
    if isinstance(found, tuple):
        keep("probes", name, found)
    return found


def _depends_on_budget(trial: Trial, algorithm: Algorithm) -> bool:
    return algorithm.budget_param is not None or any(stage.data == "corrupted" for stage in trial.algorithm.tune)


def _whole(trial: Trial) -> tuple[float, float] | Exception | None:
    """Seconds of the fits and of the rest of a trial of all its rows, or why it fails; None where few rows fail."""
    first = _try(trial, _ROWS[0])  # whatever is imported and compiled is done then
    if isinstance(first, Exception):
        first = _try(trial, None)
    if isinstance(first, Exception):
        return first
    if first.n_rows <= _SMALL:
        whole = _try(trial, None)
        return whole if isinstance(whole, Exception) else (whole.fit, whole.rest)
    few, more = (_try(trial, rows) for rows in _ROWS)
    if isinstance(few, Exception) or isinstance(more, Exception):
        return None
    power = math.log(max(more.fit, 1e-4) / max(few.fit, 1e-4)) / math.log(max(more.n_train / few.n_train, 1.01))
    train = _size(trial.dataset.split.train, more.n_rows)
    growth = max(train / more.n_train, 1.0)
    return more.fit * growth ** min(max(power, 0.0), _STEEPEST), more.rest * growth


def _size(share: object, rows: int) -> float:
    """How many rows a part has, given as a number or a share."""
    if isinstance(share, int | float):
        return share * rows if isinstance(share, float) and share <= 1 else float(share)
    return rows / 2


def _try(trial: Trial, rows: int | None) -> _Tried | Exception:
    """A trial on so many rows for training, and half as many for validation and for the test; as it is where None."""
    from threadpoolctl import threadpool_limits

    from benchkit.trial.fits.fit_cache import FitCache
    from benchkit.trial.protocol import run_trial
    from benchkit.trial.seeds import global_generators_kept

    parts = {} if rows is None else {"train": rows, "validation": rows // 2, "test": rows // 2}
    small = replace(trial.dataset, split=trial.dataset.split.model_copy(update=parts))
    start, worked = time.perf_counter(), time.process_time()
    # As in a worker. Fits show what they warn of, whatever is ignored: the trial itself will.
    with threadpool_limits(1), global_generators_kept(), warnings.catch_warnings(record=True):
        try:
            done = run_trial(replace(trial, dataset=small), FitCache(None))
        except Exception as error:  # the trial itself will say so, with its traceback
            return error
    # Processor time: what else the machine does is no part of it.
    worked, passed = time.process_time() - worked, time.perf_counter() - start
    fit = worked * min((done["fit_seconds"] + (done["tune_seconds"] or 0.0)) / passed, 1.0)
    return _Tried(fit, worked - fit, done["n_train"], done["n_rows"])
