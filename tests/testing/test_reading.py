"""What a plugin reads without declaring it is found; what it may read raises no alarm."""

import json

import pytest

from benchkit.testing.check import checks_of, find_plugin
from benchkit.testing.reading.rules import RULES

PLUGIN = '''
import importlib, json, os
from pathlib import Path

import numpy as np
from sklearn.linear_model import RidgeClassifier

from benchkit import Algorithm, Data, Dataset, Metric, hookimpl

TABLE = Path(__file__).with_name("table.json")
{top}

class Mine(RidgeClassifier):
    """Ridge."""

    def fit(self, X, y):
        {fit}
        return super().fit(X, y)


def load():
    {load}
    return Data(X=np.arange(16.0).reshape(8, 2), y=np.array([-1, 1] * 4))


def compute(evaluation):
    """Nothing."""
    {compute}
    return 0.0


@hookimpl
def benchkit_algorithms():
    return [Algorithm(name="mine", make=Mine, inputs={inputs})]


@hookimpl
def benchkit_datasets():
    return [Dataset(name="numbers", load=load)]


@hookimpl
def benchkit_metrics():
    return [Metric(name="nothing", compute=compute)]
'''


@pytest.fixture
def reasons(tmp_path, write_plugin, monkeypatch):
    """The reasons of the three rules for a plugin whose parts do something."""
    (tmp_path / "table.json").write_text(json.dumps({"a": 1}))
    (tmp_path / "local_module_of_a_plugin.py").write_text("x = 1\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    monkeypatch.setenv("MY_SWITCH", "on")

    def find(inputs="()", **parts):
        text = PLUGIN.format(**{"top": "", "fit": "pass", "load": "pass", "compute": "pass", "inputs": inputs, **parts})
        plugin = write_plugin(text)
        names = {rule.name for rule in RULES}
        findings = [check.find() for check in checks_of(plugin) if check.rule.name in names]
        return {finding.rule.partition("-")[0]: finding.reason for finding in findings if finding.outcome == "broken"}

    return find


OPEN = "json.loads(TABLE.read_text())"
ASK = "os.environ.get('MY_SWITCH')"
BY_NAME = "importlib.import_module('local_module' + '_of_a_plugin')"


def test_a_file_that_a_fit_reads(reasons, tmp_path):
    """In processes of their own, as a user's; those of the other tests are forked."""
    found = reasons(fit=OPEN)
    assert set(found) == {"files"}
    assert (
        f"my_plugin.py:17 reads {tmp_path / 'table.json'} (for algorithm mine): declare it, inputs=" in found["files"]
    )


@pytest.mark.whole
def test_a_file_that_a_library_opens_for_the_plugin(reasons, forked):
    """The fit's is declared, the dataset's is not."""
    found = reasons(fit=OPEN, inputs="[str(TABLE)]", load="np.genfromtxt(TABLE, dtype=str)")
    assert "table.json (for dataset numbers): declare it" in found["files"]


def test_what_is_read_at_import_concerns_all_whose_code_it_is(reasons, forked):
    found = reasons(top=f"{OPEN}; {ASK}", inputs="[str(TABLE.parent), '$MY_SWITCH']")
    assert "table.json (for dataset numbers, metric nothing)" in found["files"]
    assert "MY_SWITCH (for dataset numbers, metric nothing)" in found["variables"]


@pytest.mark.whole
def test_a_variable_that_a_metric_reads(reasons, monkeypatch, forked):
    for number in range(4):
        monkeypatch.setenv(f"MY_{number}", "on")
    found = reasons(
        compute="os.environ.get('MY_0'); os.getenv('MY_1', ''); 'MY_2' in os.environ; os.environ['MY_3']",
    )
    assert set(found) == {"variables"}
    for number in range(4):
        assert f"MY_{number} (for metric nothing): declare it, inputs=['$MY_{number}']" in found["variables"]


@pytest.mark.whole
def test_a_module_that_a_fit_imports_by_a_computed_name(reasons, forked):
    found = reasons(fit=BY_NAME)
    assert set(found) == {"modules"}
    assert "imports local_module_of_a_plugin by a computed name (for algorithm mine)" in found["modules"]
    # A name that is written down is followed.
    parts = {"fit": "importlib.import_module('local_module_of_a_plugin')"}
    found = reasons(**parts, compute="importlib.import_module('fil' + 'elock')")
    assert "imports filelock by a computed name (for metric nothing)" in found.pop("modules")
    assert found == {}


def test_the_innocent(reasons, forked):
    """Libraries' own reading, what was just written, the whole environment handed on, the machine."""
    innocent = (
        "import subprocess, tempfile, warnings, inspect; "
        "subprocess.run(['true'], env={**os.environ}); dict(os.environ); os.environ.copy(); "
        "file = Path(tempfile.mkdtemp()) / 'x'; file.write_text('1'); file.read_text(); "
        "inspect.getsource(Mine); warnings.warn('x'); open('/proc/self/stat').read(); "
        "import sklearn.datasets; sklearn.datasets.load_wine(); importlib.import_module('js' + 'on'); "
        "importlib.import_module('sk' + 'learn.svm')"
    )
    assert reasons(fit=innocent, load="import matplotlib.pyplot, pandas") == {}


def test_a_plugin_that_cannot_be_tried(write_plugin):
    plugin, _ = find_plugin(write_plugin("raise SystemExit('no licence')"))
    for rule in RULES:
        rule.check(plugin)  # which loads-without-problems reports
