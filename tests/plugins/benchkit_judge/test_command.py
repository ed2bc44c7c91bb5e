"""`benchkit judge` as a user meets it."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def scores(tmp_path):
    rng = np.random.default_rng(0)
    values = rng.random((8, 1)) + rng.normal(0, 0.02, (8, 3)) - [0, 0.3, 0.3]
    tasks = np.repeat([f"t{each}" for each in range(8)], 3)
    table = pd.DataFrame({"model": ["ours", "base", "old"] * 8, "dataset": tasks, "accuracy": values.ravel()})
    path = tmp_path / "scores.csv"
    table.to_csv(path, index=False)
    return str(path)


def test_the_answer_is_printed(here, scores):
    found = here("judge", scores)
    assert found.returncode == 0, found.stderr
    assert "Would the methods differ on other tasks like these?" in found.stdout
    assert "ours is best" in " ".join(found.stdout.split())
    assert "Columns guessed by their names: method = model, task = dataset" in " ".join(found.stdout.split())


@pytest.mark.parametrize(
    ("condition", "code"),
    [("ours not better than base", 0), ("base not better than old", 1), ("ours better than base", 1)],
)
def test_conditions_decide_the_exit_code(here, scores, condition, code):
    found = here("judge", scores, "--fail-if", condition)
    assert found.returncode == code
    assert (condition in found.stderr) == bool(code)


@pytest.mark.parametrize("ending", ["html", "md", "tex", "json", "txt", "svg", "png"])
def test_files_are_written_by_their_ending(here, scores, tmp_path, ending):
    target = tmp_path / f"verdict.{ending}"
    found = here("judge", scores, "-o", str(target))
    assert found.returncode == 0, found.stderr
    assert target.stat().st_size > 500
    assert "is best" in found.stdout


def test_forms_on_the_terminal(here, scores):
    assert json.loads(here("judge", scores, "--as", "json").stdout)["counts"]["decided"] == 2
    assert here("judge", scores, "--as", "markdown").stdout.startswith("# scores.csv")


@pytest.mark.parametrize("options", [[], ["--as", "json"], ["--as", "latex"], ["-o", "verdict.md"]])
def test_labels_steer_no_terminal(here, scores, options):
    path = Path(scores)
    path.write_text(path.read_text().replace("ours", "o\x1b[31mur\x9bs"))
    found = here("judge", scores, *options)
    assert found.returncode == 0, found.stderr
    assert "\x1b" not in found.stdout
    assert "\x9b" not in found.stdout


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["judge", "absent.csv"], "absent.csv: no such file"),
        (["judge", "{}", "--score", "auc"], "no column 'auc'; it has model, dataset, accuracy"),
        (["judge", "{}", "--as", "docx"], "unknown format 'docx'"),
        (["judge", "{}", "-o", "verdict.docx"], "verdict.docx: which form?"),
        (["judge", "{}", "-o", "absent/verdict.html"], "absent/verdict.html: cannot write"),
        (["judge", "{}", "--fail-if", "ours beats base"], "expected 'A [not] better than B'"),
        (["judge", "{}", "--unit", "seed"], "the table has no seeds; name their column with --seed"),
        (["judge"], "Missing argument"),
    ],
)
def test_mistakes_are_one_line_and_exit_code_2(here, scores, arguments, expected):
    found = here(*[each.format(scores) for each in arguments])
    assert found.returncode == 2
    assert expected in found.stderr
    assert len(found.stderr.strip().splitlines()) == 1
