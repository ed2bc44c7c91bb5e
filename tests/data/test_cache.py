"""The fast form gives back what was parsed, survives damage, and never costs a result; a digest sees values alone."""

import numpy as np
import pytest
from scipy.sparse import coo_matrix, csc_matrix, csr_matrix, issparse, random_array

from benchkit import Data, parse_once
from benchkit.data.cache import cached, digest_data
from benchkit.data.files import cache_folder, keep, kept

DENSE = Data(
    X=np.arange(6.0).reshape(3, 2), y=np.array([1, -1, 1]), feature_names=["a", "b"], groups=[[0, 1]], truth={"k": 3}
)
SPARSE = Data(X=random_array((30, 8), density=0.2, format="csr", rng=0), y=np.array(["x", "y"] * 15, dtype=object))
X, Y = np.array([[0.0, 1.0], [2.0, 0.0]]), np.array([1, -1])


@pytest.mark.parametrize("data", [DENSE, SPARSE], ids=["dense", "sparse"])
def test_the_second_time_nothing_is_parsed_and_what_is_mapped_cannot_be_changed_but_its_rows_can(data):
    first = cached("key", lambda: data)
    again = cached("key", lambda: pytest.fail("parsed again"))
    for read in (first, again):
        assert (digest_data(read), issparse(read.X)) == (digest_data(data), issparse(data.X))
        assert (read.feature_names, read.groups, read.truth) == (data.feature_names, data.groups, data.truth)
    if not issparse(data.X):
        with pytest.raises(ValueError, match="read-only"):
            first.X[0, 0] = 9
        rows = first.X[np.array([0, 2])]
        rows[0, 0] = 9
        assert (type(rows), again.X[0, 0]) == (np.ndarray, 0)


def test_damage_means_parsing_again():
    for name in ("X", "rest"):
        cached("key", lambda: DENSE)
        (cache_folder() / "arrays" / "key" / name).write_bytes(b"\x93NUM")
        assert digest_data(cached("key", lambda: DENSE)) == digest_data(DENSE)
        assert cached("key", lambda: pytest.fail("not repaired")).y.tolist() == [1, -1, 1]


def test_what_was_kept_is_found_under_its_key_alone_and_no_cache_costs_a_result(monkeypatch, tmp_path):
    keep("things", "a", {"n": [1, 2.5, None]})
    assert kept("things", "a") == {"n": [1, 2.5, None]}
    assert kept("things", "b") is kept("others", "a") is None
    (cache_folder() / "things" / "a.json").write_text("{")  # torn
    assert kept("things", "a") is None
    (tmp_path / "file").touch()
    monkeypatch.setenv("BENCHKIT_CACHE", str(tmp_path / "file"))
    with pytest.warns(UserWarning, match="cannot be kept"):
        assert cached("key", lambda: DENSE) is DENSE
    keep("things", "b", 1)
    assert kept("things", "b") is None


parsed = []


def parse_numbers(path):
    parsed.append(path.name)
    return Data(X=np.loadtxt(path, ndmin=2), y=np.zeros(2))


def test_the_content_decides_what_is_parsed_again(tmp_path):
    for name, text in [("one", "1 2\n3 4\n"), ("two", "1 2\n3 4\n"), ("one", "5 6\n7 8\n")]:
        (tmp_path / name).write_text(text)
        for _ in range(2):
            assert parse_once(tmp_path / name, parse_numbers).X[0].tolist() == [*map(int, text.split()[:2])]
    assert parsed == ["one", "one"]


def test_a_digest_does_not_see_layout():
    dense, sparse = digest_data(Data(X=X, y=Y)), digest_data(Data(X=csr_matrix(X), y=Y))
    stored = coo_matrix(([1.0, 2.0, 0.0], ([0, 1, 1], [1, 0, 1])), shape=(2, 2))
    same = [np.asfortranarray(X.astype(np.float32)), np.where(X == 0, -0.0, X), csc_matrix(X), stored]
    assert [digest_data(Data(X=other, y=Y.astype(np.int8))) for other in same] == [dense, dense, sparse, sparse]
    payload = np.array([np.nan], dtype=float)
    payload.view(np.uint64)[0] |= 1
    one, other = (Data(X=np.array([[value]]), y=np.array([1])) for value in (np.nan, payload[0]))
    assert digest_data(one) == digest_data(other)


def test_a_digest_sees_values():
    pairs = [
        (X, Y),
        (X + np.array([[0, 0], [0, 1e-12]]), Y),
        (X[::-1], Y),
        (X.reshape(1, 4), Y),
        (X, -Y),
        (X, ["a", "b"]),
    ]
    assert len({digest_data(Data(X=table, y=np.array(target))) for table, target in pairs}) == len(pairs)
