"""All of a suite's mistakes that its data shows are told at once, before anything runs."""

import sys
import warnings
from pathlib import Path

import pytest

from benchkit import run
from benchkit.cli.main import main
from benchkit.data.files import cache_folder
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


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("own.csv").write_text(TABLE)


def mistakes(text):
    Path("own.yaml").write_text(text)
    with pytest.raises(SuiteError) as caught:
        plan_suite(Request("own.yaml"))
    return str(caught.value).splitlines()


def test_a_suite_without_mistakes():
    Path("own.yaml").write_text(SUITE)
    assert plan_suite(Request("own.yaml")).warnings == ()


def test_all_are_told_at_once_each_with_line_and_remedy():
    text = SUITE.replace("target: outcome}", "target: result}\n  - {name: csv, path: gone.csv, label: gone}")
    text = text.replace(
        "split:", "  - {name: csv, path: own.csv, target: outcome, positive: sick, label: sick}\nsplit:"
    )
    text = text.replace(
        "split:", "  - {name: csv, path: own.csv, target: outcome, label: fine, preprocess: []}\nsplit:"
    )
    text = text.replace("svm]", "{name: svm, datasets: [fine]}]").replace("[0, 2]", "[0, 3]")
    assert mistakes(text) == [
        "5 mistakes:",
        "  own.yaml:3: datasets.0.target: own.csv: no column is named 'result'; the columns are size, colour, outcome",
        f"  own.yaml:4: datasets.1.path: there is no file gone.csv in {Path.cwd()}",
        "  own.yaml:5: datasets.2.positive: own.csv: no label is 'sick'; the classes are ['ill', 'well']",
        "  own.yaml:10: adversaries.0.budgets.1: budget 3 exceeds 2, the number of features of fine: give at most that",
        "  own.yaml:9: algorithms.1: svm does not support missing values: add {impute: mean} to 'preprocess' (fine)",
    ]


def test_an_absent_file_of_an_optional_dataset_is_only_warned_of():
    Path("own.yaml").write_text(
        SUITE.replace(
            "target: outcome}", "target: outcome}\n  - {name: csv, path: gone.csv, label: gone, optional: true}"
        )
    )
    [warning] = plan_suite(Request("own.yaml")).warnings
    assert warning == (
        f"own.yaml:4: datasets.1.path: there is no file gone.csv in {Path.cwd()}; its trials will be skipped"
    )


def test_what_an_option_sets_is_blamed_on_the_option():
    Path("own.yaml").write_text(SUITE)
    with pytest.raises(SuiteError, match=r"^--set datasets.0.target: .* no column is named 'result'"):
        plan_suite(Request("own.yaml", settings={"datasets.0.target": "result"}))


def test_a_method_that_fits_some_of_the_data_is_only_warned_of():
    text = SUITE.replace(
        "split:", "  - {name: csv, path: own.csv, target: outcome, label: raw, preprocess: []}\nsplit:"
    )
    Path("own.yaml").write_text(text)
    (warning,) = plan_suite(Request("own.yaml")).warnings
    assert warning == (
        "own.yaml:7: algorithms.1: svm does not support missing values: add {impute: mean} to 'preprocess' (raw); "
        "its trials there will be skipped"
    )


@pytest.mark.parametrize("name", ["outcome", "size", "colour", "colour=red"])
def test_a_label_that_names_a_column(name):
    (line,) = mistakes(SUITE.replace("target: outcome", f"label: {name}"))
    assert line.startswith(f"own.yaml:3: datasets.0.label: '{name}' is a column of the data, and 'label' is only the")
    assert f"write 'target: {name}'" in line


@pytest.mark.parametrize("last", [["1", "", "2"] * 2, [f"{row}.5" for row in range(30)]])
def test_a_label_that_names_a_column_where_the_last_one_cannot_be_predicted(last):
    """Gaps, or numbers that are hardly classes."""
    head, *rows = TABLE.splitlines()
    rows = zip(rows * (len(last) // len(rows)), last, strict=True)
    Path("own.csv").write_text("\n".join([f"{head},note", *(",".join(row) for row in rows)]) + "\n")
    (line,) = mistakes(SUITE.replace("target: outcome", "label: outcome"))
    assert line.startswith("own.yaml:3: datasets.0.label: 'outcome' is a column of the data, and 'label' is only the")
    assert "write 'target: outcome'" in line


def test_a_target_with_gaps_names_its_column_and_the_remedy():
    Path("own.csv").write_text(TABLE.replace("0.5,?,well", "0.5,?,"))
    text = SUITE.replace("target: outcome", "target: outcome, label: own")
    assert mistakes(text) == [
        "own.yaml:3: datasets.0.target: own.csv: the target, column 'outcome', is missing in 1 of 6 rows, the first in "
        "record 4: write 'missing_target: drop' to leave them out"
    ]
    Path("own.yaml").write_text(text.replace("label: own", "missing_target: drop"))
    assert plan_suite(Request("own.yaml")).warnings == ()


def test_an_unknown_parameter_of_a_dataset_is_told_once():
    (line,) = mistakes(SUITE.replace("target: outcome", "target: outcome, skip: [size]"))
    assert line.startswith(
        "own.yaml:3: datasets.0.skip: csv has no parameter 'skip'; it takes decimal, delimiter, drop"
    )
    assert "positive, rows, sources, target" in line


def test_names_and_data_are_looked_at_together():
    text = SUITE.replace("svm]", "smv]").replace("target: outcome", "target: result")
    assert [line.split(": ")[1] for line in mistakes(text)[1:]] == ["algorithms.1", "datasets.0.target"]


def test_yes_is_a_class_and_no_truth_value():
    Path("own.csv").write_text(TABLE.replace("ill", "yes").replace("well", "no"))
    Path("own.yaml").write_text(SUITE.replace("target: outcome", "target: outcome, positive: yes"))
    planned = plan_suite(Request("own.yaml"))
    assert next(iter(planned.trials.values())).dataset.params["positive"] == "yes"


def test_more_classes_than_a_method_takes():
    Path("own.csv").write_text(TABLE + "3.0,red,dying\n")
    text = SUITE.replace("[constant, svm]", "[constant, lp, {name: o2b, datasets: [csv]}]")
    text = text.replace("target: outcome", "target: outcome, label: csv")
    assert mistakes(text) == [
        "2 mistakes:",
        "  own.yaml:6: algorithms.1: lp supports two classes, the data has 3: choose a method of many, such as "
        "one-versus-rest, or two classes of the data (csv)",
        "  own.yaml:6: algorithms.2: o2b supports two classes, the data has 3: choose a method of many, such as "
        "one-versus-rest, or two classes of the data (csv)",
    ]


def test_a_method_of_another_task():
    text = SUITE.replace("[constant, svm]", '[constant, huber, {estimator: "sklearn.svm:SVR"}]')
    assert mistakes(text) == [
        "2 mistakes:",
        "  own.yaml:6: algorithms.1: huber does not predict classes, which the data holds: choose another method, or "
        "other data (csv)",
        "  own.yaml:6: algorithms.2: SVR does not predict classes, which the data holds: choose another method, or "
        "other data (csv)",
    ]


def test_a_method_of_another_task_than_data_that_is_not_at_hand():
    text = SUITE.replace("{name: csv, path: own.csv, target: outcome}", "roofs-synthetic").replace("constant, ", "")
    assert any("svm does not predict numbers, which the data holds" in line for line in mistakes(text))


@pytest.mark.parametrize(
    ("feature", "said"),
    [
        ("sise", "csv has no feature 'sise'; did you mean 'size'?"),
        ("zzz", "csv has no feature 'zzz'; it has size, colour=?, colour=blue, colour=red, colour"),
        ("7", "csv has no column 7: give 0 to 3"),
    ],
)
def test_a_feature_that_an_adversary_names_and_the_data_does_not_have(feature, said):
    named = f"{{name: named-delete, params: {{features: [colour, {feature}]}}, budgets: [0, 2]}}"
    text = SUITE.replace("{name: greedy-delete, budgets: [0, 2]}", named)
    text = text.replace("target: outcome", "target: outcome, label: csv")
    assert mistakes(text) == [f"own.yaml:7: adversaries.0.params.features.1: {said}"]
    Path("own.yaml").write_text(text.replace(feature, "size"))
    assert plan_suite(Request("own.yaml")).warnings == ()


def test_an_adversary_of_another_task_is_a_mistake_or_its_trials_are_skipped():
    text = SUITE.replace("{name: greedy-delete, budgets: [0, 2]}", "{name: corrupt-responses, budgets: [0, 0.2]}")
    (line,) = mistakes(text)
    assert line == (
        "own.yaml:7: adversaries.0: corrupt-responses does not attack classes, which the data holds: choose another "
        "adversary, or other data (csv)"
    )
    both = text.replace("split:", "  - {name: csv-regression, path: own.csv, target: size, label: sizes}\nsplit:")
    both = both.replace("[constant, svm]", "[constant, mean]")
    Path("own.csv").write_text(TABLE.replace(",red,ill\n0.5", "1.5,red,ill\n0.5"))
    Path("own.yaml").write_text(both + "metrics: [error, r2]\n")
    assert any("corrupt-responses does not attack classes" in each for each in plan_suite(Request("own.yaml")).warnings)
    with pytest.warns(UserWarning, match="its trials there will be skipped"):
        records = run("own.yaml", executor="inline", tracking=False).records
    (reason,) = {row["error"] for row in records if row["algorithm"] == "constant" and row["dataset"] == "csv"}
    assert reason.startswith("corrupt-responses does not attack classes")
    assert {row["status"] for row in records if row["error"] == reason} == {"skipped"}


def test_sparse_data_is_told_of_before_the_run():
    Path("own.libsvm").write_text("".join(f"{1 - 2 * (row % 2)} 1:{row + 1} 3:1\n" for row in range(8)))
    text = SUITE.replace("{name: csv, path: own.csv, target: outcome}", "{name: libsvm, path: own.libsvm, label: own}")
    text = text.replace("preprocess: [{impute: mean}]\n", "").replace(", svm", ", gradient-boosting")
    (line,) = mistakes(text)
    assert line == (
        "own.yaml:5: algorithms.1: gradient-boosting does not support sparse data: choose another method, or other "
        "data (own)"
    )


def test_a_method_that_takes_no_gaps_is_skipped_where_others_take_them():
    text = SUITE.replace("preprocess: [{impute: mean}]\n", "").replace(
        "svm]", "gradient-boosting, {name: svm, datasets: [csv, whole]}]"
    )
    text = text.replace("adversaries: [{name: greedy-delete, budgets: [0, 2]}]\n", "")
    text = text.replace("split:", "  - {name: csv, path: whole.csv, target: outcome, label: whole}\nsplit:")
    Path("whole.csv").write_text(TABLE.replace("?", "red").replace("\n,", "\n3.5,"))
    Path("own.yaml").write_text(text)
    with pytest.warns(UserWarning, match="svm does not support missing values: .* its trials there will be skipped"):
        records = run("own.yaml", executor="inline", tracking=False).records
    ended = {(row["algorithm"], row["dataset"]): (row["status"], row["error"]) for row in records}
    (name,) = {name for name, (status, _) in ended.items() if status != "ok"}
    assert name == ("svm", "csv")
    assert ended[name] == ("skipped", "svm does not support missing values: add {impute: mean} to 'preprocess'")


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


def test_a_parameter_that_a_key_of_the_suite_shadows():
    Path("own_plugin.py").write_text(PLUGIN)
    text = SUITE.replace("name: own\n", "name: own\nplugins: [own_plugin.py]\n")
    text = text.replace("{name: csv, path: own.csv, target: outcome}", "{name: grouped, group: three}")
    (line,) = mistakes(text)
    assert line == (
        "own.yaml:4: datasets.0.group: 'group' is a key of the suite, and a parameter of grouped too: "
        "write 'params: {group: ...}' for the parameter"
    )
    Path("own.yaml").write_text(text.replace("group: three", "group: of-three, params: {group: 3}"))
    plan_suite(Request("own.yaml"))


def test_a_plugins_mistake_is_the_plugins_and_told_once(capsys, monkeypatch):
    Path("own_plugin.py").write_text(PLUGIN)
    text = SUITE.replace("name: own\n", "name: own\nplugins: [own_plugin.py]\n")
    text = text.replace("[constant, svm]", "[constant, broken-one, {name: broken-one, label: again}]")
    Path("own.yaml").write_text(text.replace("target: outcome", "target: result"))
    monkeypatch.setattr("sys.argv", ["benchkit", "plan", "own.yaml"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "benchkit: 2 mistakes:"
    assert lines[1].startswith(
        f"  {Path.cwd()}/own_plugin.py: algorithm 'broken-one' cannot be imported from 'no_such_"
    )
    assert "datasets.0.target: own.csv: no column is named 'result'" in lines[2]
    assert len(lines) == 3


LOADED_TWICE = """
import warnings
from pathlib import Path
import numpy as np
from benchkit import Data, Dataset, hookimpl


def load(path):
    with Path("loads").open("a") as file:
        file.write("x")
    rows = np.loadtxt(path)
    return Data(X=rows[:, :-1], y=rows[:, -1])


def odd():
    warnings.warn("odd rows")
    return load("rows.txt")


@hookimpl
def benchkit_datasets():
    return [Dataset(name="rows", load=load, paths=lambda path: [path]), Dataset(name="odd", load=odd, example={})]
"""


def _loads(text):
    Path("loads").write_text("")
    Path("own.yaml").write_text(text)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        plan_suite(Request("own.yaml"))
    return len(Path("loads").read_text()), [str(each.message) for each in caught]


@pytest.fixture
def rows(write_plugin):
    write_plugin(LOADED_TWICE)
    Path("rows.txt").write_text("\n".join(f"{n} {n * n % 7} {n % 2}" for n in range(20)))
    return SUITE.replace("csv, path: own.csv, target: outcome", "rows, path: rows.txt") + "plugins: [my_plugin.py]\n"


def test_data_whose_facts_are_known_is_not_loaded_again_unless_it_or_its_code_changed(rows):
    assert _loads(rows)[0] == 1
    assert _loads(rows)[0] == 0
    Path("rows.txt").write_text(Path("rows.txt").read_text() + "\n3 4 1")
    assert _loads(rows)[0] == 1
    plugin = Path("my_plugin.py")
    plugin.write_text(plugin.read_text().replace("rows[:, :-1]", "rows[:, :-1] * 2"))
    assert _loads(rows)[0] == 1


def test_the_facts_are_told_as_when_it_was_loaded(rows):
    text = rows.replace("[0, 2]", "[0, 3]")
    first, again = mistakes(text), mistakes(text)
    assert first == again
    assert "exceeds 2" in first[0]


def test_what_loading_warns_of_is_told_each_time(rows):
    text = rows.replace("rows, path: rows.txt", "odd")
    for expected in (1, 0):
        loads, warned = _loads(text)
        assert loads == expected
        assert "odd rows" in warned


def test_damaged_facts_are_read_anew(rows):
    _loads(rows)
    (kept,) = (cache_folder() / "facts").iterdir()
    whole = kept.read_text()
    kept.write_text("{")
    _loads(rows)
    assert kept.read_text() == whole


def test_what_was_imported_once_is_not_imported_again_until_it_changes(write_plugin, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    Path("heavy_module.py").write_text(
        "open('imports', 'a').write('x')\ndef number(context):\n    '''A number.'''\n    return 0.0\n"
    )
    write_plugin(
        "from benchkit import Metric, hookimpl\n\n\n@hookimpl\ndef benchkit_metrics():\n"
        "    return [Metric(name='heavy', compute='heavy_module:number')]\n"
    )
    Path("own.yaml").write_text(SUITE + "plugins: [my_plugin.py]\nmetrics: [error, heavy]\n")
    plan_suite(Request("own.yaml"))
    plan_suite(Request("own.yaml"))
    assert Path("imports").read_text() == "x"
    assert "heavy_module" not in sys.modules  # it is imported in workers alone
    Path("heavy_module.py").write_text("import no_such_thing_here\n" + Path("heavy_module.py").read_text())
    with pytest.raises(SuiteError, match=r"metric 'heavy' cannot be imported .*no_such_thing_here"):
        plan_suite(Request("own.yaml"))


def test_more_rows_than_any_memory_holds():
    suite = {
        "name": "huge",
        "datasets": [{"name": "roofs-synthetic", "n": 1e11, "p": 20}],
        "split": {"method": "none", "repetitions": 3},
        "algorithms": ["rlhh"],
        "metrics": ["mean-squared-error"],
    }
    with pytest.raises(SuiteError, match=r"n of roofs-synthetic is 1e\+11: a count is at most 1000000000"):
        plan_suite(Request(suite))


def test_what_cannot_be_prepared_is_told_before_it_fails():
    """A split that leaves one class to train on, in the last of the repetitions."""
    Path("own.csv").write_text("a,y\n" + "".join(f"{n},{'no' if n else 'yes'}\n" for n in range(8)))
    text = (
        SUITE.replace("target: outcome", "target: y").replace("[0, 2]", "[0, 1]").replace("impute: mean", "scale: none")
    )
    Path("own.yaml").write_text(text.replace("preprocess: [{scale: none}]\n", ""))
    (warning,) = plan_suite(Request("own.yaml")).warnings
    assert warning.startswith("own.yaml:3: datasets.0: ")
    assert "trials there will fail" in warning
