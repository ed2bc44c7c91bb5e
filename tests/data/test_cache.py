"""The fast form gives back what was parsed, survives damage, and never costs a result."""

import numpy as np
import pytest
from scipy.sparse import issparse, random_array

from benchkit.data.cache import cached, digest_data
from benchkit.data.files import cache_folder
from benchkit.plugin.declarations import Data

DENSE = Data(
    X=np.arange(6.0).reshape(3, 2), y=np.array([1, -1, 1]), feature_names=["a", "b"], groups=[[0, 1]], truth={"k": 3}
)
SPARSE = Data(X=random_array((30, 8), density=0.2, format="csr", rng=0), y=np.array(["x", "y"] * 15, dtype=object))


@pytest.mark.parametrize("data", [DENSE, SPARSE], ids=["dense", "sparse"])
def test_the_second_time_nothing_is_parsed(data):
    first = cached("key", lambda: data)
    again = cached("key", lambda: pytest.fail("parsed again"))
    for found in (first, again):
        assert digest_data(found) == digest_data(data)
        assert issparse(found.X) == issparse(data.X)
        assert (list(found.feature_names), found.groups, found.truth) == (
            list(data.feature_names),
            data.groups,
            data.truth,
        )


def test_mapped_data_cannot_be_changed_but_its_rows_can():
    found = cached("key", lambda: DENSE)
    with pytest.raises(ValueError, match="read-only"):
        found.X[0, 0] = 9
    rows = found.X[np.array([0, 2])]
    rows[0, 0] = 9
    assert type(rows) is np.ndarray
    assert cached("key", lambda: DENSE).X[0, 0] == 0


def test_another_key_is_other_data():
    cached("key", lambda: DENSE)
    assert digest_data(cached("other", lambda: SPARSE)) == digest_data(SPARSE)


@pytest.mark.parametrize("name", ["X.joblib", "rest.joblib"])
def test_damage_means_parsing_again(name):
    cached("key", lambda: DENSE)
    (cache_folder() / "arrays" / "key" / name).write_bytes(b"\x93NUM")
    assert digest_data(cached("key", lambda: DENSE)) == digest_data(DENSE)
    assert cached("key", lambda: pytest.fail("not repaired")).y.tolist() == [1, -1, 1]


def test_a_cache_that_cannot_be_written_is_a_warning(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("BENCHKIT_CACHE", str(tmp_path / "file"))
    with pytest.warns(UserWarning, match="cannot be kept"):
        assert cached("key", lambda: DENSE) is DENSE
    assert not (cache_folder() / "arrays").exists()
