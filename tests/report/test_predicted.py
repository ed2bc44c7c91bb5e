"""What was predicted, and which columns were changed: as the rows have it, and by the names of the file."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics

import benchkit
from benchkit.report.analysis import Analysis
from benchkit.report.documents import html
from benchkit.report.row_sections import changed_columns, predicted

LONG = "how_many_hours_of_sleep_were_had_in_the_week_before_the_first_visit_by_the_patients_own_word"


def section_of(page, title):
    """What stands under a heading of the page; None where it has no such heading."""
    _, found, rest = page.partition(f"<h2>{title}</h2>")
    return rest[: rest.index("</section>")] if found else None


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("predicted")


@pytest.fixture(scope="module")
def suite(folder):
    rng = np.random.default_rng(0)
    n = 300
    x, sleep, colour = rng.normal(size=n), rng.normal(size=n) + 7, rng.choice(["red", "green", "blue"], n)
    y = np.where(x + 0.3 * (colour == "red") + 0.2 * rng.normal(size=n) > 0, "healthy", "<ill>")
    table = pd.DataFrame({"x": x, LONG: sleep, "colour": colour, "kind": y})
    table.to_csv(folder / "two.csv", index=False)
    table.assign(kind=np.where(x > 1, "more", y)).to_csv(folder / "three.csv", index=False)
    files = [
        {"name": "csv", "label": name, "params": {"path": str(folder / f"{name}.csv"), "target": "kind"}}
        for name in ("two", "three")
    ]
    return {
        "name": "named",
        "datasets": files,
        "split": {"repetitions": 3, "train": 100, "test": 0.3},
        "algorithms": ["logistic-regression", "constant"],
        "adversaries": [{"name": "random-delete", "budgets": [0, 1, 2]}],
        "seed": 3,
    }


@pytest.fixture(scope="module")
def run(suite, folder):
    return benchkit.run(suite, out=folder / "runs", executor="inline")


def test_confusion_matrices_count_the_rows(run):
    rows = run.rows_to_pandas()
    found = [each for each in predicted(Analysis(run)) if each.grid.dataset == "two"]
    assert [each.index for each in found] == [0, 2]
    for each in found:
        assert each.classes == ["<ill>", "healthy"]
        here = rows[(rows["dataset"] == "two") & (rows["axis_value"] == each.index)]
        here = here[here["algorithm"] == "logistic-regression"].astype({"truth": int, "prediction": int})
        expected = metrics.confusion_matrix(here["truth"], here["prediction"])
        assert each.confusion["logistic-regression"].tolist() == expected.tolist()
        areas = [metrics.roc_auc_score(part["truth"], part["decision"]) for _, part in here.groupby("repetition")]
        assert each.roc["logistic-regression"].area == pytest.approx(np.mean(areas))
        assert sum(one.rows for one in each.calibrated["logistic-regression"]) == len(here)


def test_columns_are_counted_by_their_names(run):
    found = {each.grid.dataset: each for each in changed_columns(Analysis(run))}["two"]
    assert found.headings == ["1", "2"]
    assert set(found.shares) == {"x", LONG, "colour"}  # three one-hot columns are one feature
    changed = [sum(shares) for shares in zip(*found.shares.values(), strict=True)]
    assert changed == pytest.approx([1, 2])  # so many features go from each row, none of which is 0
    first = list(found.shares.values())
    assert first == sorted(first, key=lambda shares: -sum(shares))


def test_the_page_shows_both_by_name_and_folded(run):
    page = html(Analysis(run))
    said = section_of(page, "What was predicted")
    assert "taken for &lt;ill&gt;" in said
    assert re.search(r'title="[0-9,]+ of [0-9,]+ test rows"', said)
    assert "<details open" not in said
    bars = section_of(page, "Columns that were changed")
    assert LONG.replace("_", "_<wbr>") in bars
    assert len(page) < 1_500_000


def test_without_rows_there_is_nothing_of_it(suite, folder):
    run = benchkit.run({**suite, "keep": {"rows": "none"}}, out=folder / "none", executor="inline")
    page = html(Analysis(run))
    assert section_of(page, "What was predicted") is None
    assert section_of(page, "Columns that were changed") is None
