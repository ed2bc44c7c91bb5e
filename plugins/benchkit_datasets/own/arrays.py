"""A user's own numbers in other forms: rows of LIBSVM (SVMlight), and arrays of several views in a NumPy archive."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, Literal

import numpy as np
from scipy import sparse
from sklearn.datasets import load_svmlight_file

from benchkit import Categories, Data, check_choice, check_count
from benchkit_datasets.own.frames import choose_labels, class_names, to_binary
from benchkit_datasets.own.table_file import require_path
from benchkit_datasets.reading import read_bytes, read_text

# Of wider data, such as hashed words, a list of names would take more memory than the rows.
_MOST_NAMED = 100_000
_VIEW_ARRAYS = ("X", "y", "view")


def load_libsvm(
    path: str | None = None,
    n_features: int | None = None,
    zero_based: bool | Literal["auto"] = "auto",
    positive: Any = None,
    pair: Sequence[Any] | None = None,
    one_against_rest: Any = None,
) -> Data:
    """Sparse rows ``label index:value ...``, with classes to predict.

    Parameters
    ----------
    path : str
        A text file, or one compressed by gzip (``.gz``), relative to the current directory.
    n_features : int, optional
        As many as the largest index asks for where absent.
    zero_based : bool or "auto", default="auto"
        Whether indices count from 0; "auto": they do if one is 0.
    positive : class, optional
        The class that becomes +1 where there are two; else the larger one does.
    pair, one_against_rest
        A binary problem of more classes, see `benchkit_datasets.problems.choose_problem`.

    Returns
    -------
    Data
        X is a CSR matrix; columns have names, x1, x2, ..., where there are at most 100,000. Queries (``qid:``) are the
        further column ``qid``, such as for `groups`.
    """
    file = require_path(path)
    X, y, queries = _read_libsvm(file, n_features, zero_based)
    if not np.array_equal(y, np.round(y)):
        raise ValueError(f"{file}: label {y[y != np.round(y)][0]:g} is not a whole number")
    named = y.astype(int)
    rows, labels = choose_labels(named, str(file), positive, pair, one_against_rest)
    X = X if len(rows) == len(named) else X[rows]
    columns: dict[str, np.ndarray | Categories] = {name: column[rows] for name, column in queries.items()}
    return Data(X=X, y=labels, feature_names=_names(X), class_names=class_names(named[rows], labels), columns=columns)


def load_libsvm_regression(
    path: str | None = None, n_features: int | None = None, zero_based: bool | Literal["auto"] = "auto"
) -> Data:
    """Sparse rows ``target index:value ...``, with numbers to predict.

    Parameters
    ----------
    path, n_features, zero_based
        As of `load_libsvm`.
    """
    X, y, queries = _read_libsvm(require_path(path), n_features, zero_based)
    return Data(X=X, y=y, feature_names=_names(X), columns=queries)


def _names(X: sparse.csr_matrix) -> list[str]:
    return [f"x{j}" for j in range(1, X.shape[1] + 1)] if X.shape[1] <= _MOST_NAMED else []


def _read_libsvm(
    path: Path, n_features: int | None, zero_based: bool | Literal["auto"]
) -> tuple[sparse.csr_matrix, np.ndarray, dict[str, Any]]:
    """Rows, targets, and the queries, where each row is of one."""
    check_choice(("auto", False, True), zero_based=zero_based)
    if n_features is not None:
        check_count(n_features=n_features)
    lines = read_text(path).encode().splitlines(keepends=True)

    def read(begin: int, end: int) -> Any:
        part = BytesIO(b"".join(lines[begin:end]))
        return load_svmlight_file(part, n_features=n_features, zero_based=zero_based, query_id=True)

    begin, end, reason = 0, len(lines), ""
    try:
        X, y, queries = read(0, end)
    except (ValueError, OverflowError) as error:
        reason = str(error)
    while reason and end - begin > 1:  # the first row that cannot be read is between
        middle = (begin + end) // 2
        try:
            read(begin, middle)
            begin = middle
        except (ValueError, OverflowError) as error:
            end, reason = middle, str(error)
    if reason:
        raise ValueError(f"{path}: no LIBSVM text in row {begin + 1} ({' '.join(reason.split())})")
    if not (np.isfinite(X.data).all() and np.isfinite(y).all()):
        raise ValueError(f"{path}: a value is not a finite number")
    return X, y, {"qid": queries} if len(queries) == len(y) else {}


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
            missing = [name for name in _VIEW_ARRAYS if name not in archive.files]
            X, y, view = (np.empty(0) if missing else archive[name] for name in _VIEW_ARRAYS)
    # Anything may be in a file that only claims to be an archive, a single array (.npy) among it.
    except Exception as error:
        raise ValueError(f"{path}: not a NumPy archive ({' '.join(str(error).split())})") from None
    if missing:
        raise ValueError(f"{path}: no array {missing[0]!r}, expected X, y and view")
    return X, y, view
