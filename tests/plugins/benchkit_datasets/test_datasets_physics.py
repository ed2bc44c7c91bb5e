"""The reader of a user's KDD Cup 2004 physics file, on a small one of the same layout."""

import numpy as np
import pytest


@pytest.fixture
def excerpt(folder):
    """Six rows: identifier, target, 78 features, with both codes for a missing value."""
    features = np.arange(6 * 78, dtype=float).reshape(6, 78) / 8
    features[0, 19] = features[1, 45] = 999.0
    features[2, 28] = features[3, 54] = 9999.0
    features[4, 0] = 999.0
    path = folder / "physics" / "phy_train.dat"
    path.parent.mkdir()
    targets = [0, 1, 1, 0, 1, 0]
    rows = [[1000 + i, targets[i], *features[i]] for i in range(6)]
    path.write_text("".join("\t".join(map(str, row)) + "\n" for row in rows))
    return path, features, targets


def test_features_and_labels(excerpt, declared):
    _, features, targets = excerpt
    data = declared["physics"].load(expected_rows=6)
    assert np.array_equal(data.X, features)
    assert data.y.tolist() == [2 * target - 1 for target in targets]
    some = declared["physics"].load(expected_rows=6, n=3)
    assert some.X.shape == (len(some.y), 78) == (3, 78)


def test_codes_for_missing_values_count_only_where_they_are_documented(excerpt, declared):
    data = declared["physics"].load(expected_rows=None, missing_codes=True)
    assert sorted(zip(*np.nonzero(np.isnan(data.X)), strict=True)) == [(0, 19), (1, 45), (2, 28), (3, 54)]
    assert data.X[4, 0] == 999.0


def test_another_number_of_rows_or_columns(excerpt, declared):
    with pytest.raises(ValueError, match=r"phy_train.dat: 6 rows, expected 50000"):
        declared["physics"].load()
    path = excerpt[0]
    rows = path.read_text().split("\n")
    path.write_text("\n".join([rows[0], rows[1].rpartition("\t")[0], *rows[2:]]))
    with pytest.raises(ValueError, match=r"phy_train.dat: 79 columns in row 2, expected 80"):
        declared["physics"].load(expected_rows=6)
