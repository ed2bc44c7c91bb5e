"""docs/judge.md: what it says of its tables, and what its counts come to."""

import contextlib
from pathlib import Path

import pandas as pd
import pytest

from benchkit_judge.judge import holds
from benchkit_judge.judge import judge as judged_by
from tests.conftest import load_script

DOCS = Path(__file__).parents[3] / "docs"
COUNTS = DOCS / "judged" / "calibration.csv"
PAGE = (DOCS / "judge.md").read_text(encoding="utf-8")


def judged(file, **options):
    return judged_by(DOCS / file, higher_is_better=True, **options)


def words(text):
    return " ".join(text.split())


def test_what_is_said_of_the_tables_holds():
    """The sentences below the outputs, each as a relation or a count."""
    demsar, by_ranks, signed = (judged("judged/demsar-2006.csv", by=by) for by in ("mean", "ranks", "wilcoxon"))
    assert demsar.relation("C4.5+m", "C4.5") == demsar.relation("C4.5+m+cf", "C4.5") == "better"
    assert by_ranks.counts["decided"] == 0
    assert signed.counts["decided"] == 1
    assert signed.relation("C4.5+m", "C4.5") == "better"
    systems = judged("judged/amlb-2019-binary.csv", by="ranks")
    for name in ("randomforest", "autoweka"):
        assert systems.relation("h2oautoml", name) == "better"
    assert all(systems.relation(name, "constantpredictor") == "better" for name in systems.methods[:-1])
    for first, second in (("h2oautoml", "autosklearn"), ("h2oautoml", "tpot"), ("autosklearn", "tpot")):
        assert systems.relation(first, second) == "open"
    for name in ("autosklearn", "tpot"):
        assert systems.relation(name, "randomforest") == "open"
    digits = judged("judged/digits-items.csv", within=0.02)
    for worse in ("tree", "naive-bayes"):
        assert all(holds(digits, f"{name} better than {worse}")[0] for name in digits.methods[:5])


@pytest.fixture(scope="module")
def calibration():
    return load_script(DOCS / "site" / "judge_calibration.py")


def test_the_sentences_on_simulations_are_those_of_the_counts(calibration):
    counts = calibration.summed(COUNTS)
    for line in calibration.said(counts):
        assert words(line) in words(PAGE)


def test_counts_are_within_what_is_promised(calibration):
    """5 % of all tables at most, and of no setting clearly more (all settings at once: Bonferroni)."""
    from scipy.stats import binomtest

    counts = calibration.summed(COUNTS)
    assert counts["wrong"].sum() <= 0.05 * counts["tables"].sum()
    assert counts["covered"].sum() >= 0.95 * counts["tables"].sum()
    for row in counts.itertuples():
        assert binomtest(row.wrong, row.tables, 0.05, alternative="greater").pvalue > 0.05 / len(counts)
    assert set(counts["methods"]) == {5, 20, 60, 200}
    assert (counts["units"].min(), counts["units"].max()) == (6, 10_000)
    assert (counts.query("methods == 200 and units == 10000")["tables"] > 0).any()


def test_a_setting_is_counted_again_alike(calibration, tmp_path, monkeypatch):
    """The first round of small settings, against the file's; but intervals of few units have become wider since."""
    monkeypatch.setattr(calibration, "settings", lambda: [("groups", 5, 6, 200), ("signed", 5, 12, 200)])
    with contextlib.suppress(SystemExit):
        calibration.run(tmp_path / "counts.csv", 1, 10)
    keys = ["case", "methods", "units", "round"]
    again, kept = (pd.read_csv(path).set_index(keys) for path in (tmp_path / "counts.csv", COUNTS))
    for name in ("tables", "wrong", "covered"):
        assert (again[name] == kept.loc[again.index, name]).all()
    assert (again["intervals"] >= kept.loc[again.index, "intervals"]).all()
