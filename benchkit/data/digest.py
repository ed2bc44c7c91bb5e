"""The digest of parsed data: what files say, however they are compressed or laid out."""

from __future__ import annotations

import hashlib

import numpy as np
from scipy import sparse

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
