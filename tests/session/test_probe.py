"""A plan says how long trials may take before one was run."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchkit.cli.main import app
from benchkit.session import probe as probing
from benchkit.session.plan import plan
from benchkit.session.probe import probe
from benchkit.session.request import Request

SUITE = """\
name: own
datasets: [{name: csv, path: t.csv, target: y, label: t}]
split: {repetitions: 4, train: 0.5, validation: 0.25, test: 0.25}
algorithms: [logistic-regression, constant, {name: fdrop, tune: {data: corrupted}}]
adversaries: [{name: random-delete, budgets: [0, 1, 2]}]
"""


@pytest.fixture(autouse=True)
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(1000, 3)), columns=list("abc"))
    frame.assign(y=np.where(frame.a > 0, "yes", "no")).to_csv("t.csv", index=False)


def reuse_of(text):
    Path("own.yaml").write_text(text)
    return plan(Request("own.yaml"))


def test_every_method_is_tried():
    found = probe(reuse_of(SUITE), limit=60)
    assert found.origin == "a probe of each method on some rows"
    assert 0 < found.seconds < 600


def test_what_fits_warn_of_while_they_are_tried_is_not_shown(recwarn):
    early = SUITE.replace("logistic-regression", "{name: logistic-regression, params: {max_iter: 1}}")
    assert probe(reuse_of(early), limit=60) is not None
    assert [str(each.message) for each in recwarn] == []


def test_fits_that_trials_share_are_counted_once_a_repetition(monkeypatch):
    monkeypatch.setattr(probing, "_whole", lambda trial: (100.0, 1.0))
    # 36 trials; two methods are fitted once in each of 4 repetitions, fdrop in each of its 12 trials.
    assert probe(reuse_of(SUITE)).seconds == 36 + 100 * (4 + 4 + 12)


def test_seconds_of_fits_grow_as_two_sizes_tell(monkeypatch):
    def tried(trial, rows):
        return probing._Tried(fit=rows**1.5, rest=rows / 100, n_train=rows, n_rows=4800)

    monkeypatch.setattr(probing, "_try", tried)
    fit, rest = probing._whole(reuse_of(SUITE).left[0][1])
    assert fit == pytest.approx(2400**1.5)
    assert rest == pytest.approx(24)


def test_methods_that_there_was_no_time_for_take_the_average(monkeypatch):
    clock = iter([0.0, 0.0, 10.0, 10.0])
    monkeypatch.setattr(probing.time, "perf_counter", lambda: next(clock))
    monkeypatch.setattr(probing, "_whole", lambda trial: (0.0, 1.0))
    found = probe(reuse_of(SUITE))
    assert found.seconds == 36
    assert found.origin.endswith("(2 of 3 untried, so that it may take many times as long)")


def test_a_method_is_tried_at_a_middling_budget_of_its_first_repetition(monkeypatch):
    tried = []
    monkeypatch.setattr(probing, "_whole", lambda trial: tried.append(trial) or (0.0, 1.0))
    probe(reuse_of(SUITE.replace("[0, 1, 2]", "[0, 2, 3]")))
    assert [(trial.repetition, trial.adversary.amount) for trial in tried] == [(0, 2)] * 3


@pytest.mark.parametrize(
    ("algorithm", "told"),
    [
        ("{name: column-dropout, params: {estimator: lpp}}", "fails: ValueError: estimator is 'lpp'"),
        ("{name: adversarial-columns, params: {estimator: impute-svm}}", "is skipped: "),
    ],
)
def test_what_fails_when_it_is_tried_is_told_before_it_runs(algorithm, told, capsys):
    text = SUITE.replace("{name: fdrop, tune: {data: corrupted}}", algorithm)
    name = algorithm.split("name: ")[1].split(",")[0]
    (line,) = probe(reuse_of(text), limit=60).failed
    assert line.startswith(f"{name} on t under random-delete at 1 {told}")
    app(["plan", "own.yaml"], standalone_mode=False)
    assert f"warning: {name} on t under random-delete at 1 {told}" in " ".join(capsys.readouterr().err.split())
    alone = text.replace("logistic-regression, constant, ", "")
    assert probe(reuse_of(alone), limit=60).seconds is None


@pytest.mark.parametrize(
    ("adversary", "under"),
    [("", ""), ("adversaries: [{name: random-delete, budgets: [50%]}]", " under random-delete at 0.5 of all")],
)
def test_what_fails_is_told_with_a_budget_that_is_a_share_and_without_one(adversary, under):
    text = SUITE.replace("{name: fdrop, tune: {data: corrupted}}", "{name: column-dropout, params: {estimator: lpp}}")
    (line,) = probe(
        reuse_of(text.replace("adversaries: [{name: random-delete, budgets: [0, 1, 2]}]", adversary)), limit=60
    ).failed
    assert line.startswith(f"column-dropout on t{under} fails: ")


def test_data_that_is_not_here_is_told_once(tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHKIT_DATA", str(tmp_path / "nowhere"))
    text = SUITE.replace("{name: csv, path: t.csv, target: y, label: t}", "spambase")
    (line,) = probe(reuse_of(text), limit=60).failed
    assert line.startswith("trials on spambase are skipped: ")
    assert "benchkit data get" in line


def test_what_cannot_be_tried():
    assert probe(reuse_of(f"{SUITE}exclusive: true\n")) is None
    whole = SUITE.replace("{repetitions: 4, train: 0.5, validation: 0.25, test: 0.25}", "{method: none}")
    assert probe(reuse_of(whole.replace("tune: {data: corrupted}", "params: {C: 1}"))) is None


def test_what_was_tried_is_remembered_for_more_repetitions_and_tried_again_where_the_method_changes(monkeypatch):
    tried = []

    def whole(trial):
        tried.append(trial.algorithm.label)
        return 2.0, 1.0

    monkeypatch.setattr(probing, "_whole", whole)
    once = probe(reuse_of(SUITE))
    assert tried == ["logistic-regression", "constant", "fdrop"]
    again = probe(reuse_of(SUITE.replace("repetitions: 4", "repetitions: 8")), limit=0.0)
    assert len(tried) == 3
    assert (again.seconds, again.origin) == (2 * once.seconds, once.origin)
    probe(reuse_of(SUITE.replace("[logistic-regression,", "[{name: logistic-regression, params: {C: 2}},")))
    assert tried[3:] == ["logistic-regression"]


def test_fits_that_take_long_are_named():
    quick = {("a", "svm"): (1.0, 5.0), ("a", "o2b"): (2.0, 0.0)}
    assert probing._longest(quick) == ""
    slow = {**quick, ("b", "lp"): (2400.0, 1.0), ("a", "lp"): (70.0, 1.0), ("a", "none"): None}
    assert probing._longest(slow) == "; one fit, tuned: lp about 40 min, o2b about 2 s, svm about 1 s"
