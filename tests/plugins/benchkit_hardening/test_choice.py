"""A choice of methods answers as the method within does, and tells it what it is told."""

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

from benchkit import registry, run
from benchkit_deletion.models.reading import read_model
from benchkit_hardening.choice import Choice


@pytest.fixture
def rows():
    """Two classes that the first of four columns tells best."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=120)
    X = rng.normal(size=(120, 4))
    X[:, :3] += (2 * y[:, None] - 1) * np.array([2.0, 1.0, 1.0])
    return X, y


@pytest.mark.parametrize(
    ("name", "params", "told"),
    [
        ("lp", {"C": 0.3}, {"noise_budget": 2.0, "feature_values": [1.0, 1.0, 2.0, 1.0]}),
        ("additive-fdrop", {"C": 0.1, "n_bins": 4}, {"budget": 2.0, "feature_values": [1.0, 1.0, 2.0, 1.0]}),
        (
            "adversarial-columns",
            {"estimator": {"name": "random-forest", "params": {"n_estimators": 5, "max_depth": 3}}, "rounds": 2},
            {"n_deleted": 2.0, "feature_values": [1.0, 1.0, 2.0, 1.0], "fill": "zero", "groups": [[0, 1]]},
        ),
    ],
)
def test_it_answers_as_the_method_that_is_told_the_same(rows, name, params, told):
    X, y = rows
    choice = Choice(
        {"name": name, "params": params},
        n_deleted=2.0,
        fill="zero",
        feature_values=[1.0, 1.0, 2.0, 1.0],
        groups=[[0, 1]] if "groups" in told else (),
        random_state=3,
    ).fit(X, y)
    drawn = {name: value for name, value in choice.model_.get_params().items() if name == "random_state"}
    alone = registry().algorithms[name].make(**params, **told, **drawn).fit(X, y)
    np.testing.assert_array_equal(choice.predict(X), alone.predict(X))
    read, expected = (read_model(each, X, np.zeros(4)) for each in (choice, alone))
    np.testing.assert_array_equal(read.scores(X), expected.scores(X))


def test_parameters_that_are_given_stay(rows):
    fitted = Choice({"name": "lp", "params": {"noise_budget": 1.0}}, n_deleted=3.0, random_state=0).fit(*rows)
    assert fitted.model_.noise_budget == 1.0


def test_answers_are_those_that_the_method_within_has(rows):
    X, y = rows
    assert not hasattr(Choice("lp").fit(X, y), "predict_proba")
    boosting = Choice(HistGradientBoostingClassifier(max_iter=5, random_state=0)).fit(X, y)
    np.testing.assert_array_equal(boosting.predict_proba(X), boosting.model_.predict_proba(X))
    np.testing.assert_array_equal(boosting.decision_function(X), boosting.model_.decision_function(X))


@pytest.mark.filterwarnings("ignore:.*(alone (predicts|explains)|split at random)")  # the table is made so
def test_struck_rows_choose_what_loss_does_not_hurt(tmp_path):
    """One column tells the class; without it rows look like the rarer one: the larger class errs less."""
    y = np.tile([0, 0, 0, 1], 30)
    path = tmp_path / "told.csv"
    table = np.column_stack([np.where(y == 0, 2.0, -1.0), np.zeros(120), y])
    np.savetxt(path, table, delimiter=",", header="first,idle,y", comments="")
    results = run(
        {
            "name": "chosen",
            "datasets": [{"name": "csv", "params": {"path": str(path), "target": "y"}}],
            "algorithms": [
                {
                    "name": "choice",
                    "params": {"fill": "zero"},
                    "tune": {
                        "data": "corrupted",
                        "grid": {"estimator": [{"name": "random-forest", "params": {"n_estimators": 3}}, "constant"]},
                    },
                }
            ],
            "adversaries": [{"name": "exact-tree-delete", "budgets": [0, 1]}],
            "split": {"repetitions": 2, "train": 60, "validation": 30, "test": 30},
            "metrics": ["error"],
        },
        out=tmp_path / "runs",
        executor="inline",
        tracking=False,
    )
    chosen = {(row["budget"], str(row["params"]["estimator"])) for row in results.rows}
    assert {name for budget, name in chosen if budget == 0} == {
        "{'name': 'random-forest', 'params': {'n_estimators': 3}}"
    }
    assert {name for budget, name in chosen if budget == 1} == {"constant"}
