"""Parsed data in a fast form: arrays on disk, addressed by what decides their content, mapped into memory."""

from __future__ import annotations

import hashlib
import inspect
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import joblib
import numpy as np
from scipy import sparse

from benchkit.data.files import cache_folder
from benchkit.plugin.declarations import Data


def digest_data(data: Data) -> str:
    """SHA-256 of the shape and values of X and y.

    Numbers count as float64, sparse matrices as CSR with sorted indices and no stored zeros, text as UTF-8.
    """
    hashed = hashlib.sha256()
    if sparse.issparse(data.X):
        X = sparse.csr_matrix(data.X, dtype=np.float64, copy=True)
        X.sum_duplicates()
        X.eliminate_zeros()
        arrays = [X.indptr.astype(np.int64), X.indices.astype(np.int64), X.data]
        shape = X.shape
    else:
        arrays = [np.ascontiguousarray(data.X, dtype=np.float64)]
        shape = data.X.shape
    hashed.update(repr(tuple(int(size) for size in shape)).encode())
    for array in [*arrays, data.y]:
        if array.dtype.kind in "OUS":
            hashed.update("\0".join(map(str, array)).encode())
        else:
            # Minus zero is zero, and every NaN is one NaN.
            plain = np.ascontiguousarray(array, dtype=np.float64) + 0.0
            plain[np.isnan(plain)] = np.nan
            hashed.update(plain.data)
    return hashed.hexdigest()


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
        X = sparse.csr_matrix(data.X) if sparse.issparse(data.X) else np.ascontiguousarray(data.X)
        joblib.dump(X, partial / "X.joblib")
        joblib.dump(replace(data, X=None), partial / "rest.joblib")
        try:
            os.rename(partial, folder)
        except OSError:
            if not folder.is_dir():
                raise
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _read(folder: Path) -> Data:
    rest: Data = joblib.load(folder / "rest.joblib")
    X = joblib.load(folder / "X.joblib", mmap_mode="r")
    if not sparse.issparse(X):
        return replace(rest, X=np.asarray(X))  # an array as others are
    for name in ("data", "indices", "indptr"):
        setattr(X, name, np.asarray(getattr(X, name)))
    return replace(rest, X=X)


def parse_once(path: Path, parse: Callable[[Path], Data]) -> Data:
    """What ``parse(path)`` returns, from the cache folder where the same content was parsed before.

    For files that take seconds: text of millions of numbers. The content of the file and the module of ``parse`` decide
    what is kept, so that either may change. Whatever else the result depends on must not be left to ``parse``: choose
    rows and columns from what it returns.

    Parameters
    ----------
    path : Path
    parse : callable
        A function of a module.

    Returns
    -------
    Data
        Its arrays may be mapped from disk, read-only.
    """
    with path.open("rb") as file:
        content = hashlib.file_digest(file, "sha256").hexdigest()
    source = hashlib.sha256(Path(inspect.getfile(parse)).read_bytes()).hexdigest()
    what = "\0".join([content, source, parse.__module__, parse.__qualname__])
    return cached(hashlib.sha256(what.encode()).hexdigest()[:32], lambda: parse(path))
