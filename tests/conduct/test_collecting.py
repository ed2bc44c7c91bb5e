"""Collections run their suites one after another, or nothing at all."""

import pytest
from typer.testing import CliRunner

from benchkit.cli.main import app
from benchkit.conduct import Silent
from benchkit.conduct.collecting import open_collection, plan_collection, run_collection
from benchkit.report.collection import find_collection, load_collection
from benchkit.suite.load import SuiteError

CLAIM = {"claim": "nothing deleted, nothing lost", "source": "common sense", "algorithm": "constant", "at": [0]}


@pytest.fixture
def pair(write_suite, tiny):
    """A collection of two tiny suites, both with a profile ``quick``; one of them claims something wrong."""
    claims = [{**CLAIM, "between": [0, 1]}, {**CLAIM, "between": [0.9, 1], "paper": "1", "reason": "it is a test"}]
    quick = {"quick": {"split": {"repetitions": 1}}}
    write_suite({**tiny, "name": "one", "profiles": quick, "algorithms": ["constant"], "expect": claims}, "one.yaml")
    write_suite({**tiny, "name": "two", "profiles": quick, "algorithms": ["constant"]}, "two.yaml")
    return write_suite({"name": "both", "title": "Both", "include": ["one.yaml", "two.yaml"]}, "both.yaml")


def run(reference, **options):
    return run_collection(open_collection(reference), executor="inline", tracking=False, **options)


def test_each_suite_runs_into_its_own_store_and_is_reused(pair, tmp_path):
    out = tmp_path / "runs"
    first = run(pair, profile="quick", out=out)
    assert [(each.suite, each.ran, each.reused) for each in first.results] == [("one", 2, 0), ("two", 2, 0)]
    assert first.ok
    assert [(suite, verdict.outcome) for suite, verdict in first.verdicts()] == [
        ("one", "reproduced"),
        ("one", "not reproduced"),
    ]
    again = run(pair, profile="quick", out=out)
    assert [(each.ran, each.reused) for each in again.results] == [(0, 2), (0, 2)]
    assert (out / "one" / "trials.jsonl").read_text().count("\n") == 2
    loaded = load_collection(find_collection(out / "both"), {"error": False})
    assert loaded.folder == again.folder
    assert list(loaded.verdicts()) == list(again.verdicts())


def test_a_suite_without_the_profile_is_refused_before_anything_runs(pair, tmp_path, write_suite, tiny):
    write_suite({**tiny, "name": "two"}, "two.yaml")
    with pytest.raises(SuiteError, match=r"two\.yaml:.*unknown profile 'quick'"):
        run(pair, profile="quick", out=tmp_path / "runs")
    assert not (tmp_path / "runs").exists()


def test_an_interruption_leaves_out_the_rest(pair, tmp_path):
    class Interrupting(Silent):
        def finished(self, record):
            raise KeyboardInterrupt

        def __enter__(self):
            return self

        def __exit__(self, *problem):
            return None

    out = tmp_path / "runs"
    found = run(pair, out=out, progress=Interrupting)
    assert found.interrupted
    assert [each.suite for each in found.results] == ["one"]
    assert not (out / "two").exists()
    assert sorted(row["status"] for row in found.results[0].records) == ["interrupted"] * 3 + ["ok"]


def test_the_plan_of_a_collection(pair, tmp_path):
    planned = plan_collection(open_collection(pair), profile="quick", out=tmp_path)
    assert [len(each.left) for each in planned] == [2, 2]


def test_the_plan_says_how_long_before_anything_was_run(write_suite, tiny, tmp_path):
    quick = {"quick": {"split": {"repetitions": 1}, "hours": 0.02}, "paper": {}}
    path = write_suite({**tiny, "algorithms": ["constant", "svm"], "hours": 2, "profiles": quick})
    collection = write_suite({"name": "both", "include": [path]}, "both.yaml")
    for selected, expected in [
        ((), "about 2.0 h of one worker, from its 'hours'"),
        (("--profile", "paper"), "about 2.0 h of one worker"),
        (("--profile", "quick"), "about 72 s of one worker"),
        (("--only", "algorithm=svm"), "about 60 min of one worker"),
    ]:
        assert expected in command("plan", path, "--out", tmp_path, *selected)[1]
    assert "of one worker" not in command("plan", path, "--out", tmp_path, "--set", "seed=3")[1]
    shown = command("plan", collection, "--out", tmp_path, "--profile", "quick")[1]
    assert "about 72 s of one worker\n" in shown
    assert "another profile" not in shown


def test_only_leaves_out_the_suites_in_which_it_selects_nothing(pair, tmp_path, write_suite, tiny):
    write_suite({**tiny, "name": "two", "algorithms": ["svm"]}, "two.yaml")
    found = run(pair, out=tmp_path / "runs", only={"algorithm": "constant"})
    assert [each.suite for each in found.results] == ["one"]
    with pytest.raises(SuiteError, match="selects no trial"):
        run(pair, out=tmp_path / "runs", only={"algorithm": "absent"})
    both = run(pair, out=tmp_path / "more", only={"algorithm": ["constant", "svm"]})
    assert [(each.suite, {row["algorithm"] for row in each.records}) for each in both.results] == [
        ("one", {"constant"}),
        ("two", {"svm"}),
    ]
    with pytest.raises(SuiteError, match="algorithm=smv selects no trial"):
        run(pair, out=tmp_path / "more", only={"algorithm": ["constant", "smv"]})


def command(*arguments):
    found = CliRunner().invoke(app, [str(argument) for argument in arguments])
    return found.exit_code, found.output, found.exception


def test_the_command_line(pair, tmp_path, tiny, write_suite):
    out = ["--out", tmp_path / "runs"]
    code, output, _ = command("plan", pair, *out)
    assert code == 0
    assert "8 trials to run, about 0 s of one worker, not counting 2 suites of which" in output
    code, output, _ = command("run", pair, "--no-tracking", "--executor", "inline", *out)
    assert code == 0
    assert "one: 4 ok (4 run, 0 reused" in output
    assert "claims: 1 reproduced, 1 not reproduced" in output
    _, output, _ = command("plan", pair, "--profile", "quick", *out)
    assert "0 trials to run" in output
    _, output, _ = command("report", tmp_path / "runs" / "both", "--format", "markdown")
    assert "2 claims: 1 reproduced, 1 not reproduced, 0 not run." in output
    assert "Likely reason: it is a test" in output
    assert (
        "| **not reproduced** | nothing deleted, nothing lost | common sense | 1 | constant in [0.9, 1] | constant = 0."
        in output
    )
    code, _, problem = command("report", tmp_path / "runs" / "both", "--format", "pdf")
    assert "unknown format" in str(problem)
    assert command("report", tmp_path / "runs" / "both", "--format", "markdown", "-o", tmp_path / "page.md")[0] == 0
    assert (tmp_path / "page.md").read_text().startswith("# Both\n")
    write_suite({**tiny, "name": "two", "adversaries": [{"name": "greedy-delete", "budgets": [0, 11]}]}, "two.yaml")
    assert command("run", pair, "--no-tracking", "--executor", "inline", *out)[0] == 1


def test_a_collection_does_not_ignore_options_that_it_does_not_take(pair, tmp_path):
    run(pair, out=tmp_path / "runs")
    for options in (["--metric", "error"], ["--tests"], ["--bundle", str(tmp_path / "b.tar.gz")]):
        _, _, error = command("report", tmp_path / "runs" / "both", *options)
        assert "takes only --format and --output" in str(error)
