"""The plugins, scripts and notebooks under examples/: rules are kept; packages are used as users do."""

import json
import os
import shutil
import signal
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import benchkit
from benchkit import ExecutorUnavailableError, WorkerDiedError
from benchkit.plugin.manager import Registry
from benchkit.testing.check import checks_of
from benchkit_feature_noise.estimators.o2b import OnlineToBatchPerceptron
from tests.conftest import PATIENCE, install, load_script

EXAMPLES = Path(__file__).parents[2] / "examples"
RAY = EXAMPLES / "ray_executor.py"
pytest_plugins = ["pytester"]
CLINIC = """
name: clinic
title: Later patients
datasets: [breast]
split: {method: later-rows, params: {gap: 10}, train: 0.6, test: 0.3, repetitions: 2}
preprocess: [{winsorize: 0.05}, standardize]
algorithms: [logistic-regression, constant]
adversaries: [{name: greedy-delete, budgets: ['0%', '20%']}]
"""


@pytest.mark.parametrize("file", sorted((EXAMPLES / "plugins").glob("*.py")), ids=lambda file: file.stem)
def test_a_file_keeps_every_rule(file):
    outcomes = {check.rule.name: check.find() for check in checks_of(file)}
    assert not [(name, found.reason) for name, found in outcomes.items() if found.outcome == "broken"]
    assert sum(found.outcome == "kept" for found in outcomes.values()) >= 2


@pytest.fixture(scope="module")
def packages(tmp_path_factory, site_packages):
    """The folder of copies of the packages, which are installed; an ensemble of five keeps what one of thirty does."""
    folder = tmp_path_factory.mktemp("examples")
    for name in ("clinic", "random-subspace"):
        shutil.copytree(EXAMPLES / f"benchkit-{name}", folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    ensemble = folder / "random-subspace" / "benchkit_random_subspace" / "ensemble.py"
    text = ensemble.read_text()
    ensemble.write_text(text.replace("n_members: int = 30", "n_members: int = 5"))
    assert ensemble.read_text() != text
    install(site_packages, *folder.iterdir())
    return folder


@pytest.mark.parametrize("name", ["later-rows", "random-subspace"])
def test_a_package_keeps_every_rule(name, packages, with_installed, here):
    findings = json.loads(here("check", {"later-rows": "clinic"}.get(name, name), "--json").stdout)["rows"]
    assert {finding["outcome"] for finding in findings} <= {"kept", "not asked"}, findings
    assert name in {finding["subject"] for finding in findings if finding["outcome"] == "kept"}


@pytest.mark.usefixtures("with_installed")
def test_packages_pass_their_own_tests(packages, pytester):
    """Those of what they declare; those of conformance are what `benchkit check` tries."""
    own = (packages / "clinic/tests", packages / "random-subspace/tests/test_ensemble.py", "-k", "not rules")
    found = pytester.runpytest_inprocess("-q", "-p", "no:cacheprovider", "--import-mode=importlib", *own)
    assert found.parseoutcomes().keys() == {"passed", "deselected"}


def test_a_run_uses_a_split_a_step_an_executor_and_a_format(packages, with_installed, here, tmp_path):
    (tmp_path / "clinic.yaml").write_text(CLINIC)
    where = ("--executor", "shared-machine", "--executor-option", "leave=1", "--no-tracking")
    assert "8 trials run, 0 reused" in here("run", "clinic.yaml", *where).stdout
    told = here("report", "runs/clinic", "--format", "letter").stdout
    assert told.startswith("Later patients\n")
    assert told.endswith("(8 trials)\n")
    refused = here("run", "clinic.yaml", *where[:2], "--executor-option", "leaf=1")
    assert refused.returncode == 2
    assert "did you mean 'leave'" in refused.stderr


def test_its_rows_are_those_of_the_machine(tiny, write_suite, tmp_path):
    pytest.importorskip("ray")
    suite = write_suite(tiny)
    runs = [
        benchkit.run(suite, out=tmp_path / name, executor=name, jobs=1, plugins=[RAY], tracking=False, plots=False)
        for name in ("inline", "ray")
    ]
    here, there = ({row["trial"]: (row["status"], row["metrics"]) for row in run.rows} for run in runs)
    assert there == here
    assert {status for status, _ in there.values()} == {"ok"}


def test_an_actor_that_is_lost_costs_what_it_ran_and_a_cluster_that_is_not_there_is_said_to_be_so():
    pytest.importorskip("ray")
    executor = Registry([RAY]).executors["ray"]
    with executor.build(jobs=1, log=None, memory=None) as running:
        # The process of a function is a child of its actor's fork server.
        actor = running.submit(_grandparent, timeout=None).result(timeout=PATIENCE)
        lost, next_one = running.submit(time.sleep, 3600, timeout=None), running.submit(divmod, 7, 2, timeout=None)
        os.kill(actor, signal.SIGKILL)
        assert isinstance(lost.exception(timeout=PATIENCE), WorkerDiedError)
        assert next_one.result(timeout=PATIENCE) == (3, 1)
    with pytest.raises(ExecutorUnavailableError, match=r"no Ray cluster at 127\.0\.0\.1:1"):
        executor.build(jobs=1, log=None, memory=None, address="127.0.0.1:1").__enter__()


def test_without_the_package_the_command_says_what_to_install(call_benchkit, tmp_path, write_suite, tiny, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    done = call_benchkit(tmp_path, "run", write_suite(tiny), "--plugin", str(RAY), "--executor", "ray")
    assert done.returncode == 2
    assert "pip install ray" in done.stderr
    assert "Traceback" not in done.stderr


def _grandparent():
    return int(Path(f"/proc/{os.getppid()}/stat").read_text().rsplit(") ", 1)[1].split()[1])


def test_row_groups_are_the_rows_at_once_to_the_bit_and_it_says_what_it_took(monkeypatch, capsys, tmp_path):
    example = load_script(EXAMPLES / "stream_parquet.py")
    X = np.random.default_rng(0).normal(size=(350, 4))
    y = (X[:, 0] > 0).astype(int)
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"y": y, **{f"x{j}": X[:, j] for j in range(4)}}), path, row_group_size=100)
    params = {"C": 0.5, "noise_budget": 1.0, "radius": 3.0}
    learned = example.learn(path, "y", **params)
    whole = OnlineToBatchPerceptron(horizon=300, **params).partial_fit(X[:300], y[:300])
    np.testing.assert_array_equal(learned.coef_, whole.coef_)
    assert learned.n_seen_ == 300
    monkeypatch.setattr("sys.argv", ["stream_parquet.py", str(path), "y"])
    example.main()
    said = capsys.readouterr().out
    assert said.startswith("300 rows in ")
    assert "error on 50 rows kept apart: 0." in said


def test_the_notebook_shows_plan_run_answer_table_and_figure(tmp_path):
    """It is run in an empty folder."""
    nbclient = pytest.importorskip("nbclient", reason="notebooks need the extra docs")
    pytest.importorskip("ipykernel")
    notebook = pytest.importorskip("nbformat").read(EXAMPLES / "robustness.ipynb", as_version=4)
    client = nbclient.NotebookClient(notebook, timeout=PATIENCE, resources={"metadata": {"path": str(tmp_path)}})
    client.execute(env={**os.environ, "OMP_NUM_THREADS": "1"})
    _, plan, run, answer, table, figure, tuning, again = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert plan.outputs[0].data["text/plain"].startswith("<Preview of notebook: 36 trials, 0 reused, 36 to run")
    progress, shown = run.outputs
    assert progress.data["text/plain"].startswith("Four classifiers that lose features: 36 of 36 trials in ")
    assert shown.data["text/plain"].startswith("<Results of notebook: 36 trials: 36 ok")
    assert "(greedy-delete on breast), " in shown.data["text/html"]
    assert "(greedy-delete on breast), " in answer.outputs[0].text
    assert "logistic-regression" in table.outputs[0].data["text/html"]
    assert figure.outputs[0].data["image/png"]
    assert "halving judged 12 candidates" in tuning.outputs[0].text
    assert again.outputs[0].data["text/plain"] == "True"


@pytest.mark.parametrize("notebook", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebooks_are_kept_without_outputs(notebook):
    assert all(not cell.get("outputs") for cell in json.loads(notebook.read_text())["cells"])
