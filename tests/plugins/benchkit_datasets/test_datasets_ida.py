"""Encodings against one split of the IDA benchmark, whose features are standardised by its training part."""

import numpy as np
import pytest
from scipy.io import loadmat

from benchkit import DataUnavailableError, require_file


@pytest.mark.parametrize(
    ("name", "file", "sizes"),
    [
        ("diabetes", "ida/diabetis.mat", (468, 300)),
        ("german", "ida/german.mat", (700, 300)),
        ("waveform", "ida/waveform.mat", (400, 4600)),
    ],
)
def test_rows_and_labels_are_those_of_the_benchmark(name, file, sizes, load):
    try:
        split = loadmat(require_file(file))
    except DataUnavailableError as error:
        pytest.skip(str(error))
    assert (len(split["X_tr"]), len(split["X_tst"])) == sizes
    theirs = np.column_stack(
        [np.vstack([split["X_tr"], split["X_tst"]]), np.concatenate([split["T_tr"].ravel(), split["T_tst"].ravel()])]
    ).astype(float)
    data = load(name)
    ours = np.column_stack([data.X, data.y])
    # Each column is ours up to scale and shift; the order of rows is another. Undo the scale by matching extremes.
    low, high = theirs.min(axis=0), theirs.max(axis=0)
    undone = (theirs - low) / (high - low) * (ours.max(axis=0) - ours.min(axis=0)) + ours.min(axis=0)
    undone, ours = np.round(undone, 4), np.round(ours, 4)
    np.testing.assert_allclose(undone[np.lexsort(undone.T)], ours[np.lexsort(ours.T)], atol=1e-3)
