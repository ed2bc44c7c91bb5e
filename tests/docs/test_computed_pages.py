"""Pages whose numbers are computed: they say what the published rows, or the kept figures, give; nobody types a number.

Where one fails: run the script that wrote the page, such as ``python docs/site/faults.py``, and read the page.
"""

import gc
import re
from functools import lru_cache
from pathlib import Path

import exact_trees
import faults
import findings
import numpy as np
import pandas as pd
import pytest
import reproduction
import scale
import worst_case
import yaml
from one_suite import published, rows_of
from reproduction_page import front, paper_page
from scipy import stats
from tabfs import PAGE, TEMPLATE, numbers
from tabfs_rows import Rows
from tabfs_statistics import interval, over_tables

import benchkit
from benchkit import DataUnavailableError, require_file
from benchkit.suite.load import load_collection
from benchkit_results.stored import open_stored

ROOT = Path(__file__).parents[2]
FOUND = findings.read_findings()
SENTENCES = [*FOUND["sentences"], *FOUND["closing"]]


@pytest.mark.parametrize(("suite", "module"), [("worst-case", worst_case), ("faults", faults)])
def test_a_page_is_what_the_published_rows_give(suite, module):
    assert module.page(published(ROOT / "results", suite)) == module.PAGE.read_text(encoding="utf-8")


TABFS = yaml.safe_load(TEMPLATE.read_text(encoding="utf-8"))["page"]


@pytest.mark.parametrize(
    "sentences", [SENTENCES, faults.read_template()["sentences"], worst_case.read_template()["sentences"]]
)
def test_no_sentence_has_a_result_that_is_typed(sentences):
    """Outside braces stand settings, such as K = 25, and no decimals, points or shares."""
    for sentence in sentences:
        assert re.findall(r"\d*\.\d+|\d+ (?:points|%)|\[", re.sub(r"\{\w+\}", "", sentence["text"])) == []
    ten = TABFS.split("## Ten sentences")[1].split("## The paper's claims")[0]
    # The number that the authors state is the only one that is not ours.
    assert re.findall(r"\d+\.\d+", re.sub(r"\{\w+\}", "", ten)) == ["0.7405"]


@pytest.mark.filterwarnings("ignore:An input array is constant")
def test_the_page_on_tabfsbench_is_what_the_published_rows_give():
    try:
        require_file("tabfsbench/heart.csv")  # as of the other tables, whose correlations enter
    except DataUnavailableError as error:
        pytest.skip(str(error))
    rows = Rows(PAGE.parents[2] / "results")
    assert TABFS.format_map(numbers(rows)) == PAGE.read_text(encoding="utf-8")
    del rows
    gc.collect()


# The sentences that open REPRODUCTION.md.


@pytest.fixture(scope="module")
def results_of():
    """Rows by suite, of which three are held: those of all suites are half a gigabyte."""
    held = lru_cache(maxsize=3)(lambda name: rows_of(open_stored(str(ROOT / "results" / name.split("/")[0])), name))
    yield held
    held.cache_clear()
    gc.collect()


@pytest.mark.parametrize("place", range(len(SENTENCES)))
def test_a_sentence_says_what_the_rows_say(place, results_of):
    page = " ".join((ROOT / "docs" / "REPRODUCTION.md").read_text(encoding="utf-8").split())
    assert " ".join(findings.told(SENTENCES[place], results_of).split()) in page


def test_a_word_is_held_to_the_rows_and_a_number_is_of_some(results_of):
    sentence = next(each for each in SENTENCES if each.get("holds"))
    number = next(iter(sentence["numbers"].values()))
    for changed, reason in (
        ({"holds": [{**sentence["holds"][0], "outcome": "undecided"}]}, "and the rows say"),
        ({"numbers": {}}, r"numbers \[\] where the sentence has \["),
        ({"numbers": {"x": {**number, "order": ["lp", "nobody"]}}}, "no row gives"),
    ):
        with pytest.raises(ValueError, match=reason):
            findings.told({**sentence, **changed}, results_of)


def test_a_papers_page_and_its_counts_are_what_the_published_rows_give(results_of):
    """That of a paper with hundreds of printed numbers; all of them take a minute."""
    names = [each.suite.name for each in load_collection("papers", "paper").suites]
    members = [results_of(name) for name in names if name.startswith("roofs-")]
    (paper,) = [each for each in reproduction.by_paper(members) if each.file == "roofs.md"]
    sizes, notes = reproduction.paper_sizes(), {each.suite: reproduction.notes_on(each) for each in members}
    written = (ROOT / "docs" / "reproduction" / "roofs.md").read_text(encoding="utf-8")
    assert paper_page(paper, sizes, reproduction.what_methods_are_told(), notes) == written
    (row,) = re.findall(r"^\| \[.*roofs\.md\).*$", front("", "", [paper], sizes), re.MULTILINE)
    assert row in (ROOT / "docs" / "REPRODUCTION.md").read_text(encoding="utf-8")


# The exact worst case of trees.


def run(**changed):
    """Two splits of two models at N = 0, 4 and 8, each row closed at once, querying half a point off at N = 4."""
    rows = [
        {"model": model, "algorithm": model, "fill": "nan", "by": by, "budget": budget, "repetition": split}
        | {"error": 0.1 * budget - (0.005 if by == "query" and budget == 4 else 0), "n_test": 200, "n_train": 1000}
        | {"worst-case-bound": 0.1 * budget + 0.01, "open-rows": 0.0, "rows-within-a-second": 1.0, "cpu_seconds": 10.0}
        | {"slowest-row-seconds": 0.25 if budget == 8 else 0.0004}
        for model in ("xgboost", "dropout")
        for by in ("exact", "query")
        for budget in (0.0, 4.0, 8.0)
        for split in (0, 1)
    ]
    frame = pd.DataFrame(rows)
    for column, (chosen, value) in changed.items():
        frame.loc[frame.eval(chosen), column.replace("_", "-")] = value
    return frame


def test_a_row_of_trees_that_is_not_closed_is_never_rounded_away():
    here = "model == 'dropout' and budget == 4 and by == 'exact'"
    told = exact_trees.section(run(rows_within_a_second=(here, 0.9999), open_rows=(here, 0.002)))
    told = " ".join(told.split())
    assert "Hardened ones: 99.9 % up to N = 6 (least: dropout, nan, N = 4), and 100 % beyond" in told
    assert "At 1 of 6 points rows were left open after 10,000 nodes, at most 0.2 % (dropout, nan, N = 4)" in told
    part = run()
    with pytest.raises(SystemExit, match="not whole"):
        exact_trees.section(part[~((part["budget"] == 8) & (part["repetition"] == 1))])


# What size costs.


def test_the_table_of_sizes_is_what_the_figures_give():
    written = scale.PAGE.read_text(encoding="utf-8").split(scale.BEGIN)[1].split(scale.END)[0]
    assert written.strip() == scale.table(scale.shown_rows(), scale.kept()).strip()
    for row in scale.shown_rows():
        suite = yaml.safe_load((ROOT / "suites" / f"{row['suite']}.yaml").read_text(encoding="utf-8"))
        entries = [each for text in (suite, *suite.get("profiles", {}).values()) for each in text.get("algorithms", ())]
        assert row["algorithm"] in {each.get("label", each["name"]) for each in entries if isinstance(each, dict)}
        assert {asked["metric"] for asked in row["shows"]} <= {*suite["metrics"], "tune-fits", "cpu-seconds"}


def test_figures_are_the_least_the_median_and_the_most_of_a_run(tmp_path):
    split = {"repetitions": 3, "train": 60, "test": 60}
    suite = {"name": "small", "datasets": ["breast"], "split": split, "algorithms": ["constant"], "metrics": ["error"]}
    results = benchkit.run(suite, out=tmp_path, executor="inline", tracking=False, plots=False)
    (found,) = scale.measured([str(results.folder)]).query("metric == 'error'").to_dict("records")
    values = sorted(row["metrics"]["error"] for row in results.rows)
    assert [found[name] for name in ("trials", "least", "median", "most")] == [3, *(round(each, 6) for each in values)]


# TabFSBench.


def test_intervals_are_the_corrected_resampled_t_and_over_tables_end_where_a_number_can_lie():
    values = np.array([0.1, 0.3, 0.2, 0.4])
    mean, low, high = interval(values, 0.25)
    plain = stats.t.interval(0.95, 3, loc=0.25, scale=stats.sem(values))
    assert mean == pytest.approx(0.25)
    assert (high - low) / (plain[1] - plain[0]) == pytest.approx(np.sqrt((1 / 4 + 0.25) / (1 / 4)))
    plain = stats.t.interval(0.95, 2, loc=0.3, scale=stats.sem([0.2, 0.3, 0.4]))
    by_table = {"a": 0.2, "b": 0.3, "c": 0.4, "d": np.nan}
    assert over_tables(by_table) == pytest.approx((0.3, *plain))
    assert over_tables({"a": 0.1, "b": 0.9}, least=0.0) == pytest.approx((0.5, 0.0, 1.0))
    assert np.isnan(over_tables({"a": 0.1})).all()
