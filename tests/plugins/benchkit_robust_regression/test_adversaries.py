"""The adversaries of responses: what they change, what they say of it, and that budgets nest."""

import numpy as np
import pytest

from benchkit_robust_regression.adversaries import CorruptAdaptive, CorruptResponses, RandomScores

ADVERSARIES = [
    CorruptResponses(),
    CorruptResponses(noise=0),
    RandomScores(),
    CorruptAdaptive(),
    CorruptAdaptive(model="shifted"),
]


@pytest.mark.parametrize("adversary", ADVERSARIES, ids=lambda each: type(each).__name__)
def test_a_larger_budget_extends_a_smaller_one(draw, attack, adversary):
    X, y, _, _ = draw(n=50, p=4)
    small, large = (adversary.corrupt(attack(X, y, budget)) for budget in (0.1, 0.3))
    touched, more = (~found.truth["clean_rows"] for found in (small, large))
    assert (touched.sum(), more.sum()) == (5, 15)
    assert more[touched].all()
    np.testing.assert_array_equal(large.y[touched | ~more], small.y[touched | ~more])
    assert small.X is X


def test_corrupt_responses_has_the_paper_s_distributions(draw, attack):
    X, y, _, _ = draw(n=20000, p=2, k=1)
    found = CorruptResponses().corrupt(attack(X, y, 0.5))
    clean = found.truth["clean_rows"]
    assert np.var((found.y - y)[clean]) == pytest.approx(0.1, rel=0.05)
    reach = 5 * np.abs(y).max()
    assert np.var((found.y - y)[~clean]) == pytest.approx(reach**2 / 3, rel=0.05)
    assert np.abs(found.y - y).max() <= reach + 1
    only_noise = CorruptResponses(scale=0).corrupt(attack(X, y, 0.5))
    assert np.var((only_noise.y - y)[~clean]) == pytest.approx(0.01, rel=0.05)
    exact = CorruptResponses(noise=0).corrupt(attack(X, y, 0.5))
    np.testing.assert_array_equal(exact.y[clean], y[clean])


def test_random_scores_are_whole_and_cover_the_scale(attack):
    y = np.full(2000, 7.0)
    found = RandomScores().corrupt(attack(np.ones((2000, 1)), y, 0.5))
    corrupted = ~found.truth["clean_rows"]
    assert set(found.y[corrupted]) == set(range(1, 11))
    assert set(found.y[~corrupted]) == {7.0}


def test_corrupt_adaptive_moves_to_one_model_where_it_hurts_most(draw, attack):
    X, y, coef, _ = draw(n=100)
    found = CorruptAdaptive(noise=0).corrupt(attack(X, y, 0.4))
    corrupted = ~found.truth["clean_rows"]
    np.testing.assert_allclose(found.y[corrupted], -(X @ coef)[corrupted])
    assert np.abs(y[corrupted]).min() >= np.abs(y[~corrupted]).max()
    shifted = CorruptAdaptive(model="shifted", noise=0).corrupt(attack(X, y, 1.0))
    wrong = np.linalg.lstsq(X, shifted.y, rcond=None)[0]
    np.testing.assert_allclose(X @ wrong, shifted.y, atol=1e-10)  # one linear model explains all of them
    assert np.linalg.norm(shifted.y - y) == pytest.approx(np.linalg.norm(y))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: CorruptResponses(noise=-1), "noise is -1"),
        (lambda: CorruptResponses(noise="0.1"), "noise is '0.1', expected a number of at least 0"),
        (lambda: CorruptResponses(scale=np.inf), "scale is inf"),
        (lambda: RandomScores(low=3, high=2), "least score comes first"),
        (lambda: CorruptAdaptive(model="other"), "model is 'other'"),
        (lambda: CorruptAdaptive(strength=-1), "strength is -1"),
    ],
)
def test_bad_parameters_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()
