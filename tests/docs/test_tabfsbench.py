"""The page on TabFSBench: its numbers are computed, and computed rightly."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from scipy import stats
from tabfs import TEMPLATE
from tabfs_rows import gaps, whole_splits, with_sums
from tabfs_statistics import (
    Finding,
    by_repetition,
    interval,
    networks_less_trees,
    over_tables,
    rank_correlation,
    top_hurts_most,
)

ROOT = Path(__file__).parents[2]


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


def test_splits_that_lack_a_degree_and_methods_of_one_split_are_left_out():
    frame = trials([[0.8, 0.6, 0.4], [0.5, 0.5, 0.6], [0.7, 0.6]])
    assert whole_splits(frame)["repetition"].unique().tolist() == [0, 1]
    once = frame[frame["repetition"].isin([0, 2])]
    assert whole_splits(once).empty
    at_paper = once.assign(dataset="d-paper")  # one split, as the paper has it
    assert whole_splits(at_paper)["repetition"].unique().tolist() == [0]


def test_networks_are_compared_with_boosted_trees_and_the_verdict_says_which_lose_more():
    def of_split(**lost):
        return pd.DataFrame(
            {"algorithm": name.replace("_", "-"), "lost": value, "repetition": 0} for name, value in lost.items()
        )

    tables = {str(k): of_split(lightgbm=0.1, xgboost=0.3, rtdl_mlp=0.4 + k / 100, ridge=0.9) for k in range(3)}
    tables["no network"] = of_split(lightgbm=0.1)
    found = Finding(tables, networks_less_trees, 0.0, words=("more", "less", "open"))
    assert found.over == "3 tables of 1 split"
    assert found.found[0] == pytest.approx(0.21)
    assert found.verdict == "more"


def test_sums_are_over_all_of_the_data_at_the_papers_protocol_and_as_measured_at_ours(monkeypatch):
    of_all = {"codes": np.array([0.1, 0.2, 0.4]), "one-hot": np.array([0.1, 0.3, 0.5])}
    monkeypatch.setattr("tabfs_rows._sorted_correlations", lambda name, encoding: of_all[encoding])
    frame = pd.DataFrame(
        [
            {"dataset": "d-paper", "dataset_params": {"encoding": "codes"}, "adversary": "least", "measured": 9.0},
            {"dataset": "d-paper", "dataset_params": {"encoding": "codes"}, "adversary": "most", "measured": 9.0},
            {"dataset": "d", "dataset_params": {"encoding": "codes"}, "adversary": "most-recoded", "measured": np.nan},
            {"dataset": "d", "dataset_params": {}, "adversary": "most", "measured": 9.0},
            {"dataset": "d", "dataset_params": {}, "adversary": "most", "measured": np.nan},
        ]
    ).assign(budget=2)
    told = with_sums(frame.rename(columns={"measured": "absent-correlation"}))
    assert told["absent-correlation"].to_numpy() == pytest.approx([0.3, 0.6, 0.6, 9.0, 0.8])


def test_the_most_correlated_column_costs_most_where_none_costs_more_and_something_is_lost():
    found = gaps(trials([[0.8, 0.7, 0.6], [0.8, 0.6, 0.7], [0.8, 0.6, 0.6], [0.8, 0.8, 0.8]]), "accuracy")
    assert top_hurts_most({"d": found}) == (2, 4)


def test_the_mean_over_tables_leaves_out_tables_without_a_number_and_ends_where_a_number_can_lie():
    plain = stats.t.interval(0.95, 2, loc=0.3, scale=stats.sem([0.2, 0.3, 0.4]))
    by_table = {"a": 0.2, "b": 0.3, "c": 0.4, "d": np.nan}
    assert over_tables(by_table) == pytest.approx((0.3, *plain))
    assert over_tables({"a": 0.1, "b": 0.9}, least=0.0) == pytest.approx((0.5, 0.0, 1.0))
    assert np.isnan(over_tables({"a": 0.1})).all()


def test_the_page_is_the_template_with_every_number_filled_in():
    template = yaml.safe_load(TEMPLATE.read_text(encoding="utf-8"))["page"]
    page = (ROOT / "docs" / "reproduction" / "tabfsbench.md").read_text(encoding="utf-8")
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
