"""ROC and calibration curves, against scikit-learn's."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn import metrics
from sklearn.calibration import calibration_curve

from benchkit.report.row_sections import calibration, mean_roc

SCORED = st.lists(st.tuples(st.booleans(), st.integers(0, 12).map(lambda tenth: tenth / 12)), min_size=2, max_size=40)


@given(SCORED)
def test_the_curve_rises_and_its_area_is_scikit_learns(scored):
    positive, scores = np.array([a for a, _ in scored]), np.array([b for _, b in scored])
    assume(positive.any() and not positive.all())
    found = mean_roc([(positive, scores)])
    assert found.area == pytest.approx(metrics.roc_auc_score(positive, scores))
    assert (np.diff(found.true_positives) >= 0).all()
    assert (found.false_positives[[0, -1]] == [0, 1]).all()
    assert found.true_positives[-1] == 1


def test_curves_are_averaged_and_scores_are_not():
    positive = np.array([False, False, True, True])
    scores = np.array([1.0, 2.0, 3.0, 4.0])
    assert mean_roc([(positive, scores), (positive, scores - 100)]).area == 1.0
    assert mean_roc([(positive, scores), (positive, -scores)]).area == 0.5
    assert mean_roc([(np.array([True, True]), scores[:2])]) is None


@given(SCORED)
def test_calibration_is_scikit_learns(scored):
    positive, chances = np.array([a for a, _ in scored]), np.array([b for _, b in scored])
    # At 1/3 and the like, bins end nowhere near a probability; scikit-learn puts ends into the lower bin.
    chances = np.clip(chances + 1e-3, 0, 1)
    assume(positive.any() and not positive.all())
    found = calibration([(positive[:1], chances[:1]), (positive[1:], chances[1:])])
    observed, predicted = calibration_curve(positive, chances, n_bins=10)
    assert [each.observed for each in found] == pytest.approx(observed.tolist())
    assert [each.predicted for each in found] == pytest.approx(predicted.tolist())
    assert sum(each.rows for each in found) == len(scored)
