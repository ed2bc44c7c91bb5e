"""Models trained for lost columns, audited beside the one that there is."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import benchkit
from benchkit_audit import hardened
from benchkit_audit.estimates import Estimate
from benchkit_audit.findings import findings_of
from benchkit_audit.hardened import LOST
from tests.plugins.benchkit_audit.conftest import finding

N = 200


def table(seed):
    """Four columns that carry the same with noise, of which the model below reads one; a place that tells nothing."""
    random = np.random.default_rng(seed)
    label = random.integers(0, 2, N)
    X = pd.DataFrame({name: 2 * label - 1 + 0.8 * random.normal(size=N) for name in "abcd"})
    X["place"] = random.choice(["north", "south"], N)
    return X, np.where(label == 1, "yes", "no")


def one_column(frame):
    """It answers by one column, so that its loss is the loss of all."""
    return np.where(frame["a"].fillna(-1.0) > 0, "yes", "no")


@pytest.fixture(scope="module")
def report():
    return benchkit.audit(one_column, *table(1), train=table(0), seconds=1e6)


def methods(monkeypatch, *names, **changes):
    """Some of the methods alone, one of them declared otherwise where that is asked for."""
    known = benchkit.registry().algorithms
    some = [replace(known[name], make=known[name].make.target, **changes.get(name, {})) for name in names]
    monkeypatch.setattr(hardened, "declared_methods", lambda task: some)


def test_every_method_is_trained_and_audited_on_the_same_rows(report):
    made = {each.name: each for each in report.outcome.hardened}
    assert set(made) == {"column-dropout", "adversarial-columns", "fdrop", "lp", "additive-fdrop"}
    # For the loss that it is compared at.
    budgets = {"lp": "noise_budget", "additive-fdrop": "budget", "fdrop": "n_deleted"}
    budgets["adversarial-columns"] = "n_deleted"
    for name, param in budgets.items():
        assert made[name].outcome.subject.model.steps[-1][1].get_params()[param] == LOST
    for each in made.values():
        assert not each.failed
        assert each.outcome.subject.n_rows == N
        assert {len(one.sources) for one in each.outcome.sets} == {1, 2}
        # Paired by row: the difference of the means on the same rows.
        difference = each.outcome.before.value - report.outcome.before.value
        assert each.price.value == pytest.approx(difference)
        mine, own = (next(one for one in of.sets if len(one.sources) == LOST) for of in (report.outcome, each.outcome))
        assert each.gain.value == pytest.approx(mine.loss.value - own.loss.value)


def test_what_helps_is_said_with_its_price_and_what_does_not_is_not(report):
    assert finding(report, "BK014").level == "tip"
    names = [each.name for each in report.outcome.hardened if each.gain.low > 0.2]
    assert any(f"Trained for lost columns, {name} " in " ".join(report.steps) for name in names)
    # What another finding advises agrees with it.
    assert finding(report, "BK004").level == "issue"
    assert "BK014" in finding(report, "BK004").advice
    assert "What would help" in report.to_html()
    assert [each["name"] for each in report.to_dict()["hardened"]] == [each.name for each in report.outcome.hardened]


def test_nothing_is_promised_where_no_model_is_better(audit_parts, monkeypatch):
    methods(monkeypatch, "column-dropout")
    X, y = table(1)
    noise = np.random.default_rng(5).permutation(y)
    model = LogisticRegression().fit(X[list("abcd")], y)
    report = audit_parts("sets", model, X, noise, train=(table(0)[0], noise))
    assert finding(report, "BK014").level == "passed"
    assert "Trained for lost columns" not in " ".join(report.steps)


@pytest.mark.parametrize(("gains", "advised"), [([], True), ([0.3], True), ([-0.3], False)])
def test_training_is_advised_unless_it_was_tried_in_vain(report, gains, advised):
    price, *gained = (Estimate(value, value - 0.02, value + 0.02, 100) for value in (0.0, *gains))
    tried = [replace(report.outcome.hardened[0], price=price, gain=gain, failed="") for gain in gained]
    told = {each.code: each for each in findings_of(replace(report.outcome, hardened=tried))}["BK004"]
    assert (told.level, told.advice.startswith("Train")) == ("issue", advised)
    assert ("BK014" in told.advice) == bool(gains)


def test_three_classes_leave_out_what_is_binary(audit_parts, monkeypatch):
    methods(monkeypatch, "lp", "column-dropout")
    X, _ = table(2)
    y = 5 * np.digitize(X["a"], [-0.5, 0.5])
    report = audit_parts("sets", lambda frame: 5 * np.digitize(frame["a"].fillna(0), [-0.5, 0.5]), X, y, train=(X, y))
    assert [each.name for each in report.outcome.hardened] == ["column-dropout"]
    own = report.outcome.hardened[0].outcome.subject.model  # as texts its classes 5 and 10 sort otherwise
    report = audit_parts("sets", lambda frame: own.predict(frame).astype(int), X, y, train=(X, y))
    assert report.outcome.hardened[0].gain.value == 0.0


def test_a_regression_is_compared_with_regressions_and_without_a_table_nothing_is(audit_parts):
    """Four columns carry the target with noise; the model reads one, and so loses all with it."""
    random = np.random.default_rng(0)

    def numbers():
        y = random.normal(100, 20, 400)
        return pd.DataFrame({name: y + random.normal(0, 5, 400) for name in "abcd"}), y

    def one(frame):
        return frame["a"].fillna(0.0)

    X, y = numbers()
    report = audit_parts("sets", one, X, y, train=numbers())
    assert [each.name for each in report.outcome.hardened] == ["column-dropout-regressor"]
    assert all(each.outcome is not None for each in report.outcome.hardened)
    assert finding(report, "BK014").level == "tip"
    assert finding(audit_parts("sets", one, X, y), "BK014").level == "not applicable"


def test_a_method_that_raises_or_takes_longer_than_there_is_time_is_told_and_the_others_stand(audit_parts, monkeypatch):
    methods(monkeypatch, "fdrop", "column-dropout", fdrop={"hardened": {"n_deleted": -1}, "summary": "linear"})
    report = audit_parts("sets", one_column, *table(1), train=table(0))
    assert [each.name for each in report.outcome.hardened] == ["column-dropout", "fdrop"]
    assert "n_deleted" in report.outcome.hardened[1].failed
    methods(monkeypatch, "column-dropout", "lp")
    monkeypatch.setattr("benchkit_audit.audit.TRAINING_SECONDS", 1e-9)
    report = audit_parts("sets", one_column, *table(1), train=table(0), seconds=1e-9)
    assert [each.outcome for each in report.outcome.hardened] == [None, None]
    assert "column-dropout, lp (" in report.steps[-1]
