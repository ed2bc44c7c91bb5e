"""Pages whose numbers are computed: they say what the published rows, or the kept figures, give; nobody types a number.

Where one fails: run the script that wrote the page, such as ``python docs/site/faults.py``, and read the page.
"""

import re
from functools import cache
from pathlib import Path

import exact_trees
import faults
import findings
import pandas as pd
import pytest
import scale
import worst_case
import yaml
from one_suite import judged, published, published_profile

import benchkit
from benchkit_results.stored import open_stored

ROOT = Path(__file__).parents[2]
FOUND = findings.read_findings()
SENTENCES = [*FOUND["sentences"], *FOUND["closing"]]


@pytest.mark.parametrize(("suite", "module"), [("worst-case", worst_case), ("faults", faults)])
def test_a_page_is_what_the_published_rows_give(suite, module):
    assert module.page(published(ROOT / "results", suite)) == module.PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "sentences", [SENTENCES, faults.read_template()["sentences"], worst_case.read_template()["sentences"]]
)
def test_no_sentence_has_a_result_that_is_typed(sentences):
    """Outside braces stand settings, such as K = 25, and no decimals, points or shares."""
    for sentence in sentences:
        assert re.findall(r"\d*\.\d+|\d+ (?:points|%)|\[", re.sub(r"\{\w+\}", "", sentence["text"])) == []


def test_every_fault_of_the_suite_has_a_panel():
    drawn = {panel["adversary"] for figure in faults.read_template()["figures"].values() for panel in figure["panels"]}
    results = published(ROOT / "results", "faults")
    assert set(faults.means(results).index.get_level_values("adversary")) == drawn


def test_every_data_set_of_the_worst_case_has_a_panel_and_every_method_a_line():
    template = worst_case.read_template()
    assert [panel["dataset"] for panel in template["figure"]["panels"]] == list(template["datasets"])
    suite = yaml.safe_load((ROOT / "suites" / "worst-case.yaml").read_text(encoding="utf-8"))
    assert set(template["algorithms"]) == {each.get("label", each["name"]) for each in suite["algorithms"]}
    assert worst_case.IMAGE.is_file()


# The sentences that open REPRODUCTION.md.


@pytest.fixture(scope="module")
def results_of():
    stored = open_stored(str(ROOT / "results"))
    return cache(lambda name: judged(stored, name, published_profile(stored, name)))


@pytest.mark.parametrize("place", range(len(SENTENCES)))
def test_a_sentence_says_what_the_rows_say(place, results_of):
    page = " ".join((ROOT / "docs" / "REPRODUCTION.md").read_text(encoding="utf-8").split())
    assert " ".join(findings.told(SENTENCES[place], results_of).split()) in page


class Rows:
    """A suite with five repetitions, in which lp errs so much less than svm, and hardly where nothing is lost."""

    def __init__(self, lead):
        known = {"status": "ok", "dataset": "d", "dataset_params": {}, "group": None, "adversary": "a"}
        known |= {
            "adversary_params": {},
            "axis": "budget",
            "n_rows": 2000,
            "n_test": 1000,
            "folds": None,
            "generated": False,
        }
        self.rows = [
            known
            | {"cell": f"{name}-{budget}", "algorithm": name, "repetition": at, "axis_value": budget}
            | {"metrics": {"error": 0.3 + 0.001 * at - less}}
            for budget, ahead in ((1, lead), (0, 0.02))
            for name, less in (("lp", ahead), ("svm", 0))
            for at in range(5)
        ]
        self.metrics, self.ranges, self.greater_is_better, self.attack_order = ["error"], {}, {}, {}


LEAD = {"suite": "s", "order": ["lp", "svm"]}
POINTS = {"times": -100, "unit": "points"}


def test_a_number_is_of_the_rows_and_a_word_is_held_to_them():
    number = {**LEAD, "at": [1], **POINTS}
    sentence = {"text": "LP leads by {lead}.", "numbers": {"lead": number}}
    assert findings.told(sentence, lambda name: Rows(0.12)) == "LP leads by 12.0 points [11.9, 12.1]."
    held = {**sentence, "holds": [{**LEAD, "at": [1], "outcome": "supported"}]}
    assert findings.told(held, lambda name: Rows(0.12)).endswith("[11.9, 12.1].")
    with pytest.raises(ValueError, match="the rows say contradicted: lp - svm = "):
        findings.told(held, lambda name: Rows(-0.12))
    # A mean is over points where something is lost.
    mean, at_zero = {**LEAD, "on_average": "all", **POINTS}, {**LEAD, "at": [0], **POINTS}
    several = {"text": "By {lead}, at N = 0 by {zero}.", "numbers": {"lead": mean, "zero": at_zero}}
    told = findings.told(several, lambda name: Rows(0.12))
    assert told == "By 12.0 points [11.9, 12.1], at N = 0 by 2.0 points [1.9, 2.1]."


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ({"text": "LP leads by {lead}."}, r"numbers \[\] where the sentence has \['lead'\]"),
        ({"text": "{x}", "numbers": {"x": {**LEAD, "order": ["lp", "o2b"]}}}, "no row gives"),
    ],
)
def test_a_number_that_no_row_gives(sentence, reason):
    with pytest.raises(ValueError, match=reason):
        findings.told(sentence, lambda name: Rows(0.1))


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


def test_shares_slowest_rows_and_errors_of_trees_are_those_of_the_run():
    told = " ".join(exact_trees.section(run()).split())
    assert "400 test rows of 2 random splits with 1,000 to train" in told
    assert "| xgboost | nan | 0.0 (0.0) | 40.0 (0.5) | 80.0 (0.0) |" in told
    assert "The slowest row up to there took 250 ms. No row of any point was left open" in told
    assert "reaches the exact error at 4 of 6 points" in told
    assert "1 min of one processor" in told  # a fit that trials share is in the seconds of each


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
