"""USPS, MNIST and the bundled digits: counts, scales, pairs."""

import numpy as np
import pytest

USPS_TRAIN = [1194, 1005, 731, 658, 652, 556, 664, 645, 542, 644]
USPS_TEST = [359, 264, 198, 166, 200, 160, 170, 147, 166, 177]
PARTS = pytest.mark.parametrize(
    ("name", "params"), [("usps", {"part": "test"}), ("mnist", {"part": "test"}), ("digits", {})]
)


def test_usps_parts(load):
    train, test, both = load("usps", part="train"), load("usps", part="test"), load("usps")
    assert np.bincount(train.y).tolist() == USPS_TRAIN
    assert np.bincount(test.y).tolist() == USPS_TEST
    assert np.array_equal(both.X, np.vstack([train.X, test.X]))
    assert np.array_equal(both.y, np.concatenate([train.y, test.y]))


def test_usps_scales(load):
    stored, unit = load("usps", pair=[4, 7]), load("usps", pair=[4, 7], scale="unit")
    assert (unit.X.min(), unit.X.max()) == (0.0, 1.0)
    np.testing.assert_allclose(unit.X * 2 - 1, stored.X, atol=1e-12)


@PARTS
def test_a_pair_is_labelled_in_its_order(name, params, load):
    data = load(name, **params)
    pair = load(name, pair=[7, 4], **params)
    rows = np.isin(data.y, [4, 7])
    assert np.array_equal(pair.X, data.X[rows])
    assert np.array_equal(pair.y, np.where(data.y[rows] == 4, 1, -1))


@PARTS
def test_odd_against_even_and_one_against_the_rest(name, params, load):
    y = load(name, **params).y
    assert np.array_equal(load(name, task="odd-even", **params).y, np.where(y % 2 == 1, 1, -1))
    assert np.array_equal(load(name, one_against_rest=3, **params).y, np.where(y == 3, 1, -1))


def test_mnist_scales(load):
    unit, stored = load("mnist", part="test", pair=[4, 7]), load("mnist", part="test", pair=[4, 7], scale="stored")
    assert (stored.X.min(), stored.X.max()) == (0.0, 255.0)
    assert np.array_equal(unit.X, stored.X / 255.0)


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


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"pair": [4, 4]}, "two different classes"),
        ({"pair": [4]}, "two different classes"),
        ({"pair": "47"}, "two different classes"),
        ({"pair": [4, 11]}, "pair names class 11; the classes are"),
        ({"one_against_rest": 10}, "one_against_rest names class 10"),
        ({"task": "parity"}, "task is 'parity', expected 'odd-even'"),
        ({"task": "odd-even", "pair": [4, 7]}, "only one of"),
    ],
)
def test_unknown_problems_are_refused(declared, params, message):
    with pytest.raises(ValueError, match=message):
        declared["digits"].load(**params)
