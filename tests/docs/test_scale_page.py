"""The table on what size costs is what the kept figures give, and its suites are those that measure it."""

import sys
from pathlib import Path

import yaml

import benchkit

ROOT = Path(__file__).parents[2]

sys.path.insert(0, str(ROOT / "docs" / "site"))
from scale import BEGIN, END, PAGE, kept, measured, shown_rows, table  # noqa: E402

sys.path.remove(str(ROOT / "docs" / "site"))


def test_the_table_is_what_the_figures_give():
    """A changed number fails here: ``python docs/site/scale.py``, and read the page."""
    written = PAGE.read_text(encoding="utf-8").split(BEGIN)[1].split(END)[0]
    assert written.strip() == table(shown_rows(), kept()).strip()


def test_every_row_asks_its_suite_for_what_that_has():
    for row in shown_rows():
        suite = yaml.safe_load((ROOT / "suites" / f"{row['suite']}.yaml").read_text(encoding="utf-8"))
        texts = [suite, *suite.get("profiles", {}).values()]
        entries = [each for text in texts for each in text.get("algorithms", ())]
        assert row["algorithm"] in {each.get("label", each["name"]) for each in entries if isinstance(each, dict)}
        metrics = {*suite["metrics"], "tune-fits", "cpu-seconds"}
        assert {asked["metric"] for asked in row["shows"]} <= metrics


def test_figures_are_the_least_the_median_and_the_most_of_a_run(tmp_path):
    suite = {
        "name": "small",
        "datasets": ["breast"],
        "split": {"repetitions": 3, "train": 60, "test": 60},
        "algorithms": ["constant"],
        "metrics": ["error"],
    }
    results = benchkit.run(suite, out=tmp_path, executor="inline", tracking=False, plots=False)
    (found,) = measured([str(results.folder)]).query("metric == 'error'").to_dict("records")
    values = sorted(row["metrics"]["error"] for row in results.rows)
    assert [found[name] for name in ("trials", "least", "median", "most")] == [3, *(round(each, 6) for each in values)]
