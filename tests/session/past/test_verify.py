"""benchkit verify: kept models are rechecked without their solvers."""

import joblib
import pytest
from typer.testing import CliRunner

import benchkit
from benchkit.cli.main import app
from benchkit.session.past.again import verify


@pytest.fixture
def kept(write_suite, tmp_path):
    suite = {
        "name": "certified",
        "datasets": ["breast"],
        "split": {"train": 60, "validation": 60, "test": 60},
        "preprocess": ["standardize", {"clip": 5}],
        "algorithms": [
            {"name": "lp", "params": {"keep_multipliers": True}, "tune": {"grid": {"C": [0.1, 1]}}},
            {"name": "fdrop", "params": {"C": 0.1, "keep_multipliers": True}},
            "constant",
        ],
        "adversaries": [{"name": "greedy-delete", "budgets": [0, 2]}],
    }
    path = str(write_suite(suite))
    return lambda **options: benchkit.run(path, out=tmp_path / "runs", executor="inline", tracking=False, **options)


def command(*arguments):
    ended = CliRunner().invoke(app, ["verify", *map(str, arguments)])
    return ended.exit_code, ended.stdout


def test_objectives_and_bounds_are_confirmed_and_a_model_that_was_changed_is_named(kept):
    results = kept(keep_models=True)
    verified = list(verify(results.folder))
    assert len(verified) == 6
    assert all(each.holds for each in verified)
    what = {each.algorithm: [check.what for check in each.checks] for each in verified}
    assert what["lp"] == ["largest weight within the box", "objective", "lower bound by the multipliers"]
    assert what["constant"] == []
    code, printed = command(results.folder)
    assert code == 0
    assert "lower bound by the multipliers" in printed
    assert "nothing to check of constant" in printed
    trial = next(row["trial"] for row in results.records if row["algorithm"] == "lp")
    path = results.folder.parent / "models" / f"{trial}.joblib"
    model = joblib.load(path)
    model.objective_ *= 0.9
    joblib.dump(model, path)
    code, printed = command(results.folder)
    assert code == 1
    assert "does not hold: breast | lp | greedy-delete budget=0.0 | #0: objective: stated" in printed


def test_without_models_rows_alone_are_run_again(kept):
    results = kept(only={"algorithm": "constant"})
    assert list(verify(results.folder)) == []
    code, printed = command(results.folder, "--share", "1")
    assert code == 0
    assert "2 of 2" in printed
