"""A suite's published rows as a run: its own methods keep their labels beside those of other suites."""

import pytest

from benchkit.publish.as_run import suite_as_run
from benchkit.publish.stored import open_folder
from benchkit.publish.write import publish
from benchkit.report.stored_results import load_results

from .conftest import SUITE, run

OTHER = {
    **SUITE,
    "name": "another",
    "algorithms": [
        {"name": "svm", "tune": {"grid": {"C": [0.001]}}},
        {"name": "svm", "label": "svm-of-tiny", "tune": {"grid": {"C": [0.1, 1]}}},
    ],
    "expect": [],
}


def metrics(results):
    """The error by method and place."""
    return {(row["algorithm"], row["axis_value"], row["repetition"]): row["metrics"] for row in results.records}


@pytest.mark.parametrize("suite", ["tiny", "another"])
def test_methods_of_other_suites_do_not_take_a_suites_labels(suite, first, published, tmp_path):
    second = run(tmp_path / "second", OTHER)
    publish([second.folder], published)
    own = metrics({"tiny": first[0], "another": second}[suite])
    together = metrics(load_results(suite_as_run(open_folder(published), suite, "default", tmp_path / "page")))
    assert together.items() >= own.items()
    labels = {"tiny": {"svm", "constant", "svm (published)"}, "another": {"svm", "svm-of-tiny", "constant"}}
    assert {label for label, *_ in together} == labels[suite]
    assert len(together) == 18
    alone = suite_as_run(open_folder(published), suite, "default", tmp_path / "alone", beside=False)
    assert metrics(load_results(alone)) == own


def test_one_method_may_have_a_label_on_each_data_set(tmp_path):
    svm = {"name": "svm", "tune": {"grid": {"C": [0.1]}}}
    valued = {"name": "breast", "label": "valued", "feature_values": "mutual-information"}
    entries = [{**svm, "label": "a", "datasets": ["breast"]}, {**svm, "label": "b", "datasets": ["valued"]}]
    results = run(tmp_path, {**SUITE, "datasets": ["breast", valued], "algorithms": entries, "expect": []})
    publish([results.folder], tmp_path / "results")
    page = load_results(suite_as_run(open_folder(tmp_path / "results"), "tiny", "default", tmp_path / "page"))
    assert metrics(page) == metrics(results)
    assert {(row["algorithm"], row["dataset"]) for row in page.records} == {("a", "breast"), ("b", "valued")}


def test_rows_of_a_suite_whose_text_has_changed_since_stand_together(first, published, tmp_path):
    # More data and a claim less; the same methods, but one, which is tuned otherwise now.
    valued = {"name": "breast", "label": "valued", "feature_values": "mutual-information"}
    svm = {"name": "svm", "tune": {"grid": {"C": [0.001]}}}
    for place, algorithms in enumerate((["constant"], [svm])):
        changed = {**SUITE, "datasets": [valued], "algorithms": algorithms, "expect": []}
        publish([run(tmp_path / str(place), changed).folder], published)
    page = load_results(suite_as_run(open_folder(published), "tiny", "default", tmp_path / "page"))
    assert metrics(page).items() >= metrics(first[0]).items()
    assert {(row["algorithm"], row["dataset"]) for row in page.records} == {
        ("svm", "breast"),
        ("constant", "breast"),
        ("constant", "valued"),
        ("svm (published)", "valued"),
    }
