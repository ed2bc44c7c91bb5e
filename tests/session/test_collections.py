"""Collections run their suites one after another, or nothing at all."""

import io

import pandas as pd
import pytest

import benchkit
from benchkit.report.analysis import Analysis
from benchkit.report.documents import joined_markdown
from benchkit.report.exports import joined_rows_csv
from benchkit.session import run as session_run
from benchkit.session.listeners import Progress
from benchkit.suite.source import SuiteError

CLAIM = {"claim": "nothing deleted, nothing lost", "source": "common sense", "algorithm": "constant", "at": [0]}


@pytest.fixture
def pair(write_suite, tiny):
    """A collection of two tiny suites, both with a profile ``quick``; one of them claims something wrong."""
    claims = [{**CLAIM, "between": [0, 1]}, {**CLAIM, "between": [0.9, 1], "paper": "1", "reason": "it is a test"}]
    both = {**tiny, "profiles": {"quick": {"split": {"repetitions": 1}}}, "algorithms": ["constant"]}
    write_suite({**both, "name": "one", "expect": claims}, "one.yaml")
    write_suite({**both, "name": "two"}, "two.yaml")
    return write_suite({"name": "both", "title": "Both", "include": ["one.yaml", "two.yaml"]}, "both.yaml")


def run(reference, **options):
    return session_run.run(reference, executor="inline", tracking=False, **options)


def test_each_suite_runs_into_its_own_store_and_is_reused_and_an_interruption_leaves_out_the_rest(pair, tmp_path):
    out = tmp_path / "runs"
    first = run(pair, profile="quick", out=out)
    assert [(each.suite, each.ran, each.reused) for each in first.suites] == [("one", 2, 0), ("two", 2, 0)]
    assert first.ok
    again = run(pair, profile="quick", out=out)
    assert [(each.ran, each.reused) for each in again.suites] == [(0, 2), (0, 2)]
    assert (out / "one" / "trials.jsonl").read_text().count("\n") == 2
    loaded = benchkit.load(out / "both")
    assert loaded.folder == again.folder
    rows = pd.read_csv(io.StringIO(joined_rows_csv(loaded, [Analysis(each) for each in loaded.suites])))
    assert rows.groupby("suite")["loss"].count().index.tolist() == ["one", "two"]
    assert list(loaded.verdicts()) == list(again.verdicts())

    class Interrupting(Progress):
        def finished(self, record):
            raise KeyboardInterrupt

    out = tmp_path / "interrupted"
    found = run(pair, out=out, progress=Interrupting())
    assert (found.interrupted, (out / "two").exists()) == (True, False)
    assert [(each.suite, each.statuses) for each in found.suites] == [("one", {"ok": 1})]


def test_the_plan_says_how_long_before_anything_was_run(write_suite, tiny, tmp_path):
    quick = {"quick": {"split": {"repetitions": 1}, "hours": 0.02}, "paper": {}}
    path = write_suite({**tiny, "algorithms": ["constant", "svm"], "hours": 2, "profiles": quick})
    collection = write_suite({"name": "both", "include": [path]}, "both.yaml")
    for reference, selected, seconds in [
        (path, {"profile": "paper"}, 7200),
        (path, {"only": {"algorithm": "svm"}}, 3600),
        (collection, {"profile": "quick"}, 72),
        (path, {"settings": {"seed": 3}}, None),  # nothing is known of it, and nothing is tried
    ]:
        assert benchkit.plan(reference, out=tmp_path, **selected).seconds == seconds


def test_only_leaves_out_suites_and_one_without_the_profile_is_refused(pair, tmp_path, write_suite, tiny):
    write_suite({**tiny, "name": "two", "algorithms": ["svm"]}, "two.yaml")
    with pytest.raises(SuiteError, match=r"two\.yaml:.*unknown profile 'quick'"):
        run(pair, profile="quick", out=tmp_path / "runs")
    assert not (tmp_path / "runs").exists()
    both = ["constant", "svm"], {"one": {"constant"}, "two": {"svm"}}
    for algorithms, ran in (("constant", {"one": {"constant"}}), both):
        found = run(pair, out=tmp_path / "runs", only={"algorithm": algorithms})
        assert {each.suite: {row["algorithm"] for row in each.records} for each in found.suites} == ran
    for absent in ("absent", ["constant", "smv"]):
        with pytest.raises(SuiteError, match="selects no trial"):
            run(pair, out=tmp_path / "runs", only={"algorithm": absent})


def test_every_command_works_on_a_collection(pair, here, tmp_path, tiny, write_suite, unseen):
    runs = tmp_path / "runs"
    assert "\n8 trials to run, " in here("plan", pair, "--out", "runs").stdout
    for shard in ("1/2", "2/2"):
        options = {"shard": shard, "keep_models": True, "settings": {"split.repetitions": 4}}
        run(pair, out=runs / shard.replace("/", "-"), **options)
    whole, verdicts = "runs/all/both", "claims: 1 supported, 1 contradicted"
    merged = here("merge", "runs/1-2/both", "runs/2-2/both", "--out", "runs/all")
    assert merged.returncode == 0, merged.stderr
    assert verdicts in merged.stdout
    joint = benchkit.load(tmp_path / whole).suites
    assert [len(each.records) for each in joint] == [8, 8]
    assert joint[0].load_model(joint[0].records[-1]["trial"], trust=True) is not None
    (joint[0].folder / "overview.json").write_text("[]")  # damaged: the list of runs says so, and no run ends of it
    output = here("report", whole, "--format", "markdown").stdout
    assert (output.startswith("# Both\n"), "| **contradicted** | one |" in output) == (True, True)
    for form in ("csv", "json", "latex", "html"):
        assert here("report", whole, "--format", form, "-o", f"all.{form}").returncode == 0
    assert (tmp_path / "all.csv").read_text().startswith("suite,")
    assert {path.name for path in (tmp_path / "all.html").iterdir()} == {"index.html", "one.html", "two.html"}
    assert '<a href="two.html">' in (tmp_path / "all.html" / "index.html").read_text()
    assert '"suite": "two"' in (tmp_path / "all.json").read_text()
    verified = here("verify", "runs/1-2/both")
    assert (verified.returncode, "nothing to check of constant" in verified.stdout) == (0, True)
    write_suite({**tiny, "name": "two", "adversaries": [{"name": "greedy-delete", "budgets": [0, 11]}]}, "two.yaml")
    options = ("--no-tracking", "--no-plots", "--executor", "inline", "--out", "runs/all")
    again = here("run", pair, "--set", "split.repetitions=4", *options)
    assert (again.returncode, "one: 8 ok (0 run, 8 reused" in again.stdout) == (1, True)


def test_a_collection_says_of_each_suite_what_is_decided_and_what_is_open(write_suite, tiny, tmp_path):
    claims = [{**CLAIM, "between": [0, 1]}, {**CLAIM, "claim": "less than half", "between": [0, 0.45]}]
    write_suite({**tiny, "name": "one", "algorithms": ["constant"], "expect": claims}, "one.yaml")
    write_suite({**tiny, "name": "two", "algorithms": ["constant"]}, "two.yaml")  # asks nothing
    pair = write_suite({"name": "both", "include": ["one.yaml", "two.yaml"]}, "both.yaml")
    options = {"split.repetitions": {"least": 5, "most": 7}}
    results = run(pair, out=tmp_path / "runs", until_decided=True, settings=options)
    page = joined_markdown(results, [Analysis(each) for each in results.suites])
    assert page.count("## Decided and open") == 1
    assert "one: 1 of 2 questions decided" in page
    assert "two: " not in page
