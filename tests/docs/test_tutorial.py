"""The tutorial's commands run and all places show one answer; the site builds and fetches nothing from elsewhere."""

import html
import os
import re
import shlex
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

import benchkit
from tests.conftest import PATIENCE

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "tutorial.md").read_text()
COMMANDS = [shlex.split(line, comments=True) for line in re.findall(r"^    (\w.*)$", PAGE, re.MULTILINE)]
NOTEBOOK = ROOT / "examples" / "patients.ipynb"
LEFT_OUT = ("svm", "fdrop", "lp", "random-forest", "gradient-boosting")
REPORT = "benchkit report runs/patients --metrics error --details"


def make_smaller(suite):
    """Two repetitions of two methods, on the same axes: the page's own run takes a minute of processor time."""
    text = suite.read_text()
    assert text.count("repetitions: 10,") == 1
    lines = text.replace("repetitions: 10,", "repetitions: 2,").splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith(tuple(f"  - {{name: {name}," for name in LEFT_OUT))]
    assert len(kept) == len(lines) - len(LEFT_OUT)
    suite.write_text("".join(kept))


@pytest.fixture(scope="module")
def folder(tmp_path_factory, call_benchkit):
    """Where all commands were run, and what each printed; the run is of a smaller suite."""
    folder = tmp_path_factory.mktemp("tutorial")
    printed = {}
    for program, *words in COMMANDS:
        if program == "pip":
            continue
        if program == "python":
            script = [sys.executable, ROOT / "examples" / words[0]]
            done = subprocess.run(script, cwd=folder, capture_output=True, text=True, check=False)
        else:
            quieter = ["--no-tracking", "--no-plots", "--executor", "inline"] if words[0] == "run" else []
            if quieter:
                (folder / "as_written.yaml").write_text((folder / "patients.yaml").read_text())
                make_smaller(folder / "patients.yaml")
            done = call_benchkit(folder, *words, *quieter, COLUMNS="80")
        printed[shlex.join([program, *words])] = done.returncode, done.stdout, done.stderr
    return folder, printed


def test_every_command_runs_but_the_one_that_shows_mistakes(folder):
    made, printed = folder
    ((command, (_, _, message)),) = [item for item in printed.items() if item[1][0] != 0]
    assert command.startswith("benchkit plan patients.yaml --set datasets.0.label=glucose")
    assert message.strip() in PAGE
    (shown,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert (made / "as_written.yaml").read_text() == shown
    assert "1260 trials, 0 reused, 1260 to run" in printed["benchkit plan patients.yaml"][1]


@pytest.fixture(scope="module")
def results(folder):
    """The run, as Python reads it."""
    made, _ = folder
    return benchkit.load(made / "runs" / "patients")


def as_read(page):
    """The text of a page, without its tags."""
    return html.unescape(re.sub(r"<[^>]*>", " ", page))


def test_terminal_page_and_notebook_show_the_same_answer(folder, results):
    made, printed = folder
    assert results.ok, results.problems()
    answer = results.answer().splitlines()
    for adversary, sentence in zip(("random-delete", "query-delete", "silent-zeros"), answer, strict=True):
        assert f" ({adversary} on patients), " in sentence
    places = {
        "run": printed["benchkit run patients.yaml"][1],
        "report": printed[REPORT][1],
        "page": as_read((made / "patients.html").read_text()),
        "page of the run": as_read((results.folder / "report.html").read_text()),
        "notebook": as_read(results._repr_html_()),
    }
    for sentence in answer:
        assert [place for place, text in places.items() if sentence not in " ".join(text.split())] == []


def test_the_notebook_runs_nothing_anew_and_answers_alike(folder, results):
    nbclient = pytest.importorskip("nbclient", reason="notebooks need the extra docs")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    made, _ = folder
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    client = nbclient.NotebookClient(notebook, timeout=PATIENCE, resources={"metadata": {"path": str(made)}})
    client.execute(env={**os.environ, "OMP_NUM_THREADS": "1"})
    plan, run, answer, table, figure, again = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert "72 trials, 72 reused, 0 to run" in plan.outputs[0].data["text/plain"]
    assert all(line in as_read(run.outputs[-1].data["text/html"]) for line in results.answer().splitlines())
    assert answer.outputs[0].text.strip() == results.answer()
    assert "logistic-regression" in table.outputs[0].data["text/html"]
    assert figure.outputs[0].data["image/png"]
    assert again.outputs[0].data["text/plain"] == "True"


def test_the_script_of_scikit_learn_alone_runs(folder, monkeypatch, capsys, recwarn):
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
    monkeypatch.chdir(made)
    exec(text, {"__name__": "__main__"})
    assert capsys.readouterr().out.count("gradient-boosting") == 2
    # A file that an earlier test of this process has left open is warned of when its garbage is looked for.
    assert [str(each.message) for each in recwarn if each.category is not ResourceWarning] == []


class Loaded(HTMLParser):
    """Addresses that a browser loads by itself with a page: links that a reader may click are not among them."""

    def __init__(self):
        super().__init__()
        self.addresses = []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag in ("script", "img", "iframe", "source"):
            self.addresses.append(given.get("src") or "")
        elif tag == "link" and given.get("rel") not in ("canonical", "next", "prev"):
            self.addresses.append(given.get("href") or "")


def test_the_site_loads_nothing_from_elsewhere_and_draws_every_formula(tmp_path_factory):
    for name in ("latex2mathml", "mkdocs"):
        pytest.importorskip(name, reason="the site needs the extra docs")
    site = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    pages = list(site.rglob("*.html"))
    assert len(pages) > 25
    for page in pages:
        parser = Loaded()
        parser.feed(page.read_text(encoding="utf-8"))
        assert parser.addresses
        assert [address for address in parser.addresses if re.match(r"(https?:)?//", address)] == [], page
    for style in site.rglob("*.css"):
        assert not re.search(r"url\([\"']?https?:|@import", style.read_text(encoding="utf-8")), style
    for source in (ROOT / "docs" / "methods").glob("*.md"):
        text = source.read_text(encoding="utf-8")
        formulas = len(re.findall(r"^ *```math$", text, re.MULTILINE)) + text.count("$`")
        folder = site / "methods" if source.stem == "README" else site / "methods" / source.stem
        page = (folder / "index.html").read_text(encoding="utf-8")
        assert page.count("<math") == formulas, source.name
        assert "```math" not in page
        assert not re.search(r"formula\d+token", page)
