"""Repetitions that go on until claims are decided."""

import itertools
import shutil
from collections import Counter
from functools import partial
from types import SimpleNamespace

import pytest

import benchkit
from benchkit.cli.interface.options import parse_within
from benchkit.errors import RequestError
from benchkit.journal.manifest import read_manifest
from benchkit.report.questions import questions_of
from benchkit.report.stored_results import load
from benchkit.session import run as session_run
from benchkit.session.past import replan
from benchkit.suite.source import SuiteError


def drawn(label, mean, **params):
    return {"name": "drawn", "label": label, "params": {"mean": mean, **params}}


SUITE = {
    "name": "rounds",
    "datasets": ["breast", {"name": "breast", "label": "again"}],
    "split": {"repetitions": {"least": 5, "most": 25}, "train": 40, "test": 40},
    "algorithms": [drawn("a", 0.0), drawn("b", 1.5), drawn("c", 1.52)],
    "metrics": ["drawn-value"],
    "expect": [
        {"claim": "a beats b", "order": ["a", "b"]},
        {"claim": "a beats c on one", "order": ["a", "c"], "datasets": ["breast"]},
    ],
    "seed": 3,
}


def run_in(folder, plugin, changes, out="runs", **options):
    settings = {"executor": "inline", "tracking": False, "until_decided": True, **options}
    return benchkit.run({**SUITE, **changes}, plugins=[plugin], out=folder / out, **settings)


@pytest.fixture
def go(method, tmp_path):
    return partial(run_in, tmp_path, method)


@pytest.fixture(scope="module")
def whole(method, tmp_path_factory):
    """The suite, run until all is decided."""
    return run_in(tmp_path_factory.mktemp("whole"), method, {})


def counts(results):
    return Counter((row["dataset"], row["algorithm"]) for row in results.records)


def told(results):
    """Trials with what they measured, which no repetition of them changes."""
    keys = "dataset", "algorithm", "repetition", "metrics"
    return {row["trial"]: [row[key] for key in keys] for row in results.records}


def test_repetitions_end_when_all_is_decided_and_are_the_same_of_every_cell(whole, go):
    assert [verdict.outcome for verdict in whole.verdicts()] == ["supported", "supported"]
    assert whole.ok
    reached = counts(whole)
    (count,) = set(reached.values())
    assert 5 < count < 25
    for row in whole.records:  # the first repetitions, without a gap
        assert row["repetition"] < reached[row["dataset"], row["algorithm"]]
    assert read_manifest(whole.folder)["complete"]
    again = load(whole.folder)
    assert (again.until_decided, list(again.verdicts())) == (True, list(whole.verdicts()))
    planned = told(go({"split": {**SUITE["split"], "repetitions": 25}}, until_decided=False))
    assert len(planned) == 150
    assert all(planned[trial] == row for trial, row in told(whole).items())


def test_a_run_goes_on_from_any_line_of_its_journal(whole, go, tmp_path):
    journal = whole.folder.parent / "trials.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    for kept in (3, len(lines) - 1, len(lines)):
        folder = tmp_path / f"cut-{kept}" / "rounds"
        folder.mkdir(parents=True)
        (folder / "trials.jsonl").write_text("".join(lines[:kept]))
        shutil.copytree(journal.parent / "rows", folder / "rows")
        results = go({}, out=f"cut-{kept}")
        assert results.reused == kept
        assert [verdict.outcome for verdict in results.verdicts()] == ["supported", "supported"]
        assert told(whole).items() <= told(results).items() or told(results).items() <= told(whole).items()
    assert results.ran == 0


def test_a_method_that_fails_is_run_once_for_each_trial(go):
    methods = [drawn("a", 0.0), drawn("b", 0.1), {"name": "svm", "params": {"C": -1}}]
    split = {**SUITE["split"], "repetitions": {"least": 5, "most": 8}}
    results = go({"algorithms": methods, "expect": SUITE["expect"][:1], "split": split})
    lines = (results.folder.parent / "trials.jsonl").read_text().splitlines()
    assert len(lines) == len(results.records) == sum(results.statuses.values())
    assert (results.statuses["failed"], results.ran) == (16, 48)


def test_shards_decide_as_one_run_does_and_one_without_trials_says_so(whole, go, tmp_path):
    parts = [go({}, out=f"part{index}", shard=f"{index}/2") for index in (1, 2)]
    assert [{name for name, _ in counts(part)} for part in parts] == [{"breast"}, {"again"}]
    merged = benchkit.merge([part.folder for part in parts], out=tmp_path / "merged")
    assert merged.until_decided
    assert [each.outcome for each in merged.verdicts()] == [each.outcome for each in whole.verdicts()]
    assert merged.manifest["positions"] == sorted(merged.manifest["positions"])
    _, trials = replan(parts[1].folder, trust=False, why="a test")
    names = {row["trial"]: (row["dataset"], row["repetition"]) for row in parts[1].records}
    assert {name: (trial.dataset.label, trial.repetition) for name, trial in trials.items()} == names
    with pytest.warns(UserWarning, match="rounds: --shard 3/3 has no trials, .* a dataset, or a group of them, stays"):
        assert len(go({}, shard="3/3").records) == 0


def test_without_claims_every_method_is_compared_with_the_best_up_to_the_margin(go):
    methods = [drawn("a", 0.0, sd=0.3), drawn("as-good", 0.05, sd=0.3), drawn("bad", 3.0, sd=0.3)]
    results = go({"expect": [], "datasets": ["breast"], "margin": 1.0, "algorithms": methods})
    (question,) = questions_of(results)
    assert (question.decided, question.open) == (True, False)
    (count,) = set(counts(results).values())
    assert count < 25
    assert ("as good: " in question.answer, "bad" in question.answer) == (True, False)


@pytest.mark.parametrize(
    ("mean", "asked", "repetitions"),
    [
        (1.51, {"expect": [], "margin": 0}, 5),  # methods that tie exactly are settled at once
        # Values that count rows, here 10 of 40, tie by chance: they are settled from twenty repetitions on.
        (0.25, {"expect": [{"claim": "the same", "alike": ["one", "other"]}]}, 22),
    ],
)
def test_methods_that_tie_are_settled(go, mean, asked, repetitions):
    methods = [drawn("one", mean, sd=0.0), drawn("other", mean, sd=0.0)]
    results = go({"datasets": ["breast"], "algorithms": methods, **asked})
    (question,) = questions_of(results)
    assert question.decided
    assert set(counts(results).values()) == {repetitions}


def test_time_that_is_up_ends_a_run_well_and_the_next_one_goes_on(go, monkeypatch):
    suite = {"datasets": ["breast"], "expect": [{"claim": "the same", "alike": ["b", "c"], "tolerance": 0.001}]}
    suite["algorithms"] = [drawn("b", 1.5), drawn("c", 1.52)]
    with monkeypatch.context() as patch:
        # A clock that goes on by a second whenever it is looked at, which is once a look.
        patch.setattr(session_run, "time", SimpleNamespace(perf_counter=partial(next, itertools.count())))
        cut = go(suite, within=3)
    assert (cut.ok, cut.interrupted) == (True, False)
    assert 0 < len(cut.records) < 50
    assert sorted(read_manifest(cut.folder)["trials"]) == sorted(told(cut))
    rest = go(suite)
    assert rest.reused == len(cut.records)
    assert set(counts(rest).values()) == {25}
    (question,) = questions_of(rest)
    assert question.open
    assert read_manifest(rest.folder)["until_decided"]


def test_what_asks_for_more_repetitions_gives_as_many(method, call_benchkit, tmp_path, write_suite):
    methods = [{**drawn(label, mean), "datasets": ["breast"]} for label, mean in (("b", 1.5), ("c", 1.52))]
    suite = write_suite({**SUITE, "expect": [], "algorithms": methods})
    command = ["run", suite, "--plugin", str(method), "--executor", "inline", "--no-tracking", "--no-plots"]
    for more, trials in (["--set", "split.repetitions=8"], 16), (["--most", "10"], 4):
        ended = call_benchkit(tmp_path, *command, "--until-decided", *more)
        assert f"\n{trials} trials run" in ended.stdout
        assert "more repetitions: the same command with --most N" in ended.stdout
        assert [ended.stderr.count(text) for text in ("none of its trials run", "writing the report")] == [1, 1]


@pytest.mark.parametrize(
    ("split", "options", "message"),
    [
        ({}, {}, "needs independent repetitions"),
        ({"method": "k-fold", "folds": 5, "repetitions": 4}, {}, "needs independent repetitions"),
        ({"time": "mean radius", "test": 40, "repetitions": 4}, {}, "needs independent repetitions"),
        ({"repetitions": {"least": 9, "most": 7}}, {}, r"least \(9\) is more than most \(7\)"),
        ({"repetitions": {"least": 9}}, {"most": 7}, "nothing is decided below 9 repetitions, and 7 are the most"),
        ({"repetitions": 9}, {"within": 9.0, "until_decided": False}, "together with --until-decided"),
        ({"repetitions": 9}, {"within": 0}, "--within 0: "),
        ({"repetitions": {"least": 5}}, {"most": 6}, "nothing is decided below 7 repetitions, .*: give --most 7"),
        # Without claims the pairs of a place share its level, which takes more.
        ({"repetitions": {"least": 5, "most": 8}, "expect": []}, {}, "nothing is decided below 9 repetitions, and 8"),
        ({"repetitions": 9}, {"only": {"repetition": "3"}}, "--only repetition chooses repetitions"),
    ],
)
def test_what_cannot_go_on_is_refused_in_one_line(go, split, options, message):
    with pytest.raises(SuiteError, match=message) as refused:
        go({"split": split, "expect": split.pop("expect", SUITE["expect"])}, **options)
    assert "\n" not in str(refused.value)


def test_a_data_set_that_cannot_go_on_is_no_hindrance_to_others(go):
    folded = {"name": "breast", "label": "folded", "split": {"method": "k-fold", "folds": 5, "repetitions": 5}}
    results = go({"datasets": ["breast", folded], "expect": SUITE["expect"][1:]}, only={"dataset": "breast"})
    assert [verdict.outcome for verdict in results.verdicts()] == ["supported"]


def test_durations():
    assert parse_within("2h") == parse_within("120m") == parse_within("1h60min") == parse_within("7200") == 7200
    for text in ("", "soon", "2x", "h", "1h x"):
        with pytest.raises(RequestError, match="expected a time such as 2h"):
            parse_within(text)
