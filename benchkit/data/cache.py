"""Parsed data in a fast form: arrays on disk, addressed by what decides their content, mapped into memory."""

import hashlib
import inspect
import shutil
import tempfile
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import joblib
import numpy as np
from scipy import sparse

from benchkit.data.files import cache_folder
from benchkit.plugin.declarations import Data

_AT_ONCE = 1_000_000  # numbers: no copy of all of the data is needed


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
    else:
        arrays = [np.ascontiguousarray(data.X, dtype=np.float64)]
    hashed.update(repr(tuple(int(size) for size in data.X.shape)).encode())
    for array in [*arrays, data.y]:
        if array.dtype.kind in "OUS":
            hashed.update("\0".join(map(str, array)).encode())
        else:
            flat = np.ascontiguousarray(array, dtype=np.float64).reshape(-1)
            for start in range(0, len(flat), _AT_ONCE):
                # Minus zero is zero, and every NaN is one NaN.
                plain = flat[start : start + _AT_ONCE] + 0.0
                plain[np.isnan(plain)] = np.nan
                hashed.update(plain.data)
    return hashed.hexdigest()


def forget(key: str) -> None:
    """Let what is kept under a key be parsed again."""
    shutil.rmtree(_folder(key), ignore_errors=True)


def _folder(key: str) -> Path:
    return cache_folder() / "arrays" / key


def cached(key: str | None, load: Callable[[], Data]) -> Data:
    """What ``load`` returns, from disk where it is there already; its arrays may be mapped from there, read-only.

    The key is a hash of everything that decides the content: files, parameters, sources. Without one nothing is kept.
    """
    if key is None:
        return load()
    folder = _folder(key)
    try:
        return _read(folder)
    except Exception:  # it is not there, or damaged, and a damaged pickle raises anything
        forget(key)
    data = load()
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, ignore_cleanup_errors=True) as temporary:
            partial = Path(temporary, "whole")
            partial.mkdir()
            X = sparse.csr_matrix(data.X) if sparse.issparse(data.X) else np.ascontiguousarray(data.X)
            joblib.dump(X, partial / "X")
            joblib.dump(replace(data, X=None), partial / "rest")
            with suppress(OSError):  # whoever else writes the same first wins
                partial.rename(folder)
        return _read(folder)
    except OSError as error:
        warnings.warn(f"{folder}: parsed data cannot be kept: {error.strerror or error}", stacklevel=2)
        return data


def _read(folder: Path) -> Data:
    rest: Data = joblib.load(folder / "rest")
    X = joblib.load(folder / "X", mmap_mode="r")
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
    key = hashlib.sha256("\0".join([content, source, parse.__module__, parse.__qualname__]).encode()).hexdigest()[:32]
    return cached(key, lambda: parse(path))
