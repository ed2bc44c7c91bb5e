"""The page on TabFSBench: its numbers are computed, and computed rightly."""

import re

import numpy as np
import pandas as pd
import pytest
import yaml
from scipy import stats
from tabfs import PAGE, TEMPLATE, numbers
from tabfs_rows import Rows, gaps
from tabfs_statistics import interval, over_tables

from benchkit import DataUnavailableError, require_file


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


def test_the_mean_over_tables_leaves_out_tables_without_a_number_and_ends_where_a_number_can_lie():
    plain = stats.t.interval(0.95, 2, loc=0.3, scale=stats.sem([0.2, 0.3, 0.4]))
    by_table = {"a": 0.2, "b": 0.3, "c": 0.4, "d": np.nan}
    assert over_tables(by_table) == pytest.approx((0.3, *plain))
    assert over_tables({"a": 0.1, "b": 0.9}, least=0.0) == pytest.approx((0.5, 0.0, 1.0))
    assert np.isnan(over_tables({"a": 0.1})).all()


@pytest.mark.filterwarnings("ignore:An input array is constant")
def test_the_page_is_what_the_published_rows_give():
    try:
        require_file("tabfsbench/heart.csv")  # as of the other tables, whose correlations enter
    except DataUnavailableError as error:
        pytest.skip(str(error))
    template = yaml.safe_load(TEMPLATE.read_text(encoding="utf-8"))["page"]
    rows = Rows(PAGE.parents[2] / "results")
    assert template.format_map(numbers(rows)) == PAGE.read_text(encoding="utf-8")


def test_no_sentence_has_a_result_that_is_typed():
    template = yaml.safe_load(TEMPLATE.read_text(encoding="utf-8"))["page"]
    sentences = template.split("## Ten sentences")[1].split("## The paper's claims")[0]
    outside = re.sub(r"\{\w+\}", "", sentences)
    # The number that the authors state is the only one that is not ours.
    assert re.findall(r"\d+\.\d+", outside) == ["0.7405"]
