"""All of a suite's mistakes that its data shows are told at once, before anything runs."""

from pathlib import Path

import pytest

from benchkit.cli.main import main
from benchkit.session.plan import plan
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
        plan("own.yaml")
    return str(caught.value).splitlines()


def test_a_suite_without_mistakes():
    Path("own.yaml").write_text(SUITE)
    assert plan("own.yaml").warnings == ()


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
        "  own.yaml:9: algorithms.1: svm takes no missing values: add {impute: mean} to 'preprocess' (fine)",
    ]


def test_an_absent_file_of_an_optional_dataset_is_only_warned_of():
    Path("own.yaml").write_text(
        SUITE.replace(
            "target: outcome}", "target: outcome}\n  - {name: csv, path: gone.csv, label: gone, optional: true}"
        )
    )
    [warning] = plan("own.yaml").warnings
    assert warning == (
        f"own.yaml:4: datasets.1.path: there is no file gone.csv in {Path.cwd()}; its trials will be skipped"
    )


def test_what_an_option_sets_is_blamed_on_the_option():
    Path("own.yaml").write_text(SUITE)
    with pytest.raises(SuiteError, match=r"^--set datasets.0.target: .* no column is named 'result'"):
        plan("own.yaml", settings={"datasets.0.target": "result"})


def test_a_method_that_fits_some_of_the_data_is_only_warned_of():
    text = SUITE.replace(
        "split:", "  - {name: csv, path: own.csv, target: outcome, label: raw, preprocess: []}\nsplit:"
    )
    Path("own.yaml").write_text(text)
    (warning,) = plan("own.yaml").warnings
    assert warning == (
        "own.yaml:7: algorithms.1: svm takes no missing values: add {impute: mean} to 'preprocess' (raw); "
        "its trials there will be skipped"
    )


@pytest.mark.parametrize("name", ["outcome", "size", "colour", "colour=red"])
def test_a_label_that_names_a_column(name):
    (line,) = mistakes(SUITE.replace("target: outcome", f"label: {name}"))
    assert line.startswith(f"own.yaml:3: datasets.0.label: '{name}' is a column of the data, and 'label' is only the")
    assert f"write 'target: {name}'" in line


def test_yes_is_a_class_and_no_truth_value():
    Path("own.csv").write_text(TABLE.replace("ill", "yes").replace("well", "no"))
    Path("own.yaml").write_text(SUITE.replace("target: outcome", "target: outcome, positive: yes"))
    planned = plan("own.yaml")
    assert next(iter(planned.trials.values())).dataset.params["positive"] == "yes"


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
    plan("own.yaml")


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
