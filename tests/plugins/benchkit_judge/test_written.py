"""The judgement as people and programs meet it: forms, conditions and the command."""

import contextlib
import json
import math
import re
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

import benchkit
from benchkit import TableError
from benchkit_judge.judge import holds
from tests.conftest import load_script


@pytest.fixture(scope="module")
def judged():
    rng = np.random.default_rng(0)
    values = rng.random((10, 1)) + rng.normal(0, 0.02, (10, 3)) - [0, 0.003, 0.3]
    values[3, 2] = math.nan
    names = ["ours <b>", "base|line", "old_$x$"]
    tasks = np.repeat([f"t{place}" for place in range(10)], 3)
    return benchkit.judge(pd.DataFrame({"method": names * 10, "task": tasks, "accuracy": values.ravel()}), within=0.1)


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "html", "json"])
def test_every_form_says_the_question_the_answer_and_the_methods(judged, form):
    plain = " ".join(judged.write(form).replace("\\_", "_").replace("\\$", "$").split())
    assert "other tasks like these" in plain
    assert "2 of 3 methods may be the best" in plain
    assert "old_$x$" in plain or "old_<wbr>$x$" in plain
    assert "not missing by chance" in plain


def test_the_page_fetches_nothing_and_labels_are_no_html(judged):
    page = judged.write("html")
    addresses = re.findall(r'(?:src|href)="([^"]*)"', page)
    assert all(address.startswith(("#", "data:")) for address in addresses)
    assert "rank here, and ranks it may have" in page
    assert "ours <b>" not in page
    assert "ours <b>" not in judged._repr_html_()


def test_json_is_strict_and_has_every_pair(judged):
    def refuse(name):
        raise AssertionError(name)

    facts = json.loads(judged.write("json"), parse_constant=refuse)
    assert len(facts["pairs"]) == 3
    assert facts["counts"] == {"decided": 2, "equal": 1, "open": 0}
    assert {row["method"]: row["tier"] for row in facts["methods"]}["old_$x$"] == 2
    assert facts["missing"] == [{"method": "old_$x$", "cells missing": 1, "what was done": "judged on what all have"}]


@pytest.mark.parametrize(
    ("condition", "outcome"),
    [
        ("ours <b> not better than old_$x$", False),
        ("old_$x$ better than ours <b>", False),
        ("old_$x$ worse than base|line", True),
        ("ours <b> equal to base|line", True),
        ("ours <b> not equal to  old_$x$", True),
        ("ours beats base", "expected 'A \\[not\\] better than B'"),
        ("ours better than base", "no method 'ours' is judged"),
    ],
)
def test_conditions(judged, condition, outcome):
    if isinstance(outcome, bool):
        assert holds(judged, condition)[0] is outcome
    else:
        with pytest.raises(TableError, match=outcome):
            holds(judged, condition)


@pytest.fixture
def command(call_benchkit, tmp_path):
    """`benchkit judge` in a folder that holds scores.csv."""
    rng = np.random.default_rng(0)
    values = rng.random((8, 1)) + rng.normal(0, 0.02, (8, 3)) - [0, 0.3, 0.3]
    tasks = np.repeat([f"t{place}" for place in range(8)], 3)
    table = pd.DataFrame({"model": ["ours", "base", "old"] * 8, "dataset": tasks, "accuracy": values.ravel()})
    table.to_csv(tmp_path / "scores.csv", index=False)
    return partial(call_benchkit, tmp_path, "judge")


def test_the_answer_is_printed_and_written_as_is_asked_for(command, tmp_path):
    assert "ours is best" in command("scores.csv").stdout
    assert json.loads(command("scores.csv", "--as", "json").stdout)["counts"]["decided"] == 2
    assert command("scores.csv", "--as", "markdown").stdout.startswith("# scores.csv")
    for ending, begin in (("html", "<!doctype html>"), ("tex", "%")):
        assert "ours is best" in command("scores.csv", "-o", f"verdict.{ending}").stdout
        assert (tmp_path / f"verdict.{ending}").read_text().startswith(begin)


@pytest.mark.parametrize(("condition", "code"), [("ours not better than base", 0), ("base not better than old", 1)])
def test_conditions_decide_the_exit_code(command, condition, code):
    ended = command("scores.csv", "--fail-if", condition)
    assert ended.returncode == code
    assert (condition in ended.stderr) == bool(code)


def test_a_plan_before_there_are_data(command):
    """600 answers of two methods that disagree on a fifth show (1.96 + 0.84) sqrt(0.2 / 600) about."""
    rows = json.loads(command("--plan", "600", "--json").stdout)["rows"]
    (row,) = (row for row in rows if row["methods"] == 2 and row["disagree"] == 0.2)
    assert row["difference"] == pytest.approx(2.8 * math.sqrt(0.2 / 600), rel=0.01)
    rows = json.loads(command("--plan", str(row["difference"]), "--json").stdout)["rows"]
    assert rows[2]["items"] == pytest.approx(600, abs=1)
    assert " ".join(command("--plan", "600").stdout.split()).count("disagree") == 5


@pytest.mark.parametrize("options", [["--level", "95"], ["-o", "plan.md"], ["--fail-if", "a not better than b"]])
def test_a_plan_takes_no_option_of_a_table_and_no_level_that_is_none(command, options):
    ended = command("--plan", "600", *options)
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)


@pytest.mark.parametrize("options", [[], ["--as", "json"], ["--as", "latex"], ["-o", "verdict.md"]])
def test_labels_steer_no_terminal(command, tmp_path, options):
    path = Path(tmp_path / "scores.csv")
    path.write_text(path.read_text().replace("ours", "o\x1b[31mur\x9bs"))
    ended = command("scores.csv", *options)
    assert ended.returncode == 0, ended.stderr
    assert not {"\x1b", "\x9b"} & set(ended.stdout)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["absent.csv"], "absent.csv: no such file"),
        (["scores.csv", "--score", "auc"], "no column 'auc'; it has model, dataset, accuracy"),
        (["scores.csv", "--as", "docx"], "unknown format 'docx'"),
        (["scores.csv", "-o", "verdict.docx"], "verdict.docx: which form?"),
        (["scores.csv", "-o", "absent/verdict.html"], "absent/verdict.html: cannot write"),
        (["scores.csv", "--fail-if", "ours beats base"], "expected 'A [not] better than B'"),
        ([], "give one of the two: a table or result files, or --plan"),
        (["--plan", "0"], "--plan=0"),
        (["scores.csv", "--plan", "500"], "give one of the two: a table or result files, or --plan"),
    ],
)
def test_mistakes_are_one_line_and_exit_code_2(command, arguments, expected):
    ended = command(*arguments)
    assert ended.returncode == 2
    assert expected in ended.stderr
    assert len(ended.stderr.strip().splitlines()) == 1


DOCS = Path(__file__).parents[3] / "docs"
COUNTS = DOCS / "judged" / "calibration.csv"
PAGE = " ".join((DOCS / "judge.md").read_text(encoding="utf-8").split())


@pytest.fixture(scope="module")
def calibration():
    return load_script(DOCS / "site" / "judge_calibration.py")


def test_the_sentences_on_simulations_are_those_of_the_counts_which_are_within_what_is_promised(calibration):
    counts = calibration.summed(COUNTS)
    for line in calibration.said(counts):
        assert " ".join(line.split()) in PAGE
    # 5 % of all tables at most, and of no setting clearly more (all settings at once: Bonferroni).
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
