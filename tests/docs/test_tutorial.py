"""The tutorial's commands run in their order, and end in an answer that all places show alike."""

import html
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import benchkit

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "tutorial.md").read_text()
COMMANDS = [shlex.split(line, comments=True) for line in re.findall(r"^    (\w.*)$", PAGE, re.MULTILINE)]
NOTEBOOK = ROOT / "examples" / "patients.ipynb"
LEFT_OUT = ("svm", "fdrop", "lp", "random-forest", "gradient-boosting")


@pytest.fixture(scope="module")
def whole(request):
    """Whether the page's run is run, which takes a minute of processor time.

    Else it is one of two repetitions of two methods, by which all is checked but the page's numbers.
    """
    return request.config.getoption("whole")


def make_smaller(suite):
    """Two repetitions of two methods, on the same axes."""
    text = suite.read_text()
    assert text.count("repetitions: 10,") == 1
    lines = text.replace("repetitions: 10,", "repetitions: 2,").splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith(tuple(f"  - {{name: {name}," for name in LEFT_OUT))]
    assert len(kept) == len(lines) - len(LEFT_OUT)
    suite.write_text("".join(kept))


@pytest.fixture(scope="module")
def folder(tmp_path_factory, call_benchkit, whole):
    """Where all commands were run, and what each printed."""
    folder = tmp_path_factory.mktemp("tutorial")
    printed = {}
    for program, *words in COMMANDS:
        if program == "pip":
            continue
        if program == "python":
            script = [sys.executable, ROOT / "examples" / words[0]]
            done = subprocess.run(script, cwd=folder, capture_output=True, text=True, check=False)
        else:
            if words[0] == "run" and not whole:
                (folder / "as_written.yaml").write_text((folder / "patients.yaml").read_text())
                make_smaller(folder / "patients.yaml")
            quieter = ["--no-tracking", "--no-plots", *([] if whole else ["--executor", "inline"])]
            done = call_benchkit(folder, *words, *(quieter if words[0] == "run" else ()), COLUMNS="80")
        printed[shlex.join([program, *words])] = done.returncode, done.stdout, done.stderr
    return folder, printed


def as_written(made, whole):
    """The suite as the tutorial's command wrote it."""
    return made / ("patients.yaml" if whole else "as_written.yaml")


def test_every_command_runs_but_the_one_that_shows_mistakes(folder):
    _, printed = folder
    assert len(printed) == 9
    wrong = {command: told for command, told in printed.items() if told[0] != 0}
    (command,) = wrong
    assert command.startswith("benchkit plan patients.yaml --set datasets.0.label=glucose")
    assert wrong[command][2].strip() in PAGE


def test_the_suite_is_the_one_on_the_page(folder, whole):
    made, printed = folder
    (shown,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert as_written(made, whole).read_text() == shown
    assert "1260 trials, 0 reused, 1260 to run" in printed["benchkit plan patients.yaml"][1]


def n_trials(whole):
    return 1260 if whole else 72


@pytest.fixture(scope="module")
def results(folder):
    """The run, as Python reads it."""
    made, _ = folder
    return benchkit.load(made / "runs" / "patients")


def as_read(page):
    """The text of a page, without its tags."""
    return html.unescape(re.sub(r"<[^>]*>", " ", page))


def test_the_whole_run_ends_in_an_answer(folder, results, whole):
    made, printed = folder
    assert results.ok, results.problems()
    assert f"{n_trials(whole)} ok" in printed["benchkit run patients.yaml"][1]
    assert len(results.answer().splitlines()) == 3
    for adversary in ("random-delete", "query-delete", "silent-zeros"):
        assert f" ({adversary} on patients), " in results.answer()
    assert (made / "patients-means.csv").is_file()


def test_terminal_page_and_notebook_show_the_same_answer(folder, results):
    made, printed = folder
    places = {
        "run": printed["benchkit run patients.yaml"][1],
        "report": printed["benchkit report runs/patients --metrics error --details"][1],
        "page": as_read((made / "patients.html").read_text()),
        "page of the run": as_read((results.folder / "report.html").read_text()),
        "notebook": as_read(results._repr_html_()),
    }
    for line in results.answer().splitlines():
        assert [place for place, text in places.items() if line not in " ".join(text.split())] == []


def test_headings_and_answer_of_the_tutorial_are_the_runs(folder, results, whole):
    _, printed = folder
    (shown,) = re.findall(r"```text\n(If features .*?)\n```", PAGE, re.DOTALL)
    told = printed["benchkit report runs/patients --metrics error --details"][1].splitlines()
    told = [line.rstrip() for line in told if line.strip()]
    ending = told[next(place for place, line in enumerate(told) if line.startswith("If features go at random")) :]
    assert ("\n".join(ending).startswith(shown)) or not whole
    panels = re.compile(r"^│ patients under .*$", re.MULTILINE)
    assert len(panels.findall(shown)) == 3
    assert [line.split() for line in panels.findall(shown)] == [
        line.split() for line in panels.findall("\n".join(ending))
    ]
    text = " ".join(shown.partition("┏")[0].split())
    share = r"wrong on \d+\.\d% of the rows on average over 0 to 5 features deleted"
    form = rf"\(([\w-]+) on patients\), (use|no method).*?{share}"
    starts = re.findall(form, text)
    assert [adversary for adversary, _ in starts] == ["random-delete", "query-delete", "silent-zeros"]
    assert max(map(len, shown.splitlines())) <= 80
    (tables,) = re.findall(r"```text\n(error on .*?)\n```", PAGE, re.DOTALL)
    headings = [line for line in tables.splitlines() if line[0] not in "│"]
    told = [line for line in told if not line.startswith("│")]
    first = told.index(headings[0])
    assert headings == told[first : first + len(headings)]
    assert re.search(r"_0\.\d{3}_ ±", tables)


@pytest.mark.whole
def test_the_notebook_runs_nothing_anew_and_answers_alike(folder, results, whole):
    nbclient = pytest.importorskip("nbclient", reason="notebooks need the extra docs")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    made, _ = folder
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    client = nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(made)}})
    client.execute(env={**os.environ, "OMP_NUM_THREADS": "1"})
    plan, run, answer, table, figure, again = [cell for cell in notebook.cells if cell.cell_type == "code"]
    trials = n_trials(whole)
    assert f"{trials} trials, {trials} reused, 0 to run" in plan.outputs[0].data["text/plain"]
    assert all(line in as_read(run.outputs[-1].data["text/html"]) for line in results.answer().splitlines())
    assert answer.outputs[0].text.strip() == results.answer()
    assert "logistic-regression" in table.outputs[0].data["text/html"]
    assert figure.outputs[0].data["image/png"]
    assert again.outputs[0].data["text/plain"] == "True"


def lines_of_code(path):
    """Lines that are neither empty nor comments nor docstrings."""
    text = re.sub(r'"""(?:.|\n)*?"""', "", path.read_text())
    return sum(bool(line.strip()) and not line.strip().startswith("#") for line in text.splitlines())


def test_the_lines_of_the_script_are_counted():
    assert f"in {lines_of_code(ROOT / 'examples' / 'loss_of_columns.py')} lines" in PAGE


@pytest.mark.whole
def test_the_script_of_scikit_learn_alone_runs(folder):
    """On few rows, one split and one column lost, with one or two values of what is tuned."""
    made, _ = folder
    text = (ROOT / "examples" / "loss_of_columns.py").read_text()
    for old, new in (
        ("range(10)", "range(1)"),
        ("y_true, 5", "y_true, 1"),
        ("test_size=0.25", "test_size=0.03"),
        ("C = [1e-3, 1e-2, 1e-1, 1, 10]", "C = [1e-1, 1]"),
        ('"learning_rate": [0.03, 0.1, 0.3]', '"learning_rate": [0.1]'),
        ("max_iter=50)", "max_iter=10)"),
        ('"n_neighbors": [5, 15, 45]', '"n_neighbors": [5]'),
    ):
        assert old in text
        text = text.replace(old, new)
    done = subprocess.run(
        [sys.executable, "-c", text], cwd=made, capture_output=True, text=True, timeout=400, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("gradient-boosting") == 2
    assert "Warning" not in done.stderr
