"""Errors of a suite name file, line, key and the nearest valid word."""

import re

import pytest
import yaml

from benchkit.suite.load import load, merge
from benchkit.suite.names import read_title, shipped
from benchkit.suite.source import SuiteError, read
from benchkit.suite.whole_suite import Suite

GOOD = """\
name: demo
datasets:
  - breast
  - {name: digits, pair: [4, 7]}
split: {repetitions: 2, train: 0.5, validation: 0.25}
algorithms:
  - svm
  - name: lp
    params: {noise_budget: $budget}
adversaries:
  - {name: greedy-delete, budgets: [0, 2]}
profiles:
  quick: {split: {repetitions: 1}}
"""


def test_a_good_suite_loads(write_suite):
    loaded = load(write_suite(GOOD))
    assert loaded.suite.name == "demo"
    assert loaded.suite.datasets[1].params == {"pair": [4, 7]}
    assert loaded.suite.algorithms[0].name == "svm"
    assert loaded.suite.split.test is None
    assert loaded.profile == "default"


def test_settings_reach_into_lists(write_suite):
    settings = {"algorithms.0.params.C": 3, "algorithms.1.name": "o2b", "adversaries.0.budgets.1": 5}
    suite = load(write_suite(GOOD), settings=settings).suite
    assert (suite.algorithms[0].name, suite.algorithms[0].params) == ("svm", {"C": 3})
    assert (suite.algorithms[1].name, suite.algorithms[1].params) == ("o2b", {"noise_budget": "$budget"})
    assert suite.adversaries[0].budgets == [0, 5]
    for key, reason in [
        ("algorithms.2.name", "'2' is no place in a list of 2, counted from 0"),
        ("algorithms.lp.name", "'lp' is no place in a list of 2"),
        ("algorithms.0.nam", "algorithms.0.nam: unknown key 'nam'; did you mean 'name'?"),
    ]:
        with pytest.raises(SuiteError, match=re.escape(f"--set {key}: ")) as caught:
            load(write_suite(GOOD), settings={key: "x"})
        assert reason in str(caught.value)


def test_profiles_and_settings_replace_key_by_key(write_suite):
    loaded = load(write_suite(GOOD), "quick", {"split.train": 0.4, "seed": 9})
    assert loaded.suite.split.repetitions == 1
    assert loaded.suite.split.train == 0.4
    assert loaded.suite.split.validation == 0.25
    assert loaded.suite.seed == 9
    assert merge({"a": {"b": 1, "c": 2}}, {"a": {"b": 3}}) == {"a": {"b": 3, "c": 2}}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("algorithms:", "algoritms:", ":6: algoritms: unknown key 'algoritms'; did you mean 'algorithms'?"),
        ("repetitions: 2", "repetition: 2", ":5: split.repetition: unknown key 'repetition'; did you mean"),
        (
            "    params: {noise",
            "    parms: {noise",
            ":9: algorithms.1.parms: unknown key 'parms'; did you mean 'params'?",
        ),
        (
            "  - breast\n",
            "  - true\n",
            ":3: datasets.0: True is neither a name nor a mapping with a 'name'; quote it",
        ),
        (
            GOOD[GOOD.index("datasets") :],
            "datasets: []\nalgorithms: svm\n",
            "algorithms: 'svm' is not a list: write [svm]",
        ),
        (GOOD[GOOD.index("datasets") :], "datasets: []\nalgorithms: [svm]\n", "or 'include'; 'datasets' is empty"),
        ("[0, 2]", "{a: 1}", "adversaries.0.budgets: a list is expected, not a mapping"),
        ("name: demo", "name: ünï", "name: 'ünï' does not fit: it names a folder, so letters from a to z, digits"),
        ("name: demo", f"name: {'x' * 101}", "at most 100 characters"),
        ("train: 0.5", "train: 50%", "'50%' is not a number: write 0.5"),
        ("repetitions: 2", "repetitions: true", ":5: split.repetitions: True is not a whole number"),
        ("repetitions: 2", "repetitions: 2.0", "split.repetitions: 2.0 is not a whole number"),
        ("train: 0.5", "train: {per_class: '5'}", "'5' is not a whole number"),
        ("train: 0.5", "train: much", "'much' is not a number"),
        ("[0, 2]", "[0, -1]", ":11: adversaries.0.budgets.1: budget -1 is out of range"),
        ("[0, 2]", "[0, .nan]", "out of range"),
        ("[0, 2]", "[0, much]", "'much' is not a budget"),
        ("[0, 2]", "[0, '10%']", "all amounts or all shares"),
        ("[0, 2]", "[2, 2]", "listed twice"),
        ("train: 0.5", "train: 1.5", ":5: split.train: 1.5 is not a size"),
        ("train: 0.5", "train: 0.9", "sum to 1.15"),
        ("repetitions: 2", "repetitions: two", ":5: split.repetitions"),
        ("name: demo\n", "", "key 'name' is missing"),
        ("name: demo", "name: ../demo", ":1: name"),
        ("datasets:", "preprocess: [not a step]\ndatasets:", "unknown preprocessing step 'not a step'"),
        ("datasets:", "preprocess: [{clip: -1}]\ndatasets:", "bad argument of clip"),
        ("datasets:", "feature_values: [1, -2]\ndatasets:", ":2: feature_values.1"),
        ("quick: {split: {repetitions: 1}}", "quick: {splits: {}}", ":13: profiles.quick.splits: unknown key"),
        ("name: demo", "name: [", "not valid YAML"),
        ("name: demo", "name: demo\ntitle: 2001-13-45", "not valid YAML"),
        ("- breast", "- {name: breast, params: null}", "datasets.0.params"),
        ("datasets:", "preprocess: [{scale: [a, 1]}]\ndatasets:", "bad argument of scale"),
        ("datasets:", "preprocess: [clip]\ndatasets:", "bad form of clip"),
        ("name: demo", "name: demo\nexpect: [{claim: c, algorithm: lp}]", "give one of 'order: [better, worse]'"),
        (
            "name: demo",
            "name: demo\nexpect: [{claim: c, order: [a, b], value: 1}]",
            "both 'order' and 'value' are given",
        ),
        ("name: demo", "name: demo\nexpect: [{claim: c, value: 1}]", "expect.0: key 'algorithm' is missing"),
        (
            "name: demo",
            "name: demo\nexpect: [{claim: c, order: [a, b], algorithm: a}]",
            "'algorithm' and 'order' exclude each other",
        ),
        ("name: demo", "name: demo\nexpect: [{claim: c, algorithm: a, monotone: up}]", "expect.0.monotone"),
        ("algorithms:", "name: again\nalgorithms:", ":6: not valid YAML: key 'name' is given twice, first in line 1"),
        ("train: 0.5", "train: 0.5, train: 0.4", ":5: not valid YAML: key 'train' is given twice"),
        ("pair: [4, 7]", "pair: [4, 7], label: ''", ":4: datasets.1.label: '' is no label"),
        ("pair: [4, 7]", 'pair: [4, 7], label: "two\\nlines"', "is no label: give text in one line"),
        ("name: greedy-delete", "name: greedy-delete, label: none", "'none' is no label"),
        ("- svm", "- {name: svm, label: ' svm'}", "without spaces around it"),
        (
            "datasets:",
            "axis: {parameter: dataset.n, values: [1, 2, 1]}\ndatasets:",
            "the value 1 of the axis is listed",
        ),
    ],
)
def test_mistakes_are_told_in_one_line(write_suite, old, new, expected):
    path = write_suite(GOOD.replace(old, new, 1))
    with pytest.raises(SuiteError) as caught:
        load(path, "quick" if "profiles" in expected else None)
    assert str(caught.value).startswith(path)
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", ["", "- a\n- b\n", "just text"])
def test_what_is_no_mapping_is_refused(write_suite, content):
    with pytest.raises(SuiteError, match="a suite is a mapping"):
        load(write_suite(content))


def test_hours_hold_for_what_they_were_measured_on(write_suite):
    path = write_suite(
        GOOD.replace("name: demo", "name: demo\nhours: 3") + "  paper: {}\n  slow: {seed: 1, hours: 9}\n"
    )
    assert [load(path, profile).suite.hours for profile in (None, "paper", "quick", "slow")] == [3, 3, None, 9]
    assert load(path, None, {"seed": 2}).suite.hours is None
    assert load(path, "slow", {"hours": 4}).suite.hours == 4
    with pytest.raises(SuiteError, match="hours"):
        load(write_suite(GOOD.replace("name: demo", "name: demo\nhours: 0")))


def test_unknown_suites_and_profiles(write_suite):
    with pytest.raises(SuiteError, match="did you mean 'quickstart'"):
        load("quikstart")
    with pytest.raises(SuiteError, match="no such suite file"):
        load("nowhere/suite.yaml")
    with pytest.raises(SuiteError, match="did you mean 'quick'"):
        load(write_suite(GOOD), "quik")
    with pytest.raises(SuiteError, match="--set split.repetitions"):
        load(write_suite(GOOD), None, {"split.repetitions": 0})


def test_not_utf8(tmp_path):
    path = tmp_path / "latin.yaml"
    path.write_bytes("name: d\xe9mo".encode("latin-1"))
    with pytest.raises(SuiteError, match="cannot be read"):
        load(str(path))


@pytest.mark.parametrize("name", sorted(shipped()))
def test_shipped_suites_are_named_as_their_files_and_survive_a_round_trip(name):
    loaded = load(name)
    assert loaded.suite.name == name
    again = yaml.safe_load(yaml.safe_dump(loaded.suite.model_dump(mode="json", exclude_defaults=True)))
    assert Suite.model_validate(again) == loaded.suite


def test_keys_of_ones_own_hold_anchors(write_suite):
    text = "x-grid: &grid {C: [1, 1e1]}\n" + GOOD.replace("  - svm\n", "  - {name: svm, tune: {grid: *grid}}\n")
    suite = load(write_suite(text), "quick").suite
    assert suite.algorithms[0].tune[0].grid == {"C": [1, 10.0]}
    with pytest.raises(SuiteError, match=":2: x_grid: unknown key 'x_grid'"):
        load(write_suite("name: demo\nx_grid: 3\n" + GOOD.partition("\n")[2]))


def test_anchors_and_merges_are_no_repetition(write_suite):
    text = GOOD.replace(
        "{name: greedy-delete, budgets: [0, 2]}",
        "&one {name: greedy-delete, budgets: [0, 2]}\n  - {<<: *one, label: b}",
    )
    assert [entry.display_name for entry in load(write_suite(text)).suite.adversaries] == ["greedy-delete", "b"]


def test_an_error_names_the_profile_or_the_option_that_a_value_came_from(write_suite):
    text = GOOD + "  other: {algorithms: [svm, nosuch]}\n"
    path = write_suite(text)
    loaded = load(path, "other")
    with pytest.raises(SuiteError, match=r"suite\.yaml:14: profiles\.other\.algorithms\.1: unknown"):
        raise loaded.source.error(["algorithms", 1, "name"], "unknown")
    with pytest.raises(SuiteError, match=r"suite\.yaml:3: datasets\.0: unknown"):
        raise loaded.source.error(["datasets", 0, "name"], "unknown")
    loaded = load(path, "quick", {"algorithms": ["svm", "nosuch"]})
    with pytest.raises(SuiteError, match=r"^--set algorithms: algorithms\.1\.name: unknown"):
        raise loaded.source.error(["algorithms", 1, "name"], "unknown")
    with pytest.raises(SuiteError, match=r"suite\.yaml:13: profiles\.quick\.split\.repetitions: too many"):
        raise loaded.source.error(["split", "repetitions"], "too many")
    with pytest.raises(SuiteError, match=r"suite\.yaml:5: split\.train: too many"):
        raise loaded.source.error(["split", "train"], "too many")


CLAIMS = """\
expect:
  - {claim: an order, order: [lp, svm]}
  - {claim: a number of the whole suite, algorithm: lp, value: 0.1, tolerance: 0.05, profiles: [default]}
  - {claim: another of the quick one, algorithm: lp, value: 0.2, tolerance: 0.05, profiles: [quick]}
"""


def test_a_claim_is_judged_in_the_profiles_that_it_names(write_suite):
    path = write_suite(GOOD + CLAIMS)
    assert [claim.claim for claim in load(path).suite.expect] == ["an order", "a number of the whole suite"]
    assert [claim.claim for claim in load(path, "quick").suite.expect] == ["an order", "another of the quick one"]
    # A setting changes no profile.
    settings = {"split.repetitions": 3}
    assert len(load(path, settings=settings).suite.expect) == 2
    line = (GOOD + CLAIMS).splitlines().index(CLAIMS.splitlines()[3]) + 1
    path = write_suite(GOOD + CLAIMS.replace("[quick]", "[quik]"))
    expected = f"{path}:{line}: expect.2.profiles: unknown profile 'quik'; did you mean 'quick'?"
    with pytest.raises(SuiteError, match=re.escape(expected)):
        load(path)


def test_numbers_of_tables_are_not_judged_at_another_size():
    for profile, judged in (("paper", True), ("quick", False)):
        claims = load("dhs08-table2", profile).suite.expect
        assert any(claim.form in ("value", "between") for claim in claims) is judged
        assert any(claim.form == "order" for claim in claims)


def test_all_that_one_validation_finds_is_told_at_once(write_suite):
    path = write_suite(
        """\
name: demo
datasets: [breast, 3]
split: {repetitions: some, train: 10%}
algorithms:
  - {name: svm, tune: {grid: 3, folds: 1}}
  - {label: mine}
seed: x
"""
    )
    with pytest.raises(SuiteError) as caught:
        load(path)
    title, *lines = str(caught.value).splitlines()
    places = [line.removeprefix(f"  {path}:").split(": ")[:2] for line in lines]
    assert title == f"{len(lines)} mistakes:"
    assert places == [
        ["2", "datasets.1"],
        ["3", "split.repetitions"],
        ["3", "split.train"],
        ["5", "algorithms.0.tune.grid"],
        ["5", "algorithms.0.tune.folds"],
        ["6", "algorithms.1"],
        ["7", "seed"],
    ]


def test_a_title_is_read_alone():
    for path in shipped().values():
        assert read_title(path) == read(path)[0]["title"]
