"""A suite's published rows as a run: its own methods keep their labels beside those of other suites."""

import json

import pytest

from benchkit.published.as_run import suite_results
from benchkit.published.stored import open_folder
from benchkit.published.write import publish

from .conftest import RIDGE, SUITE, as_by_other_code, run

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
    together = metrics(suite_results(open_folder(published), suite, "default"))
    assert together.items() >= own.items()
    # The other suite's svm with C = 0.001 is this one's, over another grid: it does not count a second time.
    labels = {"tiny": {"svm", "constant"}, "another": {"svm", "svm-of-tiny", "constant"}}
    assert {label for label, *_ in together} == labels[suite]
    assert len(together) == 6 * len(labels[suite])
    alone = suite_results(open_folder(published), suite, "default", beside=False)
    assert metrics(alone) == own


def test_one_method_may_have_a_label_on_each_data_set(tmp_path):
    svm = {"name": "svm", "tune": {"grid": {"C": [0.1]}}}
    valued = {"name": "breast", "label": "valued", "feature_values": "mutual-information"}
    entries = [{**svm, "label": "a", "datasets": ["breast"]}, {**svm, "label": "b", "datasets": ["valued"]}]
    results = run(tmp_path, {**SUITE, "datasets": ["breast", valued], "algorithms": entries, "expect": []})
    publish([results.folder], tmp_path / "results")
    page = suite_results(open_folder(tmp_path / "results"), "tiny", "default")
    assert metrics(page) == metrics(results)
    assert {(row["algorithm"], row["dataset"]) for row in page.records} == {("a", "breast"), ("b", "valued")}


def test_rows_of_a_suite_whose_text_has_changed_since_stand_together(first, published, tmp_path):
    # More data and a claim less; the same methods, but one, which is tuned otherwise now.
    valued = {"name": "breast", "label": "valued", "feature_values": "mutual-information"}
    svm = {"name": "svm", "tune": {"grid": {"C": [0.001]}}}
    for place, algorithms in enumerate((["constant"], [svm])):
        changed = {**SUITE, "datasets": [valued], "algorithms": algorithms, "expect": []}
        publish([run(tmp_path / str(place), changed).folder], published)
    page = suite_results(open_folder(published), "tiny", "default")
    assert metrics(page).items() >= metrics(first[0]).items()
    assert {(row["algorithm"], row["dataset"]) for row in page.records} == {
        ("svm", "breast"),
        ("constant", "breast"),
        ("constant", "valued"),
        ("svm (published)", "valued"),
    }


def test_a_label_that_one_text_only_names_stands_for_what_another_measured(tmp_path):
    """Of a method that was declared otherwise before it ever ran there is but one meaning, and its rows are shown."""
    for place, (number, ran) in enumerate(((0.1, "constant"), (0.001, "svm"))):
        svm = {"name": "svm", "params": {"C": number}}
        changed = {**SUITE, "algorithms": [svm, "constant"], "expect": []}
        publish([run(tmp_path / str(place), changed, only={"algorithm": ran}).folder], tmp_path / "results")
    page = suite_results(open_folder(tmp_path / "results"), "tiny", "default", beside=False)
    assert {row["algorithm"] for row in page.records} == {"svm", "constant"}


def test_two_labels_of_one_method_are_two_curves(tmp_path):
    svm = {"name": "svm", "tune": {"grid": {"C": [0.1]}}}
    suite = {**SUITE, "algorithms": [{**svm, "label": "a"}, {**svm, "label": "b"}], "expect": []}
    results = run(tmp_path, suite)
    publish([results.folder], tmp_path / "results")
    page = suite_results(open_folder(tmp_path / "results"), "tiny", "default")
    assert metrics(page) == metrics(results)
    assert {row["algorithm"] for row in page.records} == {"a", "b"}


def age(folder):
    """Let what is published be from an earlier year."""
    index = json.loads((folder / "index.json").read_text())
    for contribution in index["contributions"].values():
        contribution["published"] = "2001-01-01"
    (folder / "index.json").write_text(json.dumps(index))


def test_repetitions_that_were_drawn_by_other_code_do_not_mix(published, tmp_path, monkeypatch):
    age(published)
    monkeypatch.setattr("benchkit.trial.identity.PROTOCOL", 0)  # drawn otherwise
    few = run(tmp_path / "few", {**SUITE, "split": {**SUITE["split"], "repetitions": 2}})
    as_by_other_code(few)
    publish([few.folder], published)
    page = suite_results(open_folder(published), "tiny", "default")
    assert len(page.records) == 8
    assert {row["metrics"]["error"] for row in page.records} == {0.123}


def test_of_a_plugins_versions_the_newest_has_the_label(tmp_path):
    plugin = tmp_path / "ridge.py"
    plugin.write_text(RIDGE)
    suite = {**SUITE, "algorithms": ["ridge"], "expect": [], "plugins": [str(plugin)]}
    publish([run(tmp_path / "one", suite).folder], tmp_path / "results")
    age(tmp_path / "results")
    plugin.write_text(RIDGE.replace("alpha", "tol").replace("[1.0, 10.0]", "[0.1]"))
    new = run(tmp_path / "two", suite)
    publish([new.folder], tmp_path / "results")
    page = suite_results(open_folder(tmp_path / "results"), "tiny", "default")
    assert metrics(page).items() >= metrics(new).items()
    assert {row["algorithm"] for row in page.records} == {"ridge", "ridge (published)"}


def test_seconds_of_another_machine_are_left_out(published, tmp_path):
    more = run(tmp_path / "more", {**SUITE, "split": {**SUITE["split"], "repetitions": 4}})
    publish([more.folder], published, by="Somebody")
    index = json.loads((published / "index.json").read_text())
    for contribution in index["contributions"].values():
        if contribution["by"]:
            contribution["machine"] |= {"cpu": "Another processor"}
    (published / "index.json").write_text(json.dumps(index))
    page = suite_results(open_folder(published), "tiny", "default")
    assert {row["repetition"]: row["cpu_seconds"] is None for row in page.records} == {
        0: False,
        1: False,
        2: False,
        3: True,
    }
