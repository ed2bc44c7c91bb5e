"""The example notebook runs from its first cell to its last, and shows what it says."""

import os
from pathlib import Path

import pytest

from tests.conftest import PATIENCE

nbclient = pytest.importorskip("nbclient", reason="notebooks need the extra docs")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")

NOTEBOOK = Path(__file__).parents[2] / "examples" / "robustness.ipynb"


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """The notebook with its outputs, run in an empty folder."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    folder = tmp_path_factory.mktemp("notebook")
    client = nbclient.NotebookClient(notebook, timeout=PATIENCE, resources={"metadata": {"path": str(folder)}})
    client.execute(env={**os.environ, "OMP_NUM_THREADS": "1"})
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_the_plan_and_the_run_are_shown_in_a_few_words(executed):
    _, plan, run, *_ = executed
    assert plan.outputs[0].data["text/plain"].startswith("<Preview of notebook: 36 trials, 0 reused, 36 to run")
    progress, shown = run.outputs
    assert progress.data["text/plain"].startswith("Four classifiers that lose features: 36 of 36 trials in ")
    assert shown.data["text/plain"].startswith("<Results of notebook: 36 trials: 36 ok")
    assert "(greedy-delete on breast), " in shown.data["text/html"]


def test_the_answer_the_table_and_the_figure(executed):
    answer, table, figure, tuning, again = executed[3:]
    assert "(greedy-delete on breast), " in answer.outputs[0].text
    assert "logistic-regression" in table.outputs[0].data["text/html"]
    assert figure.outputs[0].data["image/png"]
    assert "halving judged 12 candidates" in tuning.outputs[0].text
    assert again.outputs[0].data["text/plain"] == "True"


@pytest.mark.parametrize("notebook", sorted(NOTEBOOK.parent.glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebooks_are_kept_without_outputs(notebook):
    assert all(not cell.get("outputs") for cell in nbformat.read(notebook, as_version=4).cells)
