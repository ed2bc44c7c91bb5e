"""Many classes: one against the rest, and the adversaries that attack its class scores."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.svm import SVC

from benchkit import AttackContext, NotApplicableError
from benchkit_deletion.adversaries.linear import GreedyDelete
from benchkit_feature_noise.estimators.lp import RobustLinearProgram
from benchkit_feature_noise.estimators.one_versus_rest import BASES, OneVersusRest

X, Y = load_iris(return_X_y=True)
X = (X - X.mean(axis=0)) / X.std(axis=0)


def attack(model):
    rng = np.random.default_rng(0)
    return AttackContext(X=X, y=Y, budget=1.0, feature_values=np.ones(4), rng=rng, model=model, raw=X)


@pytest.mark.parametrize("name", BASES)
def test_every_base_fits_three_classes(name):
    model = OneVersusRest(name, C=0.5, budget=1, feature_values=[1, 1, 2, 2], random_state=0).fit(X, Y)
    assert model.coef_.shape == (3, 4)
    assert model.score(X, Y) > 0.6  # the middle class is not linearly separable from the rest
    np.testing.assert_array_equal(model.predict(X), model.decision_function(X).argmax(axis=1))


def test_bases_get_their_parameters():
    model = OneVersusRest("fdrop-v", C=0.5, budget=1.5, feature_values=[1, 1, 2, 2]).fit(X, Y)
    first = model.estimators_[0]
    assert (first.C, first.n_deleted, first.feature_values) == (0.5, 1.5, [1, 1, 2, 2])


def test_two_classes_are_the_base_itself():
    rows = Y < 2
    model = OneVersusRest("lp", C=0.3, budget=1).fit(X[rows], Y[rows])
    base = RobustLinearProgram(C=0.3, noise_budget=1).fit(X[rows], Y[rows])
    np.testing.assert_allclose(model.coef_, base.coef_)
    np.testing.assert_array_equal(model.predict(X[rows]), base.predict(X[rows]))


def test_scores_that_are_not_one_form_per_class_are_refused():
    with pytest.raises(NotApplicableError, match="the scores of SVC are not one linear form per class"):
        GreedyDelete().corrupt(attack(SVC(kernel="linear").fit(X, Y)))
