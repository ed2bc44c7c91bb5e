"""Regression data from files: sizes, ranges, known values; IMDb stays sparse, and is parsed once for everybody."""

import gzip

import numpy as np
import pytest

import benchkit
from benchkit_datasets.published import texts


def test_housing_is_capped_and_can_leave_column_b_out(load):
    data, without = load("housing"), load("housing", without_b=True)
    assert (data.y == 50.0).sum() == 16
    assert "B" in data.feature_names
    assert without.X.shape == (506, 12)
    assert "B" not in without.feature_names
    assert np.array_equal(without.X, np.delete(data.X, 11, axis=1))


@pytest.mark.parametrize(("name", "n"), [("ailerons", 2000), ("cpu-act", 1500)])
def test_subsets_of_the_papers_sizes(name, n, load):
    data, some, other = load(name), load(name, n=n), load(name, n=n, subset_seed=1)
    assert some.X.shape == (n, data.X.shape[1])
    assert not np.array_equal(some.X, other.X)
    rows = {tuple(row) for row in np.column_stack([data.X, data.y]).tolist()}
    assert all(tuple(row) in rows for row in np.column_stack([some.X, some.y]).tolist())


@pytest.mark.parametrize("n", [0, -1, 2.5, True, 20000])
def test_impossible_subsets_are_refused(n, load, declared):
    load("cpu-act")
    with pytest.raises(ValueError, match="n is"):
        declared["cpu-act"].load(n=n)


def test_imdb_counts_and_ratings(load):
    train, test = load("imdb", part="train", n_terms=None), load("imdb", part="test", n_terms=None)
    assert train.X.shape == test.X.shape == (25000, 89527)
    assert (train.X.nnz, test.X.nnz) == (3456685, 3340173)
    found = [dict(zip(*np.unique(part.y, return_counts=True), strict=True)) for part in (train, test)]
    assert found[0] == {1: 5100, 2: 2284, 3: 2420, 4: 2696, 7: 2496, 8: 3009, 9: 2263, 10: 4732}
    assert found[1] == {1: 5022, 2: 2302, 3: 2541, 4: 2635, 7: 2307, 8: 2850, 9: 2344, 10: 4999}
    assert train.feature_names[:3] == ["the", "and", "a"]
    assert train.X[0, :3].toarray().tolist() == [[9.0, 1.0, 4.0]]


def test_reviews_are_parsed_once_without_a_trial(folder, monkeypatch):
    monkeypatch.setattr(texts, "IMDB_ROWS", 3)
    (folder / "imdb" / "train").mkdir(parents=True)
    (folder / "imdb" / "imdb.vocab").write_text("\n".join(f"term{k}" for k in range(texts.TERMS)) + "\n")
    (folder / texts.IMDB_PARTS["train"]).write_bytes(gzip.compress(b"9 0:9 2:1\n1 1:2\n10 0:1\n"))
    counted, parse = [], texts.load_svmlight_file
    monkeypatch.setattr(texts, "load_svmlight_file", lambda *args, **kw: counted.append(1) or parse(*args, **kw))
    declared = benchkit.registry().datasets["imdb"]
    first, again = (declared.load(part="train", n_terms=2) for _ in range(2))
    assert len(counted) == 1
    assert first.X.toarray().tolist() == again.X.toarray().tolist() == [[9, 0], [0, 2], [1, 0]]
    assert again.y.tolist() == [9, 1, 10]
