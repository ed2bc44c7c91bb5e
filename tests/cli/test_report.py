"""Reports as typed by a user."""

import pytest
from typer.testing import CliRunner

import benchkit
from benchkit.cli.main import app
from benchkit.errors import JournalError
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


def test_plots(folder, tmp_path):
    assert "curve-error-breast-greedy-delete.svg" in call("report", folder, "--plots", tmp_path / "p")
    assert (tmp_path / "p" / "curve-error-breast-greedy-delete.png").exists()


@pytest.mark.parametrize(
    ("more", "error", "named"),
    [
        (["--scope", "split"], UnknownNameError, "unknown scope 'split'"),
        (["--baseline", "smv"], SelectionError, "did you mean 'svm'"),
        (["--format", "csv", "-o", "/dev/null/x"], JournalError, "cannot write"),
        (["--plots", "/dev/null/x"], JournalError, "cannot write"),
    ],
)
def test_mistakes_are_the_users(folder, more, error, named):
    with pytest.raises(error, match=named):
        call("report", folder, *more)
