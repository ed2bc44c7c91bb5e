"""The tutorial's commands run in their order, and its files and figures are what the program makes."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "tutorial.md").read_text()
COMMANDS = [shlex.split(line, comments=True) for line in re.findall(r"^    (\w.*)$", PAGE, re.MULTILINE)]
MAIN = [sys.executable, "-c", "from benchkit.cli.main import main; main()"]
# One repetition in one process, the ends of the axis, and the same command otherwise.
SMALLER = ["--executor", "inline", "--no-tracking", "--no-plots", "--only", "repetition=0,axis_value=0,axis_value=5"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where all commands were run, and what each printed."""
    folder = tmp_path_factory.mktemp("tutorial")
    (folder / "make_patients.py").write_text((ROOT / "examples" / "make_patients.py").read_text())
    printed = {}
    for command in COMMANDS:
        if command[0] == "pip":
            continue
        words = [sys.executable, *command[1:]] if command[0] == "python" else [*MAIN, *command[1:]]
        words += SMALLER if command[1] == "run" else []
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=400, check=False)
        printed[shlex.join(command)] = done.returncode, done.stdout, done.stderr
    return folder, printed


def test_every_command_runs_but_the_one_that_shows_mistakes(folder):
    _, printed = folder
    assert len(printed) == 9
    wrong = {command: told for command, told in printed.items() if told[0] != 0}
    (command,) = wrong
    assert command.startswith("benchkit plan patients.yaml --set datasets.0.label=glucose")
    assert wrong[command][2].strip() in PAGE


def test_the_suite_is_the_one_on_the_page(folder):
    made, printed = folder
    (shown,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert (made / "patients.yaml").read_text() == shown
    assert "1260 trials, 0 reused, 1260 to run" in printed["benchkit plan patients.yaml"][1]


def test_the_run_ends_in_an_answer(folder):
    made, printed = folder
    out = printed["benchkit run patients.yaml"][1]
    assert "42 ok" in out
    for adversary in ("random-delete", "query-delete", "silent-zeros"):
        assert re.search(rf"under {adversary} [\w-]+ is most robust on patients", out)
        assert re.search(rf"under {adversary} [\w-]+ is most robust on patients", PAGE)
    assert "<html" in (made / "patients.html").read_text()
    assert (made / "patients-means.csv").is_file()


def lines_of_code(path):
    """Lines that are neither empty nor comments nor docstrings."""
    text = re.sub(r'"""(?:.|\n)*?"""', "", path.read_text())
    return sum(bool(line.strip()) and not line.strip().startswith("#") for line in text.splitlines())


def test_the_table_counts_what_is_there(folder):
    made, _ = folder
    script, suite = lines_of_code(ROOT / "examples" / "loss_of_columns.py"), lines_of_code(made / "patients.yaml")
    assert f"or the {suite} lines of `patients.yaml`" in PAGE
    assert f"a script of {script} lines" in PAGE


def test_the_script_of_scikit_learn_alone_runs(folder):
    """On few rows, one split and two columns lost."""
    made, _ = folder
    text = (ROOT / "examples" / "loss_of_columns.py").read_text()
    for old, new in (("range(10)", "range(1)"), ("y_true, 5", "y_true, 1"), ("test_size=0.25", "test_size=0.03")):
        assert old in text
        text = text.replace(old, new)
    done = subprocess.run(
        [sys.executable, "-c", text], cwd=made, capture_output=True, text=True, timeout=400, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("gradient-boosting") == 2
    assert "Warning" not in done.stderr
