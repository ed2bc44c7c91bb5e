"""Two-class data from files: counts and values against what is known of the files."""

import numpy as np
import pytest


def counts(data):
    return {int(label): int(n) for label, n in zip(*np.unique(data.y, return_counts=True), strict=True)}


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
    assert counts(data) == expected
    assert len(data.feature_names) == shape[1]


def test_breast_cancer_missing_values_are_where_the_authors_say(load):
    data = load("breast-cancer", missing="keep")
    missing = dict(zip(data.feature_names, np.isnan(data.X).sum(axis=0).tolist(), strict=True))
    assert {name: n for name, n in missing.items() if n} == {"node-caps": 8, "breast-quad": 1}
    assert len(np.unique(np.column_stack([load("breast-cancer").X, load("breast-cancer").y]), axis=0)) == 263


@pytest.mark.parametrize(("name", "n_blocks"), [("breast-cancer", 9), ("german", 13)])
def test_one_hot_blocks(name, n_blocks, load):
    data = load(name, encoding="one-hot")
    assert sorted(column for group in data.groups for column in group) == list(range(data.X.shape[1]))
    blocks = [data.X[:, group] for group in data.groups if len(group) > 1]
    assert len(blocks) == n_blocks
    assert all((block.sum(axis=1) == 1).all() for block in blocks)


def test_a_missing_category_is_missing_in_its_whole_block(load):
    data = load("breast-cancer", missing="keep", encoding="one-hot")
    for group in data.groups:
        missing = np.isnan(data.X[:, group])
        assert np.array_equal(missing.any(axis=1), missing.all(axis=1))
    assert np.isnan(data.X).any(axis=1).sum() == 9


def test_diabetes_zeros(load):
    data = load("diabetes", zeros_missing=True)
    missing = dict(zip(data.feature_names, np.isnan(data.X).sum(axis=0).tolist(), strict=True))
    expected = {"glucose": 5, "pressure": 35, "skin": 227, "insulin": 374, "bmi": 11}
    assert {name: n for name, n in missing.items() if n} == expected
    assert np.array_equal(np.nan_to_num(data.X), load("diabetes").X)


def test_landmine_fields(load):
    data = load("landmine")
    field = data.truth["field"]
    sizes = np.bincount(field)[1:]
    mines = np.bincount(field[data.y == 1])[1:]
    assert sizes[[0, 1, 3, 15, 28]].tolist() == [690, 690, 508, 445, 449]
    assert mines[[0, 1, 3, 15, 28]].tolist() == [40, 48, 19, 32, 42]
    assert len(sizes) == 29
    some = load("landmine", fields=[29, 1])
    assert np.array_equal(some.X, data.X[(field == 1) | (field == 29)])


WRONG = {
    "breast": [{"columns": "worst"}],
    "usps": [{"part": "valid"}, {"scale": "0-1"}],
    "mnist": [{"part": 1}, {"scale": "raw"}],
    "breast-cancer": [{"missing": "impute"}, {"encoding": "label"}],
    "german": [{"encoding": "onehot"}],
    "diabetes": [{"zeros_missing": "yes"}],
    "landmine": [{"fields": [30]}, {"fields": "some"}],
    "physics": [{"missing_codes": 1}],
    "imdb": [{"part": "unsup"}, {"n_terms": 0}, {"n_terms": 90000}],
    "housing": [{"without_b": 1}],
    "sms-spam": [{"n_terms": 2.5}],
}


@pytest.mark.parametrize("name", WRONG)
def test_unknown_options_are_named(name, declared):
    for params in WRONG[name]:
        with pytest.raises(ValueError, match=next(iter(params))):
            declared[name].load(**params)
