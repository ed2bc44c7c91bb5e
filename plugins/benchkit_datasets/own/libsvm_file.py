"""A user's LIBSVM (SVMlight) file."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, Literal

import numpy as np
from scipy import sparse
from sklearn.datasets import load_svmlight_file

from benchkit import Data, check_count
from benchkit_datasets.own.frames import choose_labels, class_names
from benchkit_datasets.own.own_files import require_path
from benchkit_datasets.parsing.choices import check_choice
from benchkit_datasets.parsing.content import read_text


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
        A binary problem of more classes, see `benchkit_datasets.problems.pairs.choose_problem`.

    Returns
    -------
    Data
        X is a CSR matrix.
    """
    file = require_path(path)
    X, y = _read(file, n_features, zero_based)
    if not np.array_equal(y, np.round(y)):
        raise ValueError(f"{file}: label {y[y != np.round(y)][0]:g} is not a whole number")
    named = y.astype(int)
    rows, labels = choose_labels(np.arange(len(named)), named, str(file), positive, pair, one_against_rest)
    X = X if len(rows) == len(named) else X[rows]
    names = [f"x{j}" for j in range(1, X.shape[1] + 1)]
    return Data(X=X, y=labels, feature_names=names, class_names=class_names(named[rows], labels))


def load_libsvm_regression(
    path: str | None = None, n_features: int | None = None, zero_based: bool | Literal["auto"] = "auto"
) -> Data:
    """Sparse rows ``target index:value ...``, with numbers to predict.

    Parameters
    ----------
    path, n_features, zero_based
        As of `load_libsvm`.
    """
    X, y = _read(require_path(path), n_features, zero_based)
    return Data(X=X, y=y, feature_names=[f"x{j}" for j in range(1, X.shape[1] + 1)])


def _read(
    path: Path, n_features: int | None, zero_based: bool | Literal["auto"]
) -> tuple[sparse.csr_matrix, np.ndarray]:
    check_choice("zero_based", zero_based, ("auto", False, True))
    if n_features is not None:
        check_count(n_features=n_features)
    content = read_text(path).encode()
    try:
        X, y = load_svmlight_file(BytesIO(content), n_features=n_features, zero_based=zero_based)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{path}: not LIBSVM text ({' '.join(str(error).split())})") from None
    if not (np.isfinite(X.data).all() and np.isfinite(y).all()):
        raise ValueError(f"{path}: a value is not a finite number")
    return X, y
