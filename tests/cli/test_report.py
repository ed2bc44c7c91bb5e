"""Reports and comparisons as typed by a user."""

import json

import pytest
from typer.testing import CliRunner

import benchkit
from benchkit.cli.main import app
from benchkit.errors import JournalError, RequestError
from benchkit.plugin.manager import UnknownNameError
from benchkit.report.analysis import SelectionError

SUITE = {
    "name": "tiny",
    "datasets": ["breast"],
    "split": {"repetitions": 2, "train": 60, "validation": 60, "test": 60},
    "preprocess": ["standardize", {"clip": 5}],
    "algorithms": [{"name": "svm", "params": {"C": 1}}, "constant"],
    "adversaries": [{"name": "greedy-delete", "budgets": [0, 2]}],
    "seed": 7,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return benchkit.run(SUITE, out=tmp_path_factory.mktemp("runs"), executor="inline", tracking=False).folder


def call(*arguments):
    found = CliRunner(env={"COLUMNS": "100"}).invoke(app, [str(argument) for argument in arguments])
    if found.exception is not None and not isinstance(found.exception, SystemExit):
        raise found.exception
    return found.stdout


def test_a_report_is_short_and_with_details_has_everything(folder):
    text = call("report", folder)
    assert len(text.splitlines()) <= 40
    assert "--details" in text
    text = call("report", folder, "--details")
    assert "Against best: error on breast under greedy-delete" in text
    assert "test on paired rows" in text
    assert "report.html" in text


def test_plots_and_a_comparison_with_itself(folder, tmp_path):
    assert "curve-error-breast-greedy-delete.svg" in call("report", folder, "--plots", tmp_path / "p")
    assert (tmp_path / "p" / "curve-error-breast-greedy-delete.png").exists()
    assert "error: 4 cells, 0 differ" in call("compare", folder, folder)
    rows = json.loads(call("compare", folder, folder, "--json", "--metrics", "error"))["rows"]
    assert {row["difference"] for row in rows} == {0.0}


@pytest.mark.parametrize(
    ("command", "more", "error", "named"),
    [
        ("report", ["--scope", "split"], UnknownNameError, "unknown scope 'split'"),
        ("report", ["--baseline", "smv"], SelectionError, "did you mean 'svm'"),
        ("report", ["--format", "csv", "-o", "/dev/null/x"], JournalError, "cannot write"),
        ("report", ["--plots", "/dev/null/x"], JournalError, "cannot write"),
        ("compare", [], RequestError, "two runs or more"),
        ("compare", ["RUN", "--metrics", "auc"], RequestError, "is not in all runs"),
        ("compare", ["RUN", "--algorithms", "svn"], RequestError, "did you mean 'svm'"),
        ("compare", ["RUN", "--datasets", "brest"], RequestError, "did you mean 'breast'"),
    ],
)
def test_mistakes_are_the_users(folder, command, more, error, named):
    with pytest.raises(error, match=named):
        call(command, folder, *(folder if word == "RUN" else word for word in more))


def test_lists_narrow_what_is_compared(folder):
    lists = ("--algorithms", "svm, constant", "--datasets", "breast", "--metrics", "error")
    rows = json.loads(call("compare", folder, folder, "--json", *lists))["rows"]
    assert {(row["algorithm"], row["dataset"]) for row in rows} == {("svm", "breast"), ("constant", "breast")}


def test_a_regression_decides_the_exit_code(tmp_path):
    good = {**SUITE, "algorithms": [{"name": "svm", "params": {"C": 1}}], "adversaries": []}
    good["split"] = {**SUITE["split"], "repetitions": 8}
    # A constant knows nothing.
    worse = {**good, "algorithms": [{"name": "constant", "label": "svm"}]}
    runs = [
        benchkit.run(suite, out=tmp_path / str(n), executor="inline", tracking=False, plots=False).folder
        for n, suite in enumerate((good, worse, {**good, "seed": 8}))
    ]
    # Whatever it is called, the run has noted that it looks at no feature.
    assert [benchkit.load(run).trivial.get("svm") for run in runs[:2]] == [None, "always answering the largest class"]
    for pair, code in ((runs[:2], 1), (runs[1::-1], 0), ([runs[0], runs[0]], 0)):
        for form in ([], ["--json"]):
            arguments = [*map(str, pair), "--metrics", "error", "--fail-on-regression", *form]
            found = CliRunner().invoke(app, ["compare", *arguments])
            assert found.exit_code == code
            assert found.stderr == ("benchkit: 1 cell is significantly worse\n" if code else "")
    with pytest.raises(RequestError, match="rests on paired tests: seed of the suites differ"):
        call("compare", runs[0], runs[2], "--fail-on-regression")
