"""A user's own data of several views, such as sensors, of which an adversary or an accident takes whole ones."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np

from benchkit import Data
from benchkit_datasets.own.frames import class_names, to_binary
from benchkit_datasets.own.own_files import require_path
from benchkit_datasets.parsing.content import read_bytes

ARRAYS = ("X", "y", "view")


def load_multi_view(path: str | None = None, positive: object = None) -> Data:
    """A NumPy archive (.npz) of numbers, each column belonging to a view.

    Parameters
    ----------
    path : str
        Archive with ``X`` of shape (n_samples, n_features), ``y`` of shape (n_samples,) and ``view`` of shape
        (n_features,), which names or numbers the view of each column. NaN in ``X`` is a missing value.
    positive : label, optional
        The class that becomes +1 where there are two; else the larger one does.

    Returns
    -------
    Data
        With one group per view, in sorted order of the views.
    """
    file = require_path(path)
    X, y, view = _read_arrays(file)
    if X.ndim != 2 or y.shape != X.shape[:1] or view.shape != X.shape[1:]:
        shapes = f"X {X.shape}, y {y.shape}, view {view.shape}"
        raise ValueError(f"{file}: shapes {shapes}, expected X (n, d), y (n,), view (d,)")
    if X.dtype.kind not in "iufb" or np.isinf(X).any():
        raise ValueError(f"{file}: X must hold numbers that are finite or NaN")
    if y.dtype.kind == "f":
        if not np.array_equal(y, np.round(y)):
            raise ValueError(f"{file}: y must hold classes: whole numbers or text")
        y = y.astype(int)
    views = np.unique(view).tolist()
    groups = [np.flatnonzero(view == each).tolist() for each in views]
    names = [f"view-{each}-x{j}" for j, each in enumerate(view.tolist(), start=1)]
    labels = to_binary(file, y, positive)
    return Data(
        X=X.astype(np.float64), y=labels, feature_names=names, groups=groups, class_names=class_names(y, labels)
    )


def _read_arrays(path: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    content = read_bytes(path)
    try:
        with np.load(BytesIO(content), allow_pickle=False) as archive:
            missing = [name for name in ARRAYS if name not in archive.files]
            X, y, view = (np.empty(0) if missing else archive[name] for name in ARRAYS)
    # Anything may be in a file that only claims to be an archive, a single array (.npy) among it.
    except Exception as error:
        raise ValueError(f"{path}: not a NumPy archive ({' '.join(str(error).split())})") from None
    if missing:
        raise ValueError(f"{path}: no array {missing[0]!r}, expected X, y and view")
    return X, y, view
