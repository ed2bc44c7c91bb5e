"""Room for the data of the next trial: what a process holds of other data is dropped before it is too much."""

from __future__ import annotations

from benchkit.suite.plan import Trial
from benchkit.trial import prepared
from benchkit.trial.protected import copied_megabytes

# MB of data that a process prepares before it drops what it holds. Below that it keeps the latest few repetitions.
_MOST = 1024.0


class _Latest:
    """What was dropped last, and for which data."""

    megabytes = 0.0
    data = ""


def make_room(trial: Trial) -> None:
    """Drop the data of earlier trials, where it is large and not this trial's: four repetitions of 4 GB are 16."""
    if copied_megabytes() - _Latest.megabytes <= _MOST:
        return
    data = repr((trial.seed, trial.dataset, trial.repetition, trial.plugins))
    if data != _Latest.data:
        # Not the fingerprints: what is imported keeps the sources that it was imported from.
        prepared._prepare_shared.cache_clear()
        prepared._load.cache_clear()
        _Latest.megabytes, _Latest.data = copied_megabytes(), data
