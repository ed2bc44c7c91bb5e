"""Findings as checks of skore, in skore's own reports."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import benchkit
from benchkit_audit.skore_checks import skore_checks

skore = pytest.importorskip("skore")


def part(seed):
    random = np.random.default_rng(seed)
    X = pd.DataFrame(random.normal(size=(300, 3)), columns=["a", "b", "c"])
    return X, (X["a"] + 0.1 * random.normal(size=300) > 0).astype(int)


@pytest.fixture(scope="module")
def report():
    X, y = part(0)
    X_test, y_test = part(1)
    made = skore.EstimatorReport(LogisticRegression().fit(X, y), X_test=X_test, y_test=y_test)
    made.checks.add(skore_checks(seconds=1e6))
    return made


def test_findings_stand_where_skore_shows_its_own(report):
    for name in report.checks.available():
        code = name.partition(" ")[0]
        if not code.startswith("BK"):
            report.checks.remove(code)
    assert "BK002 - Column loss" in report.checks.available()
    table = report.checks.summarize().frame().set_index("code")
    assert table.loc["BK002", "section"] == "issue"
    assert "a (" in table.loc["BK002", "explanation"]
    assert table.loc["BK006", "section"] == "tip"
    assert table.loc["BK001", "section"] == "passed"
    assert table.loc["BK009", "section"] == "not_applicable"
    assert "BK013" not in table.index


def test_what_is_ignored_there_is_ignored(report):
    table = report.checks.summarize(ignore=["BK002"]).frame(section="ignored")
    assert table["code"].tolist() == ["BK002"]


def test_a_report_without_a_test_part_is_not_audited():
    (first, *_) = skore_checks()

    class Report:
        X_test = y_test = None

    with pytest.raises(skore.CheckNotApplicable, match="no test part"):
        first.check_function(Report())


def test_without_skore_it_is_told(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(benchkit.RequestError, match="skore is not installed"):
        skore_checks()
