"""A suite is read with its profiles, settings and what it includes; mistakes name file, line and key."""

import math
import re

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from benchkit.report.claims.forms import expected
from benchkit.suite.claims import Claim
from benchkit.suite.load import load, load_collection
from benchkit.suite.names import shipped
from benchkit.suite.schema import Split, Tune
from benchkit.suite.source import SuiteError, read
from benchkit.suite.whole_suite import Suite
from benchkit.suite.yaml_text import parse, parse_with_lines, write

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
CLAIMS = """\
expect:
  - {claim: an order, order: [lp, svm]}
  - {claim: a number of the whole suite, algorithm: lp, value: 0.1, tolerance: 0.05, profiles: [default]}
  - {claim: another of the quick one, algorithm: lp, value: 0.2, tolerance: 0.05, profiles: [quick]}
"""
ONE = "name: {}\ndatasets: [breast]\nalgorithms: [constant]\n"
LOGISTIC = "sklearn.linear_model:LogisticRegression"


def with_key(text):
    return "name: demo", f"name: demo\n{text}"


def with_claim(text):
    return with_key(f"expect: [{{claim: c, {text}}}]")


def as_algorithm(text):
    return "- svm", f"- {text}"


def test_profiles_and_settings_replace_key_by_key(write_suite):
    path = write_suite(GOOD)
    suite = load(path).suite
    assert (suite.datasets[1].params, suite.algorithms[0].name, suite.seed) == ({"pair": [4, 7]}, "svm", 0)
    suite = load(path, "quick", {"split.train": 0.4, "seed": 9, "split": {"validation": 0.2}}).suite
    assert (suite.split.repetitions, suite.split.train, suite.split.validation, suite.seed) == (1, 0.4, 0.2, 9)
    own = "split: {repetitions: 9, train: 20, test: {column: a, value: 1}}"
    entry = write_suite(GOOD.replace("pair: [4, 7]", own), "own.yaml")
    split = load(entry, "quick", {"split.train": 30, "split": {"test": 50, "validation": 7}}).suite.datasets[1].split
    assert (split.repetitions, split.train, split.validation, split.test.column) == (1, 30, None, "a")
    datasets = f"quick: {{datasets: [{{name: breast, {own}}}], "
    listed = write_suite(GOOD.replace("quick: {", datasets), "listed.yaml")
    assert load(listed, "quick").suite.datasets[0].split.repetitions == 9
    settings = {"algorithms.0.params.C": 3, "algorithms.1.name": "o2b", "adversaries.0.budgets.1": 5}
    suite = load(path, settings=settings).suite
    of_file = [("svm", {"C": 3}), ("o2b", {"noise_budget": "$budget"})]
    assert [(entry.name, entry.params) for entry in suite.algorithms] == of_file
    assert suite.adversaries[0].budgets == [0, 5]


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("algorithms.2.name", "x", "'2' is not a position in a list of 2"),
        ("algorithms.lp.name", "x", "'lp' is not a position in a list of 2"),
        ("algorithms.0.nam", "x", "algorithms.0.nam: unknown key 'nam'; did you mean 'name'?"),
        ("split.repetitions", 0, "split.repetitions: "),
        (
            "profiles.quick.seed",
            3,
            "so this changes nothing: choose the profile with --profile",
        ),
        ("split.train", 0.9, "split: the fractions of train, validation and test sum to 1.15"),
    ],
)
def test_a_setting_is_to_blame_for_what_is_wrong_with_it(write_suite, key, value, reason):
    with pytest.raises(SuiteError, match=re.escape(f"--set {key}: ")) as caught:
        load(write_suite(GOOD), settings={key: value})
    assert reason in str(caught.value)


DATA = GOOD[GOOD.index("datasets") :]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("algorithms:", "algoritms:", ":6: algoritms: unknown key 'algoritms'; did you mean 'algorithms'?"),
        ("    params: {noise", "    parms: {noise", ":9: algorithms.1.parms: unknown key 'parms'; did you mean"),
        (*with_key("qqq: 1"), "unknown key 'qqq'; known keys: name, "),
        (*with_key("folds: 3"), "unknown key 'folds'; it is a key of 'split': indent"),
        ("  - breast\n", "  - true\n", ":3: datasets.0: "),
        (DATA, "datasets: []\nalgorithms: svm\n", ":3: algorithms: 'svm' "),
        (DATA, "datasets: []\nalgorithms: [svm]\n", "a suite needs 'datasets' and"),
        ("name: demo", "name: ünï", "name: 'ünï' does not fit"),
        ("name: demo", f"name: {'x' * 101}", "at most 100 characters"),
        ("name: demo\n", "", "key 'name' is missing"),
        *[("name: demo", f"name: {opened}demo", ":1: not valid YAML") for opened in ("[", "{", "'", '"')],
        ("[0, 2]", "[]", ":11: adversaries.0.budgets: [] is too short"),
        ("- breast\n", "- name: breast\n        params: {}\n", " of '        params: {}'; begin it below"),
        ("name: demo", "name:demo", ":1: not valid YAML: write a space after the ':' of 'name:demo'"),
        ("name: demo", "name demo", ":1: not valid YAML: write ': ' after the key of 'name demo'"),
        ("algorithms:", "name: again\nalgorithms:", ":6: not valid YAML: key 'name' is given twice, first in line 1"),
        ("quick: {split: {repetitions: 1}}", "quick: {splits: {}}", ":13: profiles.quick.splits: unknown key"),
        *[("repetitions: 2", f"repetitions: {n}", ":5: split.repetitions") for n in ("true", "2.0", "two", "0")],
        *[("train: 0.5", f"train: {n}", ":5: split.train") for n in ("50%", "much", "1.5", "0", "-3", "true", 10**11)],
        ("train: 0.5", "train: {per_class: '5'}", ":5: split.train"),
        ("train: 0.5", "train: 0.9", "sum to 1.15"),
        ("repetitions: 2", "method: k-fold", "'folds' and 'method: k-fold' go together"),
        *[("[0, 2]", f"[0, {value}]", ":11: adversaries.0.budgets.1: ") for value in ("-1", ".nan", "much", "true")],
        ("[0, 2]", "[0, '10%']", "all amounts or all shares"),
        ("[0, 2]", "[2, 2]", "listed twice"),
        ("name: greedy-delete", "name: greedy-delete, label: none", ":11: adversaries.0: 'none' "),
        ("pair: [4, 7]", "pair: [4, 7], label: ''", ":4: datasets.1.label: "),
        ("pair: [4, 7]", 'pair: [4, 7], label: "two\\nlines"', ":4: datasets.1.label: "),
        ("- breast", "- {name: breast, params: null}", "datasets.0.params"),
        (*with_key("preprocess: [not a step]"), ":2: preprocess.0: unknown preprocessing step 'not a step'"),
        (*with_key("preprocess: [{clip: -1}]"), ":2: preprocess.0: bad argument of clip"),
        (*with_key("feature_values: [1, -2]"), ":2: feature_values.1"),
        (*with_key("hours: 0"), ":2: hours: "),
        (*with_key("metrics: [error, error]"), "'error' is listed twice"),
        (*with_key("axis: {parameter: dataset.n, values: [.nan]}"), "nan is no value"),
        (*with_claim("value: 1"), "expect.0: key 'algorithm' is missing"),
        (*with_claim("breakdown: 0.2"), "expect.0: key 'order' is missing"),
        (*with_claim("order: [a, b], breakdown: 0.2, on_average: all"), "'on_average' and 'breakdown' exclude"),
        (*with_claim("order: [a, b], algorithm: a"), "expect.0: 'algorithm' and 'order' exclude each other"),
        (*with_claim("algorithm: a, value: 1, stderr: 1, tolerance: 1"), "'stderr' and 'tolerance' exclude each other"),
        (*with_claim("alike: [a, b], value: 1"), "'alike' and 'value' are given"),
        (*with_claim("algorithm: a"), "none is given"),
        (*with_claim("algorithm: a, exponent: [2, 1]"), "expect.0.exponent: the ends are [2.0, 1.0]"),
        (*with_claim("algorithm: a, monotone: up"), "expect.0.monotone: "),
        (*with_claim("algorithm: a, value: .nan"), "expect.0.value: "),
        (*as_algorithm("{name: svm, tune: {search: random, candidates: 1000000000}}"), "candidates: 1000000000 is"),
        (*as_algorithm("{name: svm, tune: {space: {C: {uniforn: [0, 1]}}}}"), "no distribution 'uniforn'"),
        (*as_algorithm("{name: svm, tune: {space: {C: {uniform: [a]}}}}"), "uniform does not take ['a']"),
        (*as_algorithm("{name: svm, tune: {space: {C: 3}}}"), "C: 3 "),
        (*as_algorithm("{name: svm, tune: {space: {C: {uniform: [0, 1]}}}}"), "give a 'search' such as random"),
        (*as_algorithm(f"{{name: svm, estimator: '{LOGISTIC}'}}"), "'name' and 'estimator' exclude each other"),
        (*as_algorithm("{svm: {params: {C: 1}}}"), "an entry has its name behind a key: write 'name: svm'"),
        ("  - breast", "  - {nam: breast}", "key 'name' is missing; did you mean it by 'nam'?"),
        (*as_algorithm("{estimator: SVC}"), "'SVC' is not an estimator: write 'module:Class'"),
        (*as_algorithm("{name: svm, grid: {C: [1]}, tune: [{data: clean}]}"), "'grid' beside 'tune'"),
    ],
)
def test_mistakes_are_told_in_one_line(write_suite, old, new, expected):
    path = write_suite(GOOD.replace(old, new, 1))
    with pytest.raises(SuiteError) as caught:
        load(path)
    assert str(caught.value).startswith(path)
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


def test_all_that_one_validation_finds_is_told_at_once(write_suite):
    entries = "algorithms:\n  - {name: svm, tune: {grid: 3, folds: 1}}\n  - {label: mine}\n"
    split = "{repetitions: some, train: 10%}"
    path = write_suite(f"name: demo\ndatasets: [breast, 3]\nsplit: {split}\n{entries}seed: x\n")
    with pytest.raises(SuiteError) as caught:
        load(path)
    title, *lines = str(caught.value).splitlines()
    assert title == f"{len(lines)} mistakes:"
    assert [":".join(line.removeprefix(f"  {path}:").split(": ")[:2]) for line in lines] == [
        *("2:datasets.1", "3:split.repetitions", "3:split.train", "5:algorithms.0.tune.grid"),
        *("5:algorithms.0.tune.folds", "6:algorithms.1", "7:seed"),
    ]


@pytest.mark.parametrize("wrong", ["one", 7, -1, 1.5, True, None, float("nan"), ["a"], [[1]], [None], {"a": 1}, 10**30])
def test_no_mistake_is_in_the_words_of_the_library_that_validates(wrong):
    entry = {"name": "svm", "label": "l", "params": {}, "datasets": ["breast"], "tune": [{"metric": "error"}]}
    changes = [{key: wrong} for key in Suite.model_fields]
    changes += [{"algorithms": [entry | {key: wrong}]} for key in entry]
    changes += [{"algorithms": [{"name": "svm", "tune": {key: wrong}}]} for key in Tune.model_fields]
    changes += [{"split": {key: wrong}} for key in Split.model_fields] + [{"keep": {"mb": wrong, "rows": wrong}}]
    messages = []
    for change in changes:
        try:
            load({"name": "s", "datasets": ["breast"], "algorithms": ["svm"]} | change)
        except SuiteError as error:
            messages.append(str(error))
    assert not re.search("nput should|tring should|valid (string|number|integer|dict|list)", "\n".join(messages))


def test_what_is_no_suite_is_refused_whatever_it_is_given_as(write_suite, tmp_path):
    for content in (b"", b"- a\n- b\n", b"just text", "name: d\xe9mo".encode("latin-1")):
        (tmp_path / "suite.yaml").write_bytes(content)
        with pytest.raises(SuiteError, match=r"suite\.yaml.*: (a suite is a mapping|cannot be read)"):
            load(str(tmp_path / "suite.yaml"))
    suite = {"name": "s", "datasets": ["breast"], "algorithms": ("svm",)}
    assert load(suite).suite.algorithms[0].name == "svm"
    for reference, profile, reason in [
        (suite | {"datasets": [{1}]}, None, r"^suite: datasets\.0: set: "),
        (suite | {"hours": math.inf}, None, r"^suite: hours: "),
        (write_suite(GOOD), "quik", "did you mean 'quick'"),
    ]:
        with pytest.raises(SuiteError, match=reason):
            load(reference, profile)


def test_hours_hold_for_what_they_were_measured_on_and_keys_of_ones_own_hold_anchors(write_suite):
    path = write_suite(GOOD.replace("demo", "demo\nhours: 3") + "  paper: {}\n  slow: {seed: 1, hours: 9}\n")
    assert [load(path, profile).suite.hours for profile in (None, "paper", "quick", "slow")] == [3, 3, None, 9]
    assert load(path, None, {"seed": 2}).suite.hours is None
    assert load(path, "slow", {"hours": 4}).suite.hours == 4
    text = "x-grid: &grid {C: [1, 1e1]}\n" + GOOD.replace("  - svm\n", "  - {name: svm, tune: {grid: *grid}}\n")
    adversary = "{name: greedy-delete, budgets: [0, 2]}"
    suite = load(write_suite(text.replace(adversary, f"&one {adversary}\n  - {{<<: *one, label: b}}")), "quick").suite
    assert suite.algorithms[0].tune[0].grid == {"C": [1, 10.0]}
    assert [entry.display_name for entry in suite.adversaries] == ["greedy-delete", "b"]
    assert "x-grid" not in read(shipped()["quickstart"]).values


@pytest.mark.parametrize(
    ("profile", "settings", "location", "place"),
    [
        ("other", {}, ["algorithms", 1, "name"], "suite.yaml:14: profiles.other.algorithms.1"),
        ("other", {}, ["datasets", 0, "name"], "suite.yaml:3: datasets.0"),
        ("quick", {"algorithms": ["svm", "nosuch"]}, ["algorithms", 1, "name"], "--set algorithms: algorithms.1"),
        ("quick", {"keep.mb": 1}, ["keep", "mb"], "--set keep.mb"),
        ("quick", {"algorithms.0": "nosuch"}, ["split", "repetitions"], "yaml:13: profiles.quick.split.repetitions"),
        ("quick", {}, ["split", "train"], "suite.yaml:5: split.train"),
        ("quick", {}, ["datasets", 1, "params", "pair"], "suite.yaml:4: datasets.1.pair"),
    ],
)
def test_an_error_names_the_profile_or_the_option_of_a_value(write_suite, profile, settings, location, place):
    loaded = load(write_suite(GOOD + "  other: {algorithms: [svm, nosuch]}\n"), profile, settings)
    assert f"{place}: wrong" in str(loaded.source.error(location, "wrong"))


def test_a_claim_is_judged_in_the_profiles_that_it_names(write_suite):
    path = write_suite(GOOD + CLAIMS)
    assert [claim.claim for claim in load(path).suite.expect] == ["an order", "a number of the whole suite"]
    assert [claim.claim for claim in load(path, "quick").suite.expect] == ["an order", "another of the quick one"]
    assert len(load(path, settings={"split.repetitions": 3}).suite.expect) == 2  # a setting changes no profile
    line = (GOOD + CLAIMS).splitlines().index(CLAIMS.splitlines()[3]) + 1
    path = write_suite(GOOD + CLAIMS.replace("[quick]", "[quik]"))
    expected = f"{path}:{line}: expect.2.profiles: unknown profile 'quik'; did you mean 'quick'?"
    with pytest.raises(SuiteError, match=re.escape(expected)):
        load(path)


def test_a_collection_has_names_paths_and_collections_in_order_each_once(write_suite):
    write_suite(ONE.format("one"), "one.yaml")
    write_suite(ONE.format("two"), "two.yaml")
    inner = write_suite("name: inner\ninclude: [two.yaml, one.yaml]\n", "inner.yaml")
    outer = write_suite("name: outer\ninclude: [quickstart, inner.yaml, one.yaml]\n", "outer.yaml")
    for path, names in ((inner, ["two", "one"]), (outer, ["quickstart", "two", "one"])):
        assert [loaded.suite.name for loaded in load_collection(path).suites] == names


@pytest.mark.parametrize(
    ("rest", "message"),
    [
        ("include: [quickstart, quikstart]\n", "outer.yaml:2: include.1: unknown suite 'quikstart'; did you"),
        ("include:\n- absent.yaml\n", "outer.yaml:3: include.0: .*absent.yaml: no such suite file"),
        ("include: [outer.yaml]\n", "include.0: outer.yaml includes itself"),
        ("include: [one.yaml, sub/one.yaml]\n", "are both named 'one'"),
        ("include: [one.yaml]\nalgorithms: [lp]\n", "runs other suites and has no algorithms"),
    ],
)
def test_mistakes_of_a_collection(write_suite, tmp_path, rest, message):
    (tmp_path / "sub").mkdir()
    for place in ("one.yaml", "sub/one.yaml"):
        write_suite(ONE.format("one"), place)
    with pytest.raises(SuiteError, match=message):
        load_collection(write_suite(f"name: outer\n{rest}", "outer.yaml"))


ABOUT = {"claim": "c", "source": "s"}
ORDER, ALIKE = {"order": ["lp", "svm", "o2b"], "by": 0.1}, {"alike": ["lp", "svm", "o2b"], "tolerance": 0.01}
BREAKDOWN = {"order": ["lp", "svm"], "by": 2.0, "breakdown": 0.25, "tolerance": 1.0}
VALUE, MONOTONE = {"algorithm": "lp", "value": 0.22}, {"algorithm": "lp", "monotone": "constant"}
CLOSE, EXPONENT = {"tolerance": 0.01}, {"algorithm": "lp", "exponent": [0.8, 1.2]}
SINGLE, PAIRS = [("lp",)], [("lp", "svm"), ("svm", "o2b")]


@pytest.mark.parametrize(
    ("form", "said", "numbers", "comparisons"),
    [
        ("order", ORDER, ["0.1"], PAIRS),
        ("breakdown", BREAKDOWN, ["0.25", "2", "1"], PAIRS[:1]),
        ("alike", ALIKE, ["0.01"], [PAIRS[0], ("lp", "o2b"), PAIRS[1]]),
        ("between", {"algorithm": "lp", "between": [0.2, 0.25]} | CLOSE, ["0.19", "0.26"], SINGLE),
        ("value", VALUE | CLOSE, ["0.22", "0.01"], SINGLE),
        ("value", VALUE | {"stderr": 0.002}, ["0.22", "0.002"], SINGLE),
        ("value", VALUE | {"minus": "svm", "tolerance": 0.1}, ["0.22", "0.1"], PAIRS[:1]),
        ("monotone", MONOTONE | CLOSE, ["0.01"], SINGLE),
        ("exponent", EXPONENT, ["0.8", "1.2"], SINGLE),
    ],
)
def test_the_form_is_told_by_its_key_and_a_suite_writes_it_as_it_was_read(form, said, numbers, comparisons):
    claim = Claim.model_validate(ABOUT | said)
    assert (claim.form, list(claim.comparisons)) == (form, comparisons)
    words = expected(claim, "error")
    assert set(claim.algorithms) <= set(re.findall(r"\w+", words))
    assert [text.removesuffix(".0") for text in re.findall(r"\d+(?:\.\d+)?", re.sub(r"o2b", "", words))] == numbers
    suite = Suite.model_validate({"name": "s", "datasets": ["breast"], "algorithms": ["svm"], "expect": [ABOUT | said]})
    (written,) = suite.model_dump(mode="json", exclude_defaults=True)["expect"]
    assert written == ABOUT | said
    assert Claim.model_validate(written) == claim


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *[("1e3", 1000.0), ("-2.5E-3", -0.0025), (".5e1", 5.0), ("1.e2", 100.0), ("1", 1), ("1.5", 1.5)],
        *[("'1e3'", "1e3"), ("[true, False]", [True, False])],
        *[(text, text) for text in ("010", "12:30", "1:30.5", "2024-05-31")],
        *[(word, word) for word in ("yes", "no", "on", "off", "Yes", "NO", "y")],
        *[(text, yaml.safe_load(text)) for text in ("e3", "1e", "1e3x", "0x1e3", "1-e3", "v1e3")],
    ],
)
def test_numbers_truth_values_and_what_only_looks_like_them(text, value):
    result = parse(f"key: {text}")["key"]
    assert (result, type(result)) == (value, type(value))


# No control characters, of which PyYAML does not write each so that it can read it.
letters = st.sampled_from([*map(chr, range(0x21, 0x7F)), *"éß²٣日😀"])
texts = st.lists(letters).map("".join) | st.builds("{}e{}".format, st.integers(0, 99), st.integers(0, 99))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


@given(values=values)
def test_what_is_written_is_read_back(values):
    assert parse(write(values)) == values


def test_aliases_that_people_write_are_read_and_own_keys_know_their_lines():
    text = "x-grid: &grid {C: [1, 2], D: 3}\na: [*grid, *grid]\nb: {<<: *grid,\n  D: 1}\nc: {<<: *grid}\n"
    grid = {"C": [1, 2], "D": 3}
    values, lines = parse_with_lines(text)
    assert values == {"x-grid": grid, "a": [grid, grid], "b": {"C": [1, 2], "D": 1}, "c": grid}
    assert list(values) == ["x-grid", "a", "b", "c"]
    assert lines["b", "D"] == 4


def test_a_data_file_beside_the_suite_is_found_and_one_of_the_current_folder_comes_first(tmp_path, monkeypatch):
    beside = tmp_path / "suites"
    beside.mkdir()
    (beside / "own.csv").write_text("a,b\n1,2\n")
    text = "name: s\ndatasets: [{name: csv, path: own.csv, target: b}]\nalgorithms: [constant]\n"
    (beside / "s.yaml").write_text(text)
    monkeypatch.chdir(tmp_path)
    assert load("suites/s.yaml").suite.datasets[0].params["path"] == str(beside / "own.csv")
    (tmp_path / "own.csv").write_text("a,b\n1,2\n")
    with pytest.warns(UserWarning, match="is read from the current folder"):
        assert load("suites/s.yaml").suite.datasets[0].params["path"] == "own.csv"
    (beside / "later.csv").write_text("a,b\n1,2\n")
    own = text.replace("target: b", "target: b, label: own, split: {test: later.csv}")
    (beside / "s.yaml").write_text(own.replace("own.csv", "[later.csv, gone.csv]") + "split: {test: later.csv}\n")
    suite = load("suites/s.yaml").suite
    assert suite.datasets[0].params["path"] == [str(beside / "later.csv"), "gone.csv"]
    assert suite.split.test == suite.datasets[0].split.test == str(beside / "later.csv")
