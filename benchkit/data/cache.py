"""Parsed data in a fast form: arrays on disk, addressed by what decides their content, mapped into memory."""

from __future__ import annotations

import os
import shutil
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from scipy import sparse

from benchkit.data.files import cache_folder
from benchkit.plugin.declarations import Data

_CSR = ("data", "indices", "indptr")


def forget(key: str) -> None:
    """Let what is kept under a key be parsed again."""
    shutil.rmtree(cache_folder() / "arrays" / key, ignore_errors=True)


def cached(key: str, load: Callable[[], Data]) -> Data:
    """What ``load`` returns, from disk where it is there already.

    Parameters
    ----------
    key : str
        Hash of everything that decides the content: files, parameters, sources.
    load : callable

    Returns
    -------
    Data
        Its arrays may be mapped from disk, read-only.
    """
    folder = cache_folder() / "arrays" / key
    if folder.is_dir():
        try:
            return _read(folder)
        except Exception:  # a damaged pickle raises anything: parse again
            shutil.rmtree(folder, ignore_errors=True)
    data = load()
    try:
        _write(data, folder)
    except OSError as error:
        warnings.warn(f"{folder}: parsed data cannot be kept: {error.strerror or error}", stacklevel=2)
        return data
    return _read(folder)


def _write(data: Data, folder: Path) -> None:
    """Write whole or not at all; whoever else writes the same first wins."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(prefix=".partial-", dir=folder.parent))
    try:
        rest = replace(data, X=None)
        if sparse.issparse(data.X):
            X = sparse.csr_matrix(data.X)
            for name in _CSR:
                np.save(partial / f"X.{name}.npy", getattr(X, name), allow_pickle=False)
            shape: tuple[int, ...] | None = X.shape
        else:
            np.save(partial / "X.npy", np.ascontiguousarray(data.X), allow_pickle=False)
            shape = None
        joblib.dump((rest, shape), partial / "rest.joblib")
        try:
            os.rename(partial, folder)
        except OSError:
            if not folder.is_dir():
                raise
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _read(folder: Path) -> Data:
    rest: Data
    rest, shape = joblib.load(folder / "rest.joblib")
    if shape is None:
        return replace(rest, X=_map(folder / "X.npy"))
    parts = tuple(_map(folder / f"X.{name}.npy") for name in _CSR)
    return replace(rest, X=sparse.csr_matrix(parts, shape=shape, copy=False))


def _map(path: Path) -> np.ndarray:
    mapped: Any = np.load(path, mmap_mode="r", allow_pickle=False)
    plain: np.ndarray = np.asarray(mapped)
    return plain
