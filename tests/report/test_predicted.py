"""What was predicted, and which columns were changed; ROC and calibration against scikit-learn's."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn import metrics
from sklearn.calibration import calibration_curve

import benchkit
from benchkit.document import Fold
from benchkit.report.analysis import Analysis
from benchkit.report.documents import html
from benchkit.report.row_sections import calibration, changed_blocks, mean_roc, predicted

LONG = "how_many_hours_of_sleep_were_had_in_the_week_before_the_first_visit_by_the_patients_own_word"


def section_of(page, title):
    """What stands under a heading of the page."""
    rest = page.partition(f"<h2>{title}</h2>")[2]
    return rest[: rest.index("</section>")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("predicted")


@pytest.fixture(scope="module")
def suite(folder):
    rng = np.random.default_rng(0)
    n = 300
    x, sleep, colour = rng.normal(size=n), rng.normal(size=n) + 7, rng.choice(["red", "green", "blue"], n)
    y = np.where(x + 0.3 * (colour == "red") + 0.9 * rng.normal(size=n) > 0, "healthy", "<ill>")
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
    assert [each.place for each in found] == [0, 2]
    for each in found:
        assert each.classes == ["<ill>", "healthy"]
        here = rows[(rows["dataset"] == "two") & (rows["axis_value"] == each.place)]
        here = here[here["algorithm"] == "logistic-regression"]
        expected = metrics.confusion_matrix(here["truth"], here["prediction"])  # by the names of the file
        assert each.confusion["logistic-regression"].tolist() == expected.tolist()
        parts = [part for _, part in here.groupby("repetition")]
        areas = [metrics.roc_auc_score(part["truth"] == "healthy", part["decision"]) for part in parts]
        assert each.roc["logistic-regression"][2] == pytest.approx(np.mean(areas))
        assert each.calibrated["logistic-regression"][:, 2].sum() == len(here)


def test_columns_are_counted_by_their_names(run):
    tables = {
        block.title: block.blocks[0].content for block in changed_blocks(Analysis(run)) if isinstance(block, Fold)
    }
    table = tables["two under random-delete"]
    assert table.columns[1:] == ["1", "2"]
    shares = {str(name): [cell.value for cell in cells] for name, *cells in table.cells}
    assert set(shares) == {"x", LONG, "colour"}  # three one-hot columns are one feature
    changed = [sum(column) for column in zip(*shares.values(), strict=True)]
    assert changed == pytest.approx([1, 2])  # so many features go from each row, none of which is 0
    totals = [sum(row) for row in shares.values()]
    assert totals == sorted(totals, reverse=True)


def test_the_page_shows_both_by_name_and_folded(run):
    page = html(Analysis(run))
    said = section_of(page, "What was predicted")
    assert "taken for &lt;ill&gt;" in said
    assert re.search(r'title="[0-9,]+ of [0-9,]+ test rows"', said)
    assert "<details open" not in said
    bars = section_of(page, "Columns that were changed")
    assert LONG.replace("_", "_<wbr>") in bars
    assert len(page) < 1_500_000


SCORED = st.lists(st.tuples(st.booleans(), st.integers(0, 12).map(lambda tenth: tenth / 12)), min_size=2, max_size=40)


@given(SCORED)
def test_the_curve_rises_and_its_area_is_scikit_learns(scored):
    positive, scores = np.array([a for a, _ in scored]), np.array([b for _, b in scored])
    assume(positive.any() and not positive.all())
    false, true, area = mean_roc([(positive, scores)])
    assert area == pytest.approx(metrics.roc_auc_score(positive, scores))
    assert (np.diff(true) >= 0).all()
    assert (false[[0, -1]] == [0, 1]).all()
    assert true[-1] == 1


def test_curves_are_averaged_and_scores_are_not():
    positive = np.array([False, False, True, True])
    scores = np.array([1.0, 2.0, 3.0, 4.0])
    assert mean_roc([(positive, scores), (positive, scores - 100)])[2] == 1.0
    assert mean_roc([(positive, scores), (positive, -scores)])[2] == 0.5
    assert mean_roc([(np.array([True, True]), scores[:2])]) is None


@given(SCORED)
def test_calibration_is_scikit_learns(scored):
    positive, chances = np.array([a for a, _ in scored]), np.array([b for _, b in scored])
    # At 1/3 and the like, bins end nowhere near a probability; scikit-learn puts ends into the lower bin.
    chances = np.clip(chances + 1e-3, 0, 1)
    assume(positive.any() and not positive.all())
    found = calibration([(positive[:1], chances[:1]), (positive[1:], chances[1:])])
    observed, predicted = calibration_curve(positive, chances, n_bins=10)
    assert found[:, :2] == pytest.approx(np.column_stack([predicted, observed]))
    assert found[:, 2].sum() == len(scored)
