"""Pictures of what a run's adversaries did to test rows that are images."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from benchkit.conduct.replanning import replan
from benchkit.journal import JournalError, read_run
from benchkit.report.files import PLOTS
from benchkit.report.plots.deleted_pixels import deleted_pixels
from benchkit.report.plots.style import save, slug, styled
from benchkit.suite.plan import Trial, dataset_name, select
from benchkit.trial.memo import Memo
from benchkit.trial.prepared import Part, Prepared
from benchkit.trial.protocol import run_trial


def picture(
    reference: str | Path,
    only: Mapping[str, str | Sequence[str]] | None = None,
    shape: tuple[int, int] | None = None,
    count: int = 5,
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

    Returns
    -------
    list of Path
        SVG and PNG files in the run's ``plots``.

    Raises
    ------
    JournalError
        The run has no such trial, or its rows are no images.
    """
    manifest, _, folder = read_run(reference)
    again = replan(folder, manifest)
    trials = select(again.trials.values(), only or {})
    last: dict[tuple[str, str, str], Trial] = {}
    for trial in trials:
        if trial.adversary is not None and trial.repetition == 0:
            dataset = dataset_name(trial.dataset.label, trial.dataset.params)
            last[dataset, trial.algorithm.label, trial.adversary.label] = trial
    if not last:
        raise JournalError(f"{folder}: no trial of its first repetition has an adversary")
    memo = Memo(again.planned.store.memo)
    paths: list[Path] = []
    with styled():
        for cell, trial in last.items():
            name = slug("pixels", *cell, str(trial.axis_value))
            paths += save(_figure(trial, memo, shape, count), folder / PLOTS / name)
    return paths


def _figure(trial: Trial, memo: Memo, shape: tuple[int, int] | None, count: int) -> Any:
    models: list[Any] = []
    seen: list[tuple[Prepared, Part]] = []
    run_trial(trial, memo, keep=models.append, witness=lambda prepared, test: seen.append((prepared, test)))
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
        titles=[f"{y[row]}, taken for {found}" for row, found in zip(rows, now, strict=True)],
        columns=count,
        title=trial.shown,
    )


def _spread(rows: np.ndarray, count: int) -> np.ndarray:
    places = np.linspace(0, len(rows) - 1, min(count, len(rows)))
    return np.asarray(rows[places.astype(int)])


def _dense(X: Any) -> np.ndarray:
    return np.asarray(X.todense() if sparse.issparse(X) else X)
