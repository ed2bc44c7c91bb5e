"""Declarations are complete; files parse to their digests, and to what is known of them; no test uses the network."""

import gzip

import numpy as np
import pytest
from scipy import sparse

import benchkit
from benchkit import digest_data
from benchkit_datasets.plugin import benchkit_datasets
from benchkit_datasets.published import texts

ALL = {dataset.name: dataset for dataset in benchkit_datasets()}
# The largest before the other workers hold much.
WITH_DIGEST = sorted((name for name, dataset in ALL.items() if dataset.digest), key=lambda name: name != "mnist")


@pytest.mark.parametrize("name", WITH_DIGEST)
def test_the_files_parse_to_the_declared_digest_and_are_well_formed(name, load):
    data = load(name)
    assert digest_data(data) == ALL[name].digest
    assert data.X.dtype == np.float64
    assert data.X.shape == (len(data.y), len(data.feature_names))
    assert len(set(data.feature_names)) == len(data.feature_names)
    assert np.isfinite(data.X.data if sparse.issparse(data.X) else data.X).all()
    assert data.y.dtype.kind == ("i" if ALL[name].task == "classification" else "f")
    assert ALL[name].shape.startswith(f"{data.X.shape[0]} x {data.X.shape[1]}")


@pytest.mark.parametrize(
    ("name", "params", "shape", "expected"),
    [
        ("breast", {"columns": "all"}, (569, 30), {-1: 357, 1: 212}),
        ("breast-cancer", {"missing": "keep"}, (286, 9), {-1: 201, 1: 85}),
        ("breast-cancer", {"encoding": "one-hot"}, (277, 41), {-1: 196, 1: 81}),
        ("breast-cancer", {"missing": "keep", "encoding": "one-hot"}, (286, 41), {-1: 201, 1: 85}),
        ("german", {"encoding": "one-hot"}, (1000, 61), {-1: 700, 1: 300}),
        ("waveform", {"classes": "all"}, (5000, 21), {0: 1657, 1: 1647, 2: 1696}),
        ("waveform", {"pair": [0, 2]}, (3353, 21), {-1: 1657, 1: 1696}),
        ("waveform", {"one_against_rest": 0}, (5000, 21), {-1: 3343, 1: 1657}),
        ("landmine", {"fields": [29, 1]}, (690 + 449, 9), {-1: 650 + 407, 1: 40 + 42}),
        ("sms-spam", {"n_terms": 50}, (5574, 50), {-1: 4827, 1: 747}),
    ],
)
def test_shape_and_classes(name, params, shape, expected, load):
    data = load(name, **params)
    assert data.X.shape == shape
    assert dict(zip(*np.unique(data.y, return_counts=True), strict=True)) == expected
    assert len(data.feature_names) == shape[1]


def test_missing_values_are_where_the_authors_say(load):
    data = load("breast-cancer", missing="keep")
    missing = dict(zip(data.feature_names, np.isnan(data.X).sum(axis=0).tolist(), strict=True))
    assert {name: n for name, n in missing.items() if n} == {"node-caps": 8, "breast-quad": 1}
    assert len(np.unique(np.column_stack([load("breast-cancer").X, load("breast-cancer").y]), axis=0)) == 263
    data = load("breast-cancer", missing="keep", encoding="one-hot")
    for group in data.groups:
        missing = np.isnan(data.X[:, group])
        assert np.array_equal(missing.any(axis=1), missing.all(axis=1))
    assert np.isnan(data.X).any(axis=1).sum() == 9
    data = load("diabetes", zeros_missing=True)
    missing = dict(zip(data.feature_names, np.isnan(data.X).sum(axis=0).tolist(), strict=True))
    expected = {"glucose": 5, "pressure": 35, "skin": 227, "insulin": 374, "bmi": 11}
    assert {name: n for name, n in missing.items() if n} == expected
    assert np.array_equal(np.nan_to_num(data.X), load("diabetes").X)


@pytest.mark.parametrize(("name", "n_blocks"), [("breast-cancer", 9), ("german", 13)])
def test_one_hot_blocks(name, n_blocks, load):
    data = load(name, encoding="one-hot")
    assert sorted(column for group in data.groups for column in group) == list(range(data.X.shape[1]))
    blocks = [data.X[:, group] for group in data.groups if len(group) > 1]
    assert len(blocks) == n_blocks
    assert all((block.sum(axis=1) == 1).all() for block in blocks)


def test_housing_can_leave_column_b_out(load):
    data, without = load("housing"), load("housing", without_b=True)
    assert "B" not in without.feature_names
    assert np.array_equal(without.X, np.delete(data.X, 11, axis=1))


@pytest.mark.parametrize(("name", "n"), [("ailerons", 2000), ("cpu-act", 1500)])
def test_subsets_of_the_papers_sizes(name, n, load):
    data, some, other = load(name), load(name, n=n), load(name, n=n, subset_seed=1)
    assert some.X.shape == (n, data.X.shape[1])
    assert not np.array_equal(some.X, other.X)
    rows = {tuple(row) for row in np.column_stack([data.X, data.y]).tolist()}
    assert all(tuple(row) in rows for row in np.column_stack([some.X, some.y]).tolist())


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
    assert declared.load(part="train", n_terms=None).X.shape == (3, texts.TERMS)


def test_usps_parts_and_scales_and_those_of_mnist(load):
    test, both = load("usps", part="test"), load("usps")
    assert (len(test.y), len(both.y)) == (2007, 7291 + 2007)
    assert np.array_equal(both.X[7291:], test.X)
    assert np.array_equal(both.y[7291:], test.y)
    unit = load("usps", part="test", scale="unit")
    assert (unit.X.min(), unit.X.max()) == (0.0, 1.0)
    np.testing.assert_allclose(unit.X * 2 - 1, test.X, atol=1e-12)
    unit, stored = load("mnist", part="test", pair=[4, 7]), load("mnist", part="test", pair=[4, 7], scale="stored")
    assert (stored.X.min(), stored.X.max()) == (0.0, 255.0)
    assert np.array_equal(unit.X, stored.X / 255.0)


@pytest.mark.parametrize(("name", "params"), [("usps", {"part": "test"}), ("mnist", {"part": "test"}), ("digits", {})])
def test_labels_of_a_pair_of_odd_against_even_and_of_one_against_the_rest(name, params, load):
    data, pair = load(name, **params), load(name, pair=[7, 4], **params)
    rows = np.isin(data.y, [4, 7])
    assert np.array_equal(pair.X, data.X[rows])
    assert np.array_equal(pair.y, np.where(data.y[rows] == 4, 1, -1))
    assert np.array_equal(load(name, task="odd-even", **params).y, np.where(data.y % 2 == 1, 1, -1))
    assert np.array_equal(load(name, one_against_rest=3, **params).y, np.where(data.y == 3, 1, -1))


@pytest.mark.parametrize("name", ["usps", "mnist", "digits"])
def test_all_pairs_are_45_cells_that_keep_other_parameters(name, declared):
    cells = declared[name].expand(pairs="all", part="train")
    assert len(cells) == 45
    assert cells[0] == {"part": "train", "pair": [0, 1]}
    assert len({tuple(cell["pair"]) for cell in cells}) == 45
    assert declared[name].expand(pair=[4, 7]) == [{"pair": [4, 7]}]
    with pytest.raises(ValueError, match="expected 'all'"):
        declared[name].expand(pairs="some")
    with pytest.raises(ValueError, match="exclude each other"):
        declared[name].expand(pairs="all", task="odd-even")


def test_physics_has_its_codes_for_missing_values_and_no_other_number_of_rows_or_columns(declared, folder):
    features = np.arange(6 * 78, dtype=float).reshape(6, 78) / 8
    features[0, 19] = features[1, 45] = 999.0
    features[2, 28] = features[3, 54] = 9999.0
    features[4, 0] = 999.0
    path = folder / "physics" / "phy_train.dat"
    path.parent.mkdir()
    targets = [0, 1, 1, 0, 1, 0]
    rows = [[1000 + i, targets[i], *features[i]] for i in range(6)]
    path.write_text("".join("\t".join(map(str, row)) + "\n" for row in rows))
    data = declared["physics"].load(expected_rows=6)
    assert np.array_equal(data.X, features)
    assert data.y.tolist() == [2 * target - 1 for target in targets]
    some = declared["physics"].load(expected_rows=6, n=3)
    assert some.X.shape == (len(some.y), 78) == (3, 78)
    data = declared["physics"].load(expected_rows=None, missing_codes=True)
    assert sorted(zip(*np.nonzero(np.isnan(data.X)), strict=True)) == [(0, 19), (1, 45), (2, 28), (3, 54)]
    assert data.X[4, 0] == 999.0
    with pytest.raises(ValueError, match=r"phy_train.dat: 6 rows, expected 50000"):
        declared["physics"].load()
    first, second, *rest = path.read_text().split("\n")
    path.write_text("\n".join([first, second.rpartition("\t")[0], *rest]))
    with pytest.raises(ValueError, match=r"phy_train.dat: 79 columns in row 2, expected 80"):
        declared["physics"].load(expected_rows=6)


def test_only_files_that_nobody_gave_us_have_no_digest():
    assert [name for name, dataset in ALL.items() if dataset.files and not dataset.digest] == ["physics"]


@pytest.mark.parametrize("name", [name for name, dataset in ALL.items() if dataset.generated])
def test_the_seed_decides_what_is_generated(name):
    load = ALL[name].load
    first, again, other = load(random_state=1), load(random_state=1), load(random_state=2)
    assert digest_data(first) == digest_data(again)
    assert digest_data(first) != digest_data(other)
    assert ALL[name].shape == f"{first.X.shape[0]} x {first.X.shape[1]}"
    assert len(first.feature_names) == first.X.shape[1]
