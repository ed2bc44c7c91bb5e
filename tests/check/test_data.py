"""All of a suite's mistakes that its data shows are told at once, before anything runs."""

import re
import sys
import warnings
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchkit import run
from benchkit.session.plan import Request, plan_suite
from benchkit.suite.source import SuiteError

TABLE = """size,colour,outcome
1.5,red,ill
2.5,blue,well
,red,ill
0.5,?,well
1.0,blue,ill
2.0,red,well
"""
FULL = TABLE.replace(",red,ill\n0.5", "1.5,red,ill\n0.5")
OWN = "{name: csv, path: own.csv, target: outcome}"
SUITE = f"""\
name: own
datasets:
  - {OWN}
split: {{repetitions: 2, train: 0.5, validation: 0.2}}
preprocess: [{{impute: mean}}]
algorithms: [constant, svm]
adversaries: [{{name: greedy-delete, budgets: [0, 2]}}]
"""
GREEDY = "{name: greedy-delete, budgets: [0, 2]}"
NAMED = "{{name: named-delete, params: {{features: [colour, {}]}}, budgets: [0, 2]}}"
NUMBERS = "{name: csv-regression, path: own.csv, target: size, label: sizes}"
RESPONSES = "{name: corrupt-responses, budgets: [0, 0.2]}"


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
        ("svm]", "{name: svm, datasets: [fine]}, {name: lasso, datasets: [sick]}]"),  # what sick holds is not known
        ("[0, 2]", "[0, 3]"),
    )
    title, *lines = mistakes(text)
    assert title == "5 mistakes:"
    expected = (
        (":3: datasets.0.target", "'result'; the columns are size, colour"),
        (":4: datasets.1.path", "gone.csv"),
        (":5: datasets.2.positive", "['ill', 'well']"),
        (":10: adversaries.0.budgets.1", "budget 3 exceeds 2"),
        (":9: algorithms.1", "add {impute: mean}"),
    )
    for line, (place, words) in zip(lines, expected, strict=True):
        assert line.startswith(f"  own.yaml{place}: ")
        assert words in line


@pytest.mark.parametrize(
    ("old", "new", "place", "words"),
    [
        ("target: outcome", "label: size", "3: datasets.0.label", "'target: size'"),
        ("target: outcome", "label: colour=red", "3: datasets.0.label", "'target: colour=red'"),
        ("target: outcome", "target: outcom", "3: datasets.0.target", "did you mean 'outcome'?"),
        ("target: outcome", "target: outcome, drop: [outcomes]", "3: datasets.0.drop", "did you mean 'outcome'?"),
        ("target: outcome", "target: outcome, missing_target: no", "3: datasets.0.missing_target", "'error', 'drop'"),
        ("{impute: mean}", "{imputes: mean}", "5: preprocess.0", "did you mean 'impute'?"),  # no gaps that svm refuses
        ("svm]", "lasso]", "6: algorithms.1", "lasso"),
        ("constant, svm", '{estimator: "sklearn.svm:SVR"}', "6: algorithms.0", "SVR"),
        (GREEDY, NAMED.format("sise"), "7: adversaries.0.params.features.1", "did you mean 'size'?"),
        (GREEDY, NAMED.format("zzz"), "7: adversaries.0.params.features.1", "size, colour=?, colour=blue"),
        (GREEDY, NAMED.format("7"), "7: adversaries.0.params.features.1", "give 0 to 3"),
        (GREEDY, NAMED.format("colour"), "7: adversaries.0.params.features.1", "'colour' is named twice"),
        (GREEDY, RESPONSES, "7: adversaries.0", "corrupt-responses"),
    ],
)
def test_a_mistake_has_its_place_and_names_what_is_wrong(old, new, place, words):
    (line,) = mistakes(changed((old, new)))
    assert line.startswith(f"own.yaml:{place}: ")
    assert words in line


def test_names_and_data_are_looked_at_together_but_no_data_of_which_nothing_is_asked():
    with pytest.raises(SuiteError, match=r"^--set datasets.0.target: .*'result'"):
        planned(SUITE, settings={"datasets.0.target": "result"})
    text = changed(("svm]", "smv]"), ("target: outcome", "target: result"))
    assert [line.split(": ")[1] for line in mistakes(text)[1:]] == ["algorithms.1", "datasets.0.target"]
    text = changed(beside("breast"), ("[0, 2]", "[0, 5]"))
    assert "csv" in mistakes(text)[0]
    assert planned(text, only={"dataset": "breast"}).left
    entry = "{{name: random-delete, label: take-{0}, budgets: [{0}, 1{0}]}}"
    title, *lines = mistakes(changed((GREEDY, ", ".join(entry.format(number) for number in range(5, 25)))))
    assert (title, len(lines)) == ("35 mistakes:", 21)  # of 15 to 19 two places each; the first twenty


def test_more_classes_than_a_method_takes_and_sparse_data():
    Path("own.csv").write_text(TABLE + "3.0,red,dying\n")
    lines = mistakes(changed(("svm]", "lp, {name: o2b, datasets: [csv]}]")))
    assert ["lp " in lines[1], "o2b " in lines[2]] == [True, True]
    Path("own.libsvm").write_text("".join(f"{1 - 2 * (row % 2)} 1:{row + 1} 3:1\n" for row in range(8)))
    own = OWN, "{name: libsvm, path: own.libsvm, label: own}"
    (line,) = mistakes(changed(own, ("preprocess: [{impute: mean}]\n", ""), ("svm]", "gradient-boosting]")))
    assert line.startswith("own.yaml:5: algorithms.1: gradient-boosting")


def test_what_takes_some_of_the_data_is_warned_of_and_its_other_trials_are_skipped():
    Path("own.csv").write_text(FULL)
    text = changed(beside(NUMBERS), (GREEDY, RESPONSES), ("[constant, svm]", "[constant, mean, svm]"))
    text += "metrics: [error, r2]\n"
    told = mistakes(text.replace("[error, r2]", "[roc_auc]").replace(f"  - {OWN}\n", ""))
    assert any("metrics: none of them is for numbers" in line for line in told)
    with pytest.raises(SuiteError, match=r"benchkit new suite own\.csv"):
        plan_suite(Request("own.csv"))
    plan = planned(text)
    refused = [line.split(": ")[1:4] for line in plan.warnings if "skipped" in line]
    assert [place for place, *_ in refused] == ["algorithms.0", "algorithms.1", "adversaries.0"]
    assert "constant, svm" in refused[0][2]
    with pytest.warns(UserWarning, match="skipped"):
        records = run("own.yaml", executor="inline", tracking=False).records
    assert {row["status"] for row in records if row["algorithm"] == "svm"} == {"skipped"}
    assert plan.will_be_skipped == {row["trial"] for row in records if row["status"] == "skipped"}
    (reason,) = {row["error"] for row in records if row["algorithm"] == "constant" and row["dataset"] == "csv"}
    assert reason.startswith("corrupt-responses")
    assert planned(text).left == {}  # they are not tried again


def test_gaps_are_for_methods_that_take_them_and_an_optional_file_may_be_absent():
    raw = beside("{name: csv, path: own.csv, target: outcome, label: raw, preprocess: []}")
    absent, gaps = planned(changed(raw, beside("{name: csv, path: gone.csv, label: gone, optional: true}"))).warnings
    assert absent.startswith("own.yaml:5: datasets.2.path: ")
    assert gaps.startswith("own.yaml:8: algorithms.1: raw: trials of svm")


PLUGIN = """
import warnings
from pathlib import Path
import numpy as np
from benchkit import Algorithm, Data, Dataset, Metric, hookimpl

def load(group=0, n=6):
    return Data(X=np.eye(6), y=np.arange(6) % 2)

def load_rows(path):
    with Path("loads").open("a") as file:
        file.write("x")
    warnings.warn("odd rows")
    rows = np.loadtxt(path)
    return Data(X=rows[:, :-1], y=rows[:, -1])

@hookimpl
def benchkit_datasets():
    return [Dataset(name="grouped", load=load), Dataset(name="rows", load=load_rows, paths=lambda path: [path])]

@hookimpl
def benchkit_algorithms():
    return [Algorithm(name="broken-one", make="no_such_module:Method")]

@hookimpl
def benchkit_metrics():
    return [Metric(name='heavy', compute='heavy_module:number')]
"""
WITH_PLUGIN = "name: own\n", "name: own\nplugins: [my_plugin.py]\n"


def test_a_plugins_mistake_is_told_once_and_a_key_that_shadows_a_parameter(write_plugin):
    plugin, twice = write_plugin(PLUGIN), "[constant, broken-one, {name: broken-one, label: again}]"
    text = changed(WITH_PLUGIN, ("[constant, svm]", twice), ("target: outcome", "target: result"))
    title, broken, data = mistakes(text)
    assert title == "2 mistakes:"
    assert broken.startswith(f"  {plugin}: algorithm 'broken-one'")
    assert "datasets.0.target: " in data
    text = changed(WITH_PLUGIN, (OWN, "{name: grouped, group: three}"))
    (line,) = mistakes(text)
    assert line.startswith("own.yaml:4: datasets.0.group: ")
    planned(text.replace("group: three", "group: of-three, params: {group: 3}"))


def test_data_whose_facts_are_known_is_not_loaded_again_unless_it_or_its_code_changed(write_plugin):
    plugin = write_plugin(PLUGIN)
    Path("rows.txt").write_text("\n".join(f"{n} {n * n % 7} {n % 2}" for n in range(20)))
    text = changed(WITH_PLUGIN, (OWN, "{name: rows, path: rows.txt}"))

    def loads():
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


def test_what_was_imported_once_is_not_imported_again_until_it_changes(ask_apart, write_plugin, tmp_path, monkeypatch):
    monkeypatch.setattr("benchkit.execute.apart.call_all", ask_apart)
    monkeypatch.syspath_prepend(str(tmp_path))
    heavy = Path("heavy_module.py")
    heavy.write_text("open('imports', 'a').write('x')\ndef number(context):\n    return 0.0\n")
    write_plugin(PLUGIN)
    text = changed(WITH_PLUGIN) + "metrics: [error, heavy]\n"
    planned(text)
    planned(text)
    assert Path("imports").read_text() == "x"
    assert "heavy_module" not in sys.modules  # it is imported in workers alone
    heavy.write_text("import no_such_thing_here\n" + heavy.read_text())
    with pytest.raises(SuiteError, match=r"metric 'heavy' cannot be imported .*no_such_thing_here"):
        planned(text)


def test_what_cannot_be_prepared_is_told_before_it_fails():
    """A split that leaves one class to train on, in the last of the repetitions."""
    Path("own.csv").write_text("a,y\n" + "".join(f"{n}.5,{'no' if n else 'yes'}\n" for n in range(8)))
    text = changed(("target: outcome", "target: y"), ("[0, 2]", "[0, 1]"), ("preprocess: [{impute: mean}]\n", ""))
    (warning,) = planned(text).warnings
    assert warning.startswith("own.yaml:3: datasets.0: ")


def test_methods_that_give_no_scores_or_set_no_coef_are_named_and_metrics_of_another_task():
    Path("own.csv").write_text(FULL)
    knn = '{estimator: "sklearn.neighbors:KNeighborsRegressor", label: knn}'
    text = changed((OWN, NUMBERS), ("[constant, svm]", f"[lasso, {knn}]"), ("greedy-delete", "query-delete"))
    metric, scores = planned(text + "metrics: [r2, error]\n").warnings
    assert metric.startswith("metric error ")
    assert scores.startswith("query-delete ")
    assert "lasso, knn" in scores
    text = changed(("[constant, svm]", '[svm, {estimator: "sklearn.neighbors:KNeighborsClassifier", label: knn}]'))
    plan = planned(text)
    (line,) = plan.warnings
    assert line.startswith("greedy-delete needs ")
    assert line.endswith(" knn; --add query-delete takes any model")
    assert plan.will_be_skipped == {name for name, trial in plan.left.items() if trial.algorithm.label == "knn"}


def test_numbers_that_are_read_as_classes_are_asked_about():
    for n, asked in ((30, 1), (20, 0)):
        Path("own.csv").write_text("a,outcome\n" + "".join(f"{row % 7},{row % n}\n" for row in range(120)))
        methods = "[constant, svm]", "[constant, logistic-regression]"
        lines = planned(changed(methods, (GREEDY, "{name: random-delete, budgets: [0, 1]}"))).warnings
        assert sum("csv-regression" in line for line in lines) == asked


def test_a_metric_of_another_data_set_or_that_joins_is_not_to_be_left_out_of_the_suite():
    Path("own.csv").write_text(FULL)
    text = changed(("[constant, svm]", "[constant, lasso]"), beside(NUMBERS))
    text = text[: text.index("adversaries:")] + "metrics: [error, r2]\n"
    for label in ("csv", "sizes"):
        plan = planned(text, only={"dataset": label})
        assert plan.trials
        assert [line for line in plan.warnings if line.startswith("metric ")] == []
    for metrics, remedy in (("error", ""), ("error, r2", "; leave it out")):
        plan = planned(changed(("greedy-delete", "random-delete")) + f"metrics: [{metrics}]\n", add=["r2"])
        (line,) = [line for line in plan.warnings if line.startswith("metric ")]
        assert line == f"metric r2 does not judge classes, as the data holds: it has no value{remedy}"


def test_tuning_on_corrupted_data_that_nobody_corrupts_and_data_that_no_adversary_is_for_are_named():
    text = "name: s\ndatasets: [breast, label-copies]\nalgorithms: [constant]\n"
    (warning,) = planned(text + "adversaries: [{name: greedy-delete, datasets: [breast]}]\n").warnings
    assert "datasets.1: none of the adversaries is for label-copies" in warning
    text = "name: s\ndatasets: [breast]\nsplit: {train: 60, validation: 60}\n"
    (warning,) = planned(text + "algorithms: [{name: svm, tune: {data: corrupted}}]\n").warnings
    assert "svm: no adversary corrupts breast" in warning
    for joining, data in (["lp"], "clean"), (["lp", "random-delete"], "corrupted"):
        plan = planned(text + "algorithms: [constant]\n", add=joining)
        assert plan.warnings == []
        assert {stage.data for trial in plan.trials.values() for stage in trial.algorithm.tune} == {data}


def test_of_a_plugin_file_what_is_named_by_add_alone_joins():
    both = ", ".join(f"Algorithm(name='{name}', make='sklearn.svm:LinearSVC')" for name in ("one", "two"))
    text = f"from benchkit import Algorithm, hookimpl\n@hookimpl\ndef benchkit_algorithms(): return [{both}]"
    Path("mine.py").write_text(text)
    text = "name: s\ndatasets: [breast]\nalgorithms: [constant]\n"
    for add, methods in ((["one"], {"constant", "one"}), ([], {"constant", "one", "two"})):
        trials = planned(text, plugins=["mine.py"], add=add).trials.values()
        assert {trial.algorithm.label for trial in trials} == methods


@pytest.mark.parametrize(
    ("algorithms", "steps", "named"), [("svm, gradient-boosting", "", "svm"), ("svm", "{impute: mean}", "")]
)
def test_methods_that_take_no_gaps_are_named_where_an_adversary_leaves_them(algorithms, steps, named):
    Path("own.csv").write_text(FULL)
    text = changed(("[constant, svm]", f"[{algorithms}]"), ("greedy-delete,", "random-delete, params: {fill: nan},"))
    text = text.replace("preprocess: [{impute: mean}]", f"preprocess: [{steps}]")
    assert [f"none ({named})" in line for line in planned(text).warnings] == [True] * bool(named)


def test_a_row_with_a_gap_skips_a_method_that_takes_none_and_of_data_sets_alike_those_alone_not_taken():
    text = changed(("preprocess: [{impute: mean}]\n", ""), ("repetitions: 2", "repetitions: 6"), beside("breast"))
    Path("own.yaml").write_text(text)
    with pytest.warns(UserWarning, match="skipped"):
        records = run("own.yaml", executor="inline", tracking=False, only={"dataset": "csv"}).records
    assert {row["status"] for row in records if row["algorithm"] == "svm"} == {"skipped"}
    Path("own.csv").write_text(FULL)
    raw = f"{OWN[:-1]}, label: raw, preprocess: []}}"
    gaps = ("greedy-delete,", "random-delete, params: {fill: nan},")
    plan = planned(changed((OWN, f"{raw}\n  - {OWN}"), ("[constant, svm]", "[svm]"), gaps))
    assert {plan.left[name].dataset.label for name in plan.will_be_skipped} == {"raw"}
    pairs = "{name: digits, pair: [4, 7]}\n  - {name: digits}"
    assert not planned(changed((OWN, pairs), ("[constant, svm]", "[lp]"))).will_be_skipped


def test_a_method_without_its_packages(monkeypatch):
    monkeypatch.setattr("benchkit.environment.place.is_satisfied_here", lambda environment: False)
    monkeypatch.setattr("benchkit.environment.place.find_environment", lambda environment: None)
    (line,) = planned(changed(("greedy", "random"), ("svm]", "xgboost]"))).warnings
    assert line.startswith("xgboost: needs xgboost-cpu>=3")
    assert "benchkit env build xgboost'" in line


HEADER = "patient,day,word,size,outcome\n"
VISITS = HEADER + "".join(
    f"P{row // 4},2024-01-{row // 2 + 1:02},{'x' if row else 'y'} {row % 3},{row}.5,{'ill' if row % 2 else 'well'}\n"
    for row in range(24)
)
ENTRY = "name: csv, path: visits.csv, target: outcome, drop: [patient, day, word]"


def split_by(*splits, algorithms="[constant]", entry=ENTRY, more=""):
    """Plan a suite with a data set for each of the splits."""
    Path("visits.csv").write_text(VISITS)
    Path("other.csv").write_text(HEADER.replace("size", "height") + "P9,2024-02-01,z,1,ill\n")
    Path("later.csv").write_text(HEADER + "P9,2024-02-01,z,1,ill\n")
    entries = "".join(f"  - {{{entry}, label: d{n}, split: {split}}}\n" for n, split in enumerate(splits))
    return planned(f"name: own\ndatasets:\n{entries}algorithms: {algorithms}\n{more}")


def test_what_a_split_asks_for_and_the_data_does_not_have_and_an_unknown_step_that_is_told_once():
    cases = {
        "{groups: pateint}": r"split.groups: .*'pateint'.*did you mean 'patient'",
        "{groups: patient, method: k-fold, folds: 7}": r"split: 6 groups .* 7 folds",
        "{time: word, test: 0.2}": r"split.time: .*'word'.*'y 0' in row 1",
        "{time: day, test: 0.25, repetitions: 5}": r"split.time: .* room for 3 of",
        "{test: gone.csv}": r"split.test: .*gone.csv",
        "{test: other.csv}": r"other.csv: .*'size'",
        "{test: {column: patient, value: P7}}": r"split.test: .*'patient' is 'P7'",
    }
    with pytest.raises(SuiteError) as caught:
        split_by(*cases)
    lines = str(caught.value).splitlines()[1:]
    assert len(lines) == len(cases)
    for number, words in enumerate(cases.values()):
        (line,) = [line for line in lines if line.startswith(f"  own.yaml:{3 + number}: datasets.{number}")]
        assert re.search(words, line)
    numbers = ENTRY.replace("csv,", "csv-regression,").replace("outcome", "size").replace("word]", "word, outcome]")
    with pytest.raises(SuiteError, match=r"split: d0: 'per_class' needs classes") as caught:
        split_by("{train: {per_class: 2}}", entry=numbers, algorithms="[lasso]", more="metrics: [r2]\n")
    assert "\n" not in str(caught.value)
    with pytest.raises(SuiteError) as caught:
        split_by("{groups: patient}", more="preprocess: [standardise-all]\n")
    assert str(caught.value).count("standardise-all") == 1


@pytest.mark.parametrize(
    ("own", "shared", "repetitions"),
    [
        ("{groups: patient}", "8", "8"),
        ("{groups: patient, train: 0.6}", "{least: 5, most: 9}", "{least: 5, most: 9}"),
        ("{groups: patient, repetitions: 1}", "8", ""),
        ("{groups: patient}", "1", ""),
        ("{groups: patient, method: k-fold, folds: 3}", "8", ""),
        ("{test: later.csv}", "8", ""),
    ],
)
def test_an_own_split_that_names_no_repetitions_beside_a_suites_several(own, shared, repetitions):
    warned = split_by(own, more=f"split: {{repetitions: {shared}}}\n").warnings
    told = f"d0: its own split has 1 repetition; the suite's {repetitions} do not count there: "
    remedy = f"write 'repetitions: {repetitions}' in it"
    assert warned == [f"own.yaml:3: datasets.0.split: {told}{remedy}"] * bool(repetitions)


def test_what_there_is_room_for_groups_that_are_a_feature_too_and_the_file_of_test_rows_decides_the_ids():
    splits = ["{groups: patient, method: k-fold, folds: 3}", "{time: day, test: 0.25, repetitions: 3}"]
    splits += ["{test: later.csv}", "{test: {column: patient, value: P2}, groups: patient}"]
    assert split_by(*splits).warnings == []
    for asked, room in ((2, True), (5, False), (3, True)):  # what was found of one number says nothing of another
        entry = f"{{time: day, test: 0.25, repetitions: {asked}}}"
        with nullcontext() if room else pytest.raises(SuiteError, match="room for 3 of"):
            assert split_by(entry).warnings == []
    (warning,) = split_by("{groups: patient}", entry=ENTRY.replace("patient, ", "")).warnings
    assert warning.startswith("own.yaml:3: datasets.0.split.groups: patient ")
    with pytest.raises(SuiteError, match=r"own.yaml:4: algorithms.0.tune: 4 folds, .* d0 has 3 groups"):
        split_by("{groups: patient}", algorithms="[{name: svm, tune: {folds: 4}}]")
    Path("own.txt").write_text("1 1:1\n-1 1:2\n")
    with pytest.raises(SuiteError, match=r"split.test: libsvm takes one file alone"):
        split_by("{test: more.txt}", entry="name: libsvm, path: own.txt")
    ids = split_by("{test: later.csv}").trials.keys()
    assert ids == split_by("{test: ./later.csv}").trials.keys()
    with Path("later.csv").open("a") as file:
        file.write("P9,2024-02-02,z,2,well\n")
    assert ids.isdisjoint(plan_suite(Request("own.yaml")).trials)


def test_columns_and_names_are_checked_beside_values_that_are_wrong_in_themselves():
    """What refers to an entry that is left out, or depends on it, is not blamed."""
    Path("visits.csv").write_text(VISITS)
    text = """\
name: own
datasets: [{name: csv, path: visits.csv, target: outcme}, {name: breast, label: b, group: 7}]
algorithms: [{name: svm, datasets: [b], tune: {grids: {}}}, {name: lpp, params: [1]}]
split: {train: 0.5, validation: 0.25, tset: 0.25}
seed: one
expect: [{claim: c, order: [svm, lpp], datasets: [b]}]
"""
    starts = ["split.tset", "datasets.1.group", "algorithms.0.tune.grids", "algorithms.1.params", "seed"]
    starts += ["algorithms.1.name", "datasets.0.target"]
    assert sorted(line.split(": ")[1] for line in mistakes(text)[1:]) == sorted(starts)


def test_leaks_of_a_users_table_are_warned_of_and_of_how_many_rows_they_were_looked_for_in():
    def warned(columns, more=""):
        pd.DataFrame(columns).to_csv("own.csv", index=False)
        entry = f"{{name: csv, path: own.csv, target: ill{more}}}"
        return planned(f"name: s\ndatasets: [{entry}]\nalgorithms: [constant]\n").warnings

    random = np.random.default_rng(0)
    ill = np.where(random.random(400) < 0.4, "yes", "no")
    table = {"patient_id": np.arange(400) // 10, "size": random.normal(size=400), "ill": ill}
    table["code"] = np.where(ill == "yes", "I", "N")
    leaked, grouped = warned(table)
    assert "code" in leaked
    assert "groups: patient_id" in grouped
    assert warned(table, ", drop: [code, patient_id], split: {groups: patient_id}") == []
    twice = table | {"height": 7 * table["patient_id"] + 3, "bed": [f"b{who}" for who in table["patient_id"]]}
    (renamed,) = warned(twice, ", drop: [code, patient_id], split: {groups: patient_id}")
    assert "column bed goes one-to-one with patient_id" in renamed
    (numbered,) = warned({"nr": np.arange(400), "size": table["size"], "ill": ill})
    assert "drop: [nr]" in numbered
    when = pd.date_range("2023-01-01", periods=400)
    parts = {"year": when.year, "day_of_year": when.day_of_year, "size": table["size"], "ill": ill}
    (in_parts,) = warned(parts)
    assert "write 'split: {time: [year, day_of_year], test" in in_parts
    ages = np.where(np.arange(400) % 9, (np.arange(400) % 7).astype(str), "about 60")
    (worded,) = warned({"age": ages, "size": table["size"], "ill": ill})
    assert "column age holds numbers and 'about 60'" in worded
    rows = np.arange(6000)
    (warning,) = warned({"patient_id": rows // 30, "size": rows * 37 % 101, "ill": rows % 2})
    assert "5,000 rows" in warning
    assert "200 different values in" in warning


def test_rows_and_owners_of_a_given_test_part_that_are_also_in_the_training_data_are_warned_of():
    random = np.random.default_rng(0)
    table = pd.DataFrame({"size": random.normal(size=300), "grade": random.integers(0, 4, 300)})
    table = table.assign(patient=np.arange(300) // 3, ill=np.where(random.random(300) < 0.4, "yes", "no"))
    survey = pd.DataFrame(random.integers(0, 3, (300, 4)), columns=[*"abcd"]).assign(ill=table["ill"])

    def warned(train, test, more="", part="later.csv"):
        whole = pd.concat([train.assign(part="old"), test.assign(part="new")])
        (train if part == "later.csv" else whole).to_csv("own.csv", index=False)
        test.to_csv("later.csv", index=False)
        entry = f"{{name: csv, path: own.csv, target: ill{more}, split: {{test: {part}}}}}"
        return planned(f"name: s\ndatasets: [{entry}]\nalgorithms: [constant]\n").warnings

    test, plain = table[200:], table.drop(columns="patient")
    assert warned(plain[:200], plain[200:]) == []
    for part, what in (("later.csv", "later.csv"), ("{column: part, value: new}", "the test part (part: new)")):
        (warning,) = warned(plain[:200], plain[180:], part=part)
        assert f"20 of 120 rows of {what} are also in the training data" in warning
    copied = pd.concat([test, table[100:120]]).assign(patient=np.arange(700, 820))  # in the other, numbers are others
    assert "20 of 120 rows" in warned(table[:200], copied, ", drop: [patient]")[0]
    assert warned(survey[:200], survey[200:]) == []  # where rows are equal by chance
    assert "300 of 300 rows" in warned(survey, survey)[0]
    (warning,) = warned(table[::2], table[1::2], ", drop: [patient]")
    assert "100 of 100 different values of patient in later.csv have rows in the training data, too" in warning
    assert warned(table[:150], table[150:], ", drop: [patient]") == []
