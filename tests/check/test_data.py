"""All of a suite's mistakes that its data shows are told at once, before anything runs."""

import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchkit import run
from benchkit.session.options import Request
from benchkit.session.plan import plan_suite
from benchkit.suite.source import SuiteError

TABLE = """size,colour,outcome
1.5,red,ill
2.5,blue,well
,red,ill
0.5,?,well
1.0,blue,ill
2.0,red,well
"""

SUITE = """\
name: own
datasets:
  - {name: csv, path: own.csv, target: outcome}
split: {repetitions: 2, train: 0.5, validation: 0.2}
preprocess: [{impute: mean}]
algorithms: [constant, svm]
adversaries: [{name: greedy-delete, budgets: [0, 2]}]
"""
SPLIT = "{repetitions: 2, train: 0.5, validation: 0.2}"
GREEDY = "{name: greedy-delete, budgets: [0, 2]}"
NAMED = "{{name: named-delete, params: {{features: [colour, {}]}}, budgets: [0, 2]}}"
NUMBERS = "{name: csv-regression, path: own.csv, target: size, label: sizes}"
RESPONSES = "{name: corrupt-responses, budgets: [0, 0.2]}"
REGRESSION = "[constant, {estimator: sklearn.svm.SVR}]".replace("svm.SVR", "svm:SVR")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("own.csv").write_text(TABLE)


def planned(text, **options):
    Path("own.yaml").write_text(text)
    return plan_suite(Request("own.yaml", **options))


def mistakes(text):
    with pytest.raises(SuiteError) as caught:
        planned(text)
    return str(caught.value).splitlines()


def changed(*replacements, text=SUITE):
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new)
    return text


def beside(entry):
    """A further data set."""
    return "split:", f"  - {entry}\nsplit:"


def test_all_are_told_at_once_each_with_line_and_remedy():
    text = changed(
        ("target: outcome}", "target: result}\n  - {name: csv, path: gone.csv, label: gone}"),
        beside("{name: csv, path: own.csv, target: outcome, positive: sick, label: sick}"),
        beside("{name: csv, path: own.csv, target: outcome, label: fine, preprocess: []}"),
        ("svm]", "{name: svm, datasets: [fine]}]"),
        ("[0, 2]", "[0, 3]"),
    )
    title, *lines = mistakes(text)
    assert title == "5 mistakes:"
    expected = (
        (":3: datasets.0.target", "'result'; the columns are size, colour"),
        (":4: datasets.1.path", "no file gone.csv"),
        (":5: datasets.2.positive", "['ill', 'well']"),
        (":10: adversaries.0.budgets.1", "budget 3 exceeds 2"),
        (":9: algorithms.1", "add {impute: mean}"),
    )
    for line, (place, words) in zip(lines, expected, strict=True):
        assert line.startswith(f"  own.yaml{place}: ")
        assert words in line


def test_a_mistake_has_its_place_and_names_what_is_wrong():
    for old, new, place, words in (
        ("target: outcome", "label: size", "3: datasets.0.label", "'target: size'"),
        ("target: outcome", "label: colour=red", "3: datasets.0.label", "'target: colour=red'"),
        ("svm]", "lasso]", "6: algorithms.1", "lasso does not predict classes"),
        ("constant, svm", '{estimator: "sklearn.svm:SVR"}', "6: algorithms.0", "SVR does not predict classes"),
        (GREEDY, NAMED.format("sise"), "7: adversaries.0.params.features.1", "did you mean 'size'?"),
        (GREEDY, NAMED.format("zzz"), "7: adversaries.0.params.features.1", "it has size, colour=?, colour=blue"),
        (GREEDY, NAMED.format("7"), "7: adversaries.0.params.features.1", "no column 7: give 0 to 3"),
        (GREEDY, NAMED.format("colour"), "7: adversaries.0.params.features.1", "'colour' is named twice"),
        (GREEDY, RESPONSES, "7: adversaries.0", "corrupt-responses does not attack classes"),
    ):
        (line,) = mistakes(changed((old, new)))
        assert line.startswith(f"own.yaml:{place}: ")
        assert words in line


def test_names_and_data_are_looked_at_together_and_an_option_is_blamed_for_what_it_sets():
    with pytest.raises(SuiteError, match=r"^--set datasets.0.target: .* no column is named 'result'"):
        planned(SUITE, settings={"datasets.0.target": "result"})
    text = changed(("svm]", "smv]"), ("target: outcome", "target: result"))
    assert [line.split(": ")[1] for line in mistakes(text)[1:]] == ["algorithms.1", "datasets.0.target"]


def test_no_data_is_looked_at_of_which_nothing_is_asked():
    text = changed(beside("breast"), ("[0, 2]", "[0, 5]"))
    assert "the number of features of csv" in mistakes(text)[0]
    assert planned(text, only={"dataset": "breast"}).left


def test_of_very_many_mistakes_the_first_are_told_and_how_many_more():
    entry = "{{name: random-delete, label: take-{0}, budgets: [{0}, 1{0}]}}"
    title, *lines = mistakes(changed((GREEDY, ", ".join(entry.format(number) for number in range(5, 25)))))
    assert (title, len(lines), lines[-1]) == ("40 mistakes:", 21, "  ... and 20 more")


def test_more_classes_than_a_method_takes_and_sparse_data():
    Path("own.csv").write_text(TABLE + "3.0,red,dying\n")
    lines = mistakes(changed(("svm]", "lp, {name: o2b, datasets: [csv]}]")))
    assert ["lp supports two classes" in lines[1], "o2b supports two classes" in lines[2]] == [True, True]
    Path("own.libsvm").write_text("".join(f"{1 - 2 * (row % 2)} 1:{row + 1} 3:1\n" for row in range(8)))
    own = ("{name: csv, path: own.csv, target: outcome}", "{name: libsvm, path: own.libsvm, label: own}")
    (line,) = mistakes(changed(own, ("preprocess: [{impute: mean}]\n", ""), ("svm]", "gradient-boosting]")))
    assert line.startswith("own.yaml:5: algorithms.1: gradient-boosting does not support sparse data")


def test_what_takes_some_of_the_data_is_warned_of_and_its_other_trials_are_skipped():
    Path("own.csv").write_text(TABLE.replace(",red,ill\n0.5", "1.5,red,ill\n0.5"))
    text = changed(beside(NUMBERS), (GREEDY, RESPONSES), ("[constant, svm]", "[constant, mean, svm]"))
    text += "metrics: [error, r2]\n"
    refused = [line for line in planned(text).warnings if "trials there will be skipped" in line]
    places = [*(f"algorithms.{place}" for place in range(3)), "adversaries.0"]
    assert [line.split(": ")[1] for line in refused] == places
    with pytest.warns(UserWarning, match="its trials there will be skipped"):
        records = run("own.yaml", executor="inline", tracking=False).records
    assert {row["status"] for row in records if row["algorithm"] == "svm"} == {"skipped"}
    (reason,) = {row["error"] for row in records if row["algorithm"] == "constant" and row["dataset"] == "csv"}
    assert reason.startswith("corrupt-responses does not attack classes")


def test_gaps_are_for_methods_that_take_them_and_an_optional_file_may_be_absent():
    text = changed(
        beside("{name: csv, path: own.csv, target: outcome, label: raw, preprocess: []}"),
        beside("{name: csv, path: gone.csv, label: gone, optional: true}"),
    )
    absent, gaps = planned(text).warnings
    assert "own.yaml:5: datasets.2.path: there is no file gone.csv" in absent
    assert "own.yaml:8: algorithms.1: svm does not support missing values" in gaps


PLUGIN = """
from benchkit import Algorithm, Data, Dataset, hookimpl
import numpy as np

def load(group=0, n=6):
    return Data(X=np.eye(6), y=np.arange(6) % 2)

@hookimpl
def benchkit_datasets():
    return [Dataset(name="grouped", load=load)]

@hookimpl
def benchkit_algorithms():
    return [Algorithm(name="broken-one", make="no_such_module:Method")]
"""


def test_a_plugins_mistake_is_told_once_and_a_key_that_shadows_a_parameter():
    Path("own_plugin.py").write_text(PLUGIN)
    plugin = ("name: own\n", "name: own\nplugins: [own_plugin.py]\n")
    twice = "[constant, broken-one, {name: broken-one, label: again}]"
    title, broken, data = mistakes(changed(plugin, ("[constant, svm]", twice), ("target: outcome", "target: result")))
    assert title == "2 mistakes:"
    assert broken.startswith(f"  {Path.cwd()}/own_plugin.py: algorithm 'broken-one' cannot be imported from 'no_such_")
    assert "datasets.0.target: own.csv: no column is named 'result'" in data
    text = changed(plugin, ("{name: csv, path: own.csv, target: outcome}", "{name: grouped, group: three}"))
    (line,) = mistakes(text)
    assert line.startswith("own.yaml:4: datasets.0.group: 'group' is a key of the suite, and a parameter of grouped")
    planned(text.replace("group: three", "group: of-three, params: {group: 3}"))


LOADED_TWICE = """
import warnings
from pathlib import Path
import numpy as np
from benchkit import Data, Dataset, hookimpl

def load(path):
    with Path("loads").open("a") as file:
        file.write("x")
    warnings.warn("odd rows")
    rows = np.loadtxt(path)
    return Data(X=rows[:, :-1], y=rows[:, -1])

@hookimpl
def benchkit_datasets():
    return [Dataset(name="rows", load=load, paths=lambda path: [path])]
"""


def test_data_whose_facts_are_known_is_not_loaded_again_unless_it_or_its_code_changed(write_plugin):
    plugin = write_plugin(LOADED_TWICE)
    Path("rows.txt").write_text("\n".join(f"{n} {n * n % 7} {n % 2}" for n in range(20)))
    text = changed(("csv, path: own.csv, target: outcome", "rows, path: rows.txt")) + "plugins: [my_plugin.py]\n"

    def loads(text=text):
        """How often data is loaded; what loading warns of, and what is wrong with it, is told each time."""
        Path("loads").write_text("")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            planned(text)
        assert "odd rows" in [str(each.message) for each in caught]
        return len(Path("loads").read_text())

    assert (loads(), loads()) == (1, 0)
    for _ in range(2):
        with pytest.warns(UserWarning, match="odd rows"):
            assert "budget 3 exceeds 2" in mistakes(text.replace("[0, 2]", "[0, 3]"))[0]
    Path("rows.txt").write_text(Path("rows.txt").read_text() + "\n3 4 1")
    assert loads() == 1
    plugin.write_text(plugin.read_text().replace("rows[:, :-1]", "rows[:, :-1] * 2"))
    assert loads() == 1


def test_what_was_imported_once_is_not_imported_again_until_it_changes(write_plugin, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    Path("heavy_module.py").write_text("open('imports', 'a').write('x')\ndef number(context):\n    return 0.0\n")
    write_plugin(
        "from benchkit import Metric, hookimpl\n\n\n@hookimpl\ndef benchkit_metrics():\n"
        "    return [Metric(name='heavy', compute='heavy_module:number')]\n"
    )
    text = SUITE + "plugins: [my_plugin.py]\nmetrics: [error, heavy]\n"
    planned(text)
    planned(text)
    assert Path("imports").read_text() == "x"
    assert "heavy_module" not in sys.modules  # it is imported in workers alone
    Path("heavy_module.py").write_text("import no_such_thing_here\n" + Path("heavy_module.py").read_text())
    with pytest.raises(SuiteError, match=r"metric 'heavy' cannot be imported .*no_such_thing_here"):
        planned(text)


def test_what_cannot_be_prepared_is_told_before_it_fails():
    """A split that leaves one class to train on, in the last of the repetitions."""
    Path("own.csv").write_text("a,y\n" + "".join(f"{n},{'no' if n else 'yes'}\n" for n in range(8)))
    text = changed(("target: outcome", "target: y"), ("[0, 2]", "[0, 1]"), ("preprocess: [{impute: mean}]\n", ""))
    (warning,) = planned(text).warnings
    assert warning.startswith("own.yaml:3: datasets.0: ")
    assert "trials there will fail" in warning


def test_methods_that_give_no_scores_are_named_and_metrics_of_another_task():
    Path("own.csv").write_text(TABLE.replace(",red,ill\n0.5", "1.5,red,ill\n0.5"))
    knn = '{estimator: "sklearn.neighbors:KNeighborsRegressor", label: knn}'
    text = changed(
        ("{name: csv, path: own.csv, target: outcome}", NUMBERS),
        ("[constant, svm]", f"[lasso, {knn}]"),
        ("greedy-delete", "query-delete"),
    )
    metric, scores = planned(text + "metrics: [r2, error]\n").warnings
    assert metric.startswith("metric error does not judge numbers")
    assert scores.startswith("query-delete needs scores")
    assert "lasso, knn" in scores


def test_a_method_without_its_packages(monkeypatch):
    monkeypatch.setattr("benchkit.environment.place.is_satisfied_here", lambda environment: False)
    monkeypatch.setattr("benchkit.environment.place.find_environment", lambda environment: None)
    (line,) = planned(changed(("greedy", "random"), ("svm]", "xgboost]"))).warnings
    assert line.startswith("xgboost: needs xgboost-cpu>=3, which is not installed here: type '")
    assert line.endswith("benchkit env build xgboost'; its trials will be skipped")


HEADER = "patient,day,word,size,outcome\n"
VISITS = HEADER + "".join(
    f"P{row // 4},2024-01-{row // 2 + 1:02},{'x' if row else 'y'} {row % 3},{row}.5,{'ill' if row % 2 else 'well'}\n"
    for row in range(24)
)
ENTRY = "name: csv, path: visits.csv, target: outcome, drop: [patient, day, word]"


def split_by(*splits, algorithms="[constant]", entry=ENTRY):
    """Plan a suite with a data set for each of the splits."""
    Path("visits.csv").write_text(VISITS)
    Path("other.csv").write_text(HEADER.replace("size", "height") + "P9,2024-02-01,z,1,ill\n")
    Path("later.csv").write_text(HEADER + "P9,2024-02-01,z,1,ill\n")
    entries = "".join(f"  - {{{entry}, label: d{n}, split: {split}}}\n" for n, split in enumerate(splits))
    return planned(f"name: own\ndatasets:\n{entries}algorithms: {algorithms}\n")


def test_what_a_split_asks_for_and_the_data_does_not_have():
    cases = {
        "{groups: pateint}": "split.groups: the data has no column 'pateint'; did you mean 'patient'?",
        "{stratify: sex}": "split.stratify: the data has no column 'sex'; it has patient, day, word",
        "{groups: patient, method: k-fold, folds: 7}": "split: 6 groups are too few for 7 folds",
        "{time: word, test: 0.2}": "split.time: column 'word' cannot be ordered: 'y 0' in row 1",
        "{time: day, test: 0.25, repetitions: 5}": "split.time: there is room for 3 origins only",
        "{test: gone.csv}": "split.test: there is no file gone.csv in",
        "{test: other.csv}": "other.csv: has no column 'size', which visits.csv has: both need the same columns",
        "{test: {column: patient, value: P7}}": "split.test: column 'patient' is 'P7' in no row",
    }
    with pytest.raises(SuiteError) as caught:
        split_by(*cases)
    lines = str(caught.value).splitlines()[1:]
    assert len(lines) == len(cases)
    for number, message in enumerate(cases.values()):
        (line,) = [line for line in lines if line.startswith(f"  own.yaml:{3 + number}: datasets.{number}")]
        assert message in line


def test_what_there_is_room_for_and_groups_that_are_a_feature_too():
    splits = (
        "{groups: patient, method: k-fold, folds: 3}",
        "{time: day, test: 0.25, repetitions: 3}",
        "{test: later.csv}",
        "{test: {column: patient, value: P2}, groups: patient}",
        "{stratify: word}",
    )
    assert split_by(*splits).warnings == ()
    (warning,) = split_by("{groups: patient}", entry=ENTRY.replace("patient, ", "")).warnings
    assert warning.startswith("own.yaml:3: datasets.0.split.groups: patient is a feature too")


def test_folds_of_few_groups_and_a_reader_of_one_file():
    with pytest.raises(SuiteError, match=r"own.yaml:4: algorithms.0.tune: 4 folds, .* d0 has 3 groups"):
        split_by("{groups: patient}", algorithms="[{name: svm, tune: {folds: 4}}]")
    Path("own.txt").write_text("1 1:1\n-1 1:2\n")
    with pytest.raises(SuiteError, match="split.test: libsvm takes one file alone: name its test rows by a column"):
        split_by("{test: more.txt}", entry="name: libsvm, path: own.txt")


def test_the_file_of_test_rows_decides_the_ids():
    ids = split_by("{test: later.csv}").trials.keys()
    assert ids == split_by("{test: ./later.csv}").trials.keys()
    with Path("later.csv").open("a") as file:
        file.write("P9,2024-02-02,z,2,well\n")
    assert ids.isdisjoint(plan_suite(Request("own.yaml")).trials)


def test_leaks_of_a_users_table_are_warned_of(tmp_path, write_suite):
    random = np.random.default_rng(0)
    who = np.repeat(np.arange(40), 10)
    ill = np.where(random.random(400) < 0.4, "yes", "no")
    columns = {"patient_id": who, "size": random.normal(size=400), "code": np.where(ill == "yes", "I", "N"), "ill": ill}
    pd.DataFrame(columns).to_csv(tmp_path / "t.csv", index=False)
    entry = {"name": "csv", "path": str(tmp_path / "t.csv"), "target": "ill"}
    suite = {"name": "s", "datasets": [entry], "algorithms": ["constant"]}
    leaked, grouped = plan_suite(Request(str(write_suite(suite)))).warnings
    assert "code" in leaked
    assert "groups: patient_id" in grouped
    entry["drop"] = ["code", "patient_id"]
    assert plan_suite(Request(str(write_suite({**suite, "split": {"groups": "patient_id"}})))).warnings == ()


def test_of_a_large_table_it_is_said_how_many_rows_were_looked_at(tmp_path, write_suite):
    frame = pd.DataFrame(
        {"patient_id": np.arange(6000) // 30, "size": np.arange(6000) * 37 % 101, "ill": np.tile([0, 1], 3000)}
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    entry = {"name": "csv", "path": str(tmp_path / "t.csv"), "target": "ill"}
    suite = {"name": "s", "datasets": [entry], "algorithms": ["constant"]}
    (warning,) = plan_suite(Request(str(write_suite(suite)))).warnings
    assert "5,000 rows that were looked at" in warning
    assert "200 different patient_id" in warning
