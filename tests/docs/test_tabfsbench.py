"""The page on TabFSBench: its numbers are computed, and computed rightly."""

import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from scipy import stats

ROOT = Path(__file__).parents[2]

sys.path.insert(0, str(ROOT / "docs" / "site"))
from tabfs import TEMPLATE, by_repetition, gaps, interval, rank_correlation  # noqa: E402

sys.path.remove(str(ROOT / "docs" / "site"))


def trials(accuracies):
    """Trials of one method on one table; a list of accuracies by degree for each repetition."""
    return pd.DataFrame(
        [
            {"dataset": "d", "algorithm": "a", "adversary": "most", "repetition": at, "axis_value": degree}
            | {"accuracy": value, "n_train": 80, "n_test": 20}
            for at, values in enumerate(accuracies)
            for degree, value in enumerate(values)
        ]
    )


def test_the_gap_is_relative_to_the_same_split_with_all_columns():
    found = gaps(trials([[0.8, 0.6, 0.4], [0.5, 0.5, 0.6]]), "accuracy")
    assert found["gap"].to_numpy() == pytest.approx([-0.25, -0.5, 0, 0.2])
    errors = gaps(trials([[-2.0, -3.0]]), "accuracy")
    assert errors["gap"].to_numpy() == pytest.approx([-0.5])  # a negated error that grows is lost, too


def test_the_interval_is_the_corrected_resampled_t():
    values = np.array([0.1, 0.3, 0.2, 0.4])
    mean, low, high = interval(values, 0.25)
    plain = stats.t.interval(0.95, 3, loc=0.25, scale=stats.sem(values))
    assert mean == pytest.approx(0.25)
    assert (high - low) / (plain[1] - plain[0]) == pytest.approx(np.sqrt((1 / 4 + 0.25) / (1 / 4)))


def test_rank_correlations_are_cut_at_one_and_left_out_where_nothing_is_lost():
    found = gaps(trials([[0.8, 0.7, 0.6, 0.5], [0.8, 0.7, 0.5, 0.6], [0.8, 0.8, 0.8, 0.8]]), "accuracy")
    by_split = [rank_correlation(rows) for _, rows in found.groupby("repetition")]
    assert by_split[:2] == pytest.approx([1, 0.5])
    assert np.isnan(by_split[2])
    assert by_repetition(found, rank_correlation, limit=1).startswith("0.750 [-1.000, 1.000]")


def test_the_page_is_the_template_with_every_number_filled_in():
    template = yaml.safe_load(TEMPLATE.read_text(encoding="utf-8"))["page"]
    page = (ROOT / "docs" / "tabfsbench.md").read_text(encoding="utf-8")
    parts = [part for part in re.split(r"(?<!\{)\{\w+\}(?!\})", template) if part.strip()]
    place = 0
    for part in parts:
        text = part.replace("{{", "{").replace("}}", "}")
        assert text in page[place:], text
        place = page.index(text, place) + len(text)


def test_no_sentence_has_a_result_that_is_typed():
    template = yaml.safe_load(TEMPLATE.read_text(encoding="utf-8"))["page"]
    sentences = template.split("## Ten sentences")[1].split("## The paper's claims")[0]
    outside = re.sub(r"\{\w+\}", "", sentences)
    # The number that the authors state is the only one that is not ours.
    assert re.findall(r"\d+\.\d+", outside) == ["0.7405"]
