"""Pictures of what a run's adversaries did to test rows that are images."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from benchkit.journal import JournalError, runs_of
from benchkit.report.formats.written_before import PLOTS
from benchkit.report.plots.deleted_pixels import deleted_pixels
from benchkit.report.plots.style import Slugs, save, styled
from benchkit.session.past.replan import replan
from benchkit.session.selection import Selection
from benchkit.suite.names import dataset_name
from benchkit.suite.plan import Trial
from benchkit.trial.fits.fit_cache import FitCache
from benchkit.trial.prepared import Part, Prepared
from benchkit.trial.protocol import run_trial


def picture(
    reference: str | Path,
    only: Mapping[str, str | Sequence[str]] | None = None,
    shape: tuple[int, int] | None = None,
    count: int = 5,
    trust: bool = False,
) -> list[Path]:
    """Draw test images with the pixels that the adversary changed, a figure per dataset, algorithm and adversary.

    Of each, the first repetition's trial at the end of the axis is run again in this process, with the fits that the
    run shares. Images are drawn as they were loaded.

    Parameters
    ----------
    reference : path
        A run's folder, or a suite's, which stands for its newest run.
    only : mapping, optional
        As for `benchkit.run`.
    shape : (int, int), optional
        Height and width of an image; a square by default.
    count : int, default=5
        Images per class, spread over the test part.
    trust : bool, default=False
        Also of a run that another made, or that was made elsewhere.

    Returns
    -------
    list of Path
        SVG and PNG files in the run's ``plots``.

    Raises
    ------
    JournalError
        The run has no such trial, its rows are no images, or it is not trusted.
    """
    selection = Selection(only or {})
    chosen = []
    for folder in runs_of(reference):
        again = replan(folder, trust, "pictures runs trials of a run")
        if trials := selection.of(list(again.trials.values())):
            chosen.append((folder, again.planned.store.fits, trials))
    selection.check()
    with styled():
        return [path for each in chosen for path in _of_run(*each, shape, count)]


def _of_run(
    folder: Path, fits: Path, trials: Sequence[Trial], shape: tuple[int, int] | None, count: int
) -> Iterator[Path]:
    last: dict[tuple[str, str, str], Trial] = {}
    for trial in trials:
        if trial.adversary is not None and trial.repetition == 0:
            dataset = dataset_name(trial.dataset.label, trial.dataset.params)
            last[dataset, trial.algorithm.label, trial.adversary.label] = trial
    if not last:
        raise JournalError(f"{folder}: no trial of its first repetition has an adversary")
    fit_cache, slug = FitCache(fits), Slugs()
    for cell, trial in last.items():
        name = slug("pixels", *cell, str(trial.axis_value))
        yield from save(_figure(trial, fit_cache, shape, count), folder / PLOTS / name)


def _figure(trial: Trial, fit_cache: FitCache, shape: tuple[int, int] | None, count: int) -> Any:
    models: list[Any] = []
    seen: list[tuple[Prepared, Part]] = []
    run_trial(trial, fit_cache, keep=models.append, on_corrupted=lambda prepared, test: seen.append((prepared, test)))
    (model,), ((prepared, corrupted),) = models, seen
    before, images = _dense(prepared.test.X), _dense(prepared.test.raw)
    height, width = shape or (math.isqrt(images.shape[1]),) * 2
    if images.shape != before.shape or height * width != images.shape[1]:
        what = f"rows of {trial.dataset.label} have {images.shape[1]} features"
        raise JournalError(f"{what}, which are no image of {height} x {width}; --shape HEIGHTxWIDTH says of which")
    y = prepared.test.y
    rows = np.concatenate([_spread(np.flatnonzero(y == label), count) for label in np.unique(y)])
    after = _dense(corrupted.X)
    now = model.predict(corrupted.X)[rows]
    return deleted_pixels(
        images[rows].reshape(-1, height, width),
        (after != before)[rows].reshape(-1, height, width),
        titles=[f"{y[row]}, taken for {label}" for row, label in zip(rows, now, strict=True)],
        columns=count,
        title=trial.display_name,
    )


def _spread(rows: np.ndarray, count: int) -> np.ndarray:
    places = np.linspace(0, len(rows) - 1, min(count, len(rows)))
    return np.asarray(rows[places.astype(int)])


def _dense(X: Any) -> np.ndarray:
    return np.asarray(X.todense() if sparse.issparse(X) else X)
