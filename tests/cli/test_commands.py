"""The command line as a user meets it; in a process of its own where it is the process that counts."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import benchkit

HEAVY = ("mlflow", "sklearn", "pandas", "matplotlib", "numpy")


@pytest.mark.parametrize("arguments", [["--help"], ["list", "algorithms"], ["run", "--help"], ["list"]])
def test_light_commands_import_nothing_heavy(arguments):
    code = (
        "import sys, contextlib, io\n"
        "from benchkit.cli.main import app\n"
        f"sys.argv = ['benchkit', *{arguments!r}]\n"
        "with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):\n"
        "    app()\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    # `list` shows suites' titles, for which the schema is not needed either.
    assert found.stdout.strip() == "[]"


def test_run_report_and_again(here, process, write_suite, tiny, tmp_path):
    suite = write_suite(tiny)
    first = process("run", suite, "--no-tracking")
    assert first.returncode == 0, first.stderr
    assert "In the worst case that a search finds (greedy-delete on breast), " in first.stdout
    assert "benchkit report runs/tiny --details" in first.stdout
    assert "_underlined_: the best of each column" in " ".join(first.stdout.split())
    assert "error on breast under greedy-delete" not in first.stdout
    assert "8 trials run, 0 reused" in first.stdout
    again = here("run", suite, "--no-tracking", "--details")
    assert "0 trials run, 8 reused" in again.stdout
    assert "error on breast under greedy-delete" in again.stdout
    assert "Robustness: error on breast" in again.stdout
    assert "error on breast under greedy-delete" not in here("report", "runs/tiny").stdout
    text = here("report", "runs/tiny", "--details")
    assert "error on breast under greedy-delete" in text.stdout
    rows = json.loads(here("report", "runs/tiny", "--format", "json").stdout)
    assert {row["algorithm"] for row in rows} == {"svm", "constant"}
    assert here("report", "runs/tiny", "--format", "csv").stdout.startswith("dataset,")
    assert here("report", "runs/tiny", "--format", "markdown").stdout.startswith("# tiny")
    plan = here("plan", suite, "--set", "split.repetitions=3")
    assert "12 trials, 8 reused, 4 to run" in plan.stdout
    assert not (tmp_path / "mlflow.db").exists()


@pytest.mark.parametrize(
    "options", [["--only", "algorithm=svm,repetition=1"], ["--only", "algorithm=svm", "--only", "repetition=1"]]
)
def test_only_narrows_whether_given_once_or_several_times(here, tiny, write_suite, options):
    assert "2 trials" in here("plan", write_suite(tiny), *options).stdout


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["run", "quikstart"], "unknown suite 'quikstart'; did you mean 'quickstart'?"),
        (["run", "absent.yaml"], "absent.yaml: no such suite file"),
        (["run", "quickstart", "--profile", "fast"], "unknown profile 'fast'"),
        (["run", "quickstart", "--set", "split.repetitions=0"], "--set split.repetitions"),
        (["run", "quickstart", "--set", "algoritms=[]"], "did you mean 'algorithms'?"),
        (["run", "quickstart", "--set", "seed"], "expected KEY=VALUE"),
        (["run", "quickstart", "--only", "algorithm=smv"], "algorithm=smv selects no trial; did you mean 'svm'?"),
        (["run", "quickstart", "--only", "algorithm=xyz"], "algorithm=xyz selects no trial; algorithm is one of"),
        (["run", "quickstart", "--only", "algoritm=lp"], "--only algoritm: unknown field; did you mean 'algorithm'?"),
        (["run", "quickstart", "--executor", "cloud"], "unknown executor 'cloud'"),
        (["run", "quickstart", "--executor-option", "jobs"], "--executor-option jobs: expected KEY=VALUE"),
        (["run", "quickstart", "--executor", "dask", "--executor-option", "schedular=x"], "did you mean 'scheduler'?"),
        (["run", "quickstart", "--tracker", "mlflwo"], "unknown tracker 'mlflwo'; did you mean 'mlflow'?"),
        (["run", "quickstart", "--tracker", "mlflow", "--no-tracking"], "contradict each other: leave out one"),
        (["run", "quickstart", "--out", "/dev/null/x"], "cannot write here"),
        (["report", "nowhere"], "nowhere: no run here"),
        (["report", ".", "--format", "docx"], "unknown format 'docx'"),
        (["report", ".", "--format", "markdwon"], "unknown format 'markdwon'; did you mean 'markdown'?"),
        (["show", "smv"], "did you mean 'svm'?"),
        (["list", "algorithm"], "did you mean 'algorithms'?"),
        (["ui", "--index"], "no run here yet"),
        (["ui"], "no dashboard yet"),
        (["run", "quickstart", "-j", "0"], "Invalid value for '-j' / '--jobs': "),
        (["run"], "Missing argument 'SUITE'; see 'benchkit run --help'"),
        (["run", "quickstart", "--jbos", "2"], "--jbos; did you mean '--jobs'? See 'benchkit run --help'"),
        (["run", "quickstart", "--xyz"], "No such option: --xyz; see 'benchkit run --help'"),
        (["rnu"], "No such command 'rnu'; did you mean 'run'? See 'benchkit --help'"),
        (["new", "suit", "t.csv"], "No such command 'suit'; did you mean 'suite'? See 'benchkit new --help'"),
        (["run", "quickstart", "--add", "svn"], "did you mean 'svm'?"),
    ],
)
def test_mistakes_end_in_one_line_and_exit_code_2(here, arguments, expected):
    found = here(*arguments)
    assert found.returncode == 2
    assert expected in found.stderr
    assert "Traceback" not in found.stderr
    assert len(found.stderr.strip().splitlines()) == 1


def test_a_plan_tells_where_a_budget_takes_all_features(here, tiny, write_suite):
    tiny["adversaries"][0]["budgets"] = [0, 10]
    found = here("plan", write_suite(tiny))
    assert found.returncode == 0
    (line,) = found.stderr.splitlines()
    assert line.startswith("benchkit: note: ")
    assert "budget 10 takes all features of breast" in line


def test_a_mistake_is_one_line_and_exit_code_2_of_the_process(process):
    """As all those above, which were made in this process."""
    found = process("run", "quikstart")
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr.startswith("benchkit: unknown suite 'quikstart'; did you mean 'quickstart'?")
    assert found.stderr.count("\n") == 1


def test_a_read_only_output_folder(here, tiny, write_suite, tmp_path):
    if os.geteuid() == 0:
        pytest.skip("root may write anywhere")
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o500)
    found = here("run", write_suite(tiny), "--out", str(folder))
    assert found.returncode == 2
    assert "cannot write here: Permission denied" in found.stderr


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("1,2,3\n", "3 columns in row 1, expected 58"),
        ("<html>not found</html>\n", "a web page (HTML), not data"),
        ("", "the file is empty"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_a_data_file_that_is_not_what_it_should_be(here, tiny, write_suite, tmp_path, content, reason):
    folder = tmp_path / "data" / "spambase"
    folder.mkdir(parents=True)
    (folder / "spambase.data").write_text(content)
    tiny |= {"datasets": ["spambase"], "algorithms": ["constant"], "adversaries": []}
    found = here(
        "run", write_suite(tiny), "--no-tracking", "--executor", "inline", BENCHKIT_DATA=str(tmp_path / "data")
    )
    assert found.returncode == 2  # known before anything runs
    assert "Traceback" not in found.stderr + found.stdout
    assert reason in found.stderr


def test_a_data_file_that_is_absent(here, tiny, write_suite, tmp_path):
    tiny |= {"datasets": ["spambase"], "algorithms": ["constant"], "adversaries": []}
    found = here("run", write_suite(tiny), "--no-tracking", BENCHKIT_DATA=str(tmp_path))
    assert found.returncode == 1
    assert "skipped: DataUnavailableError: spambase/spambase.data is not in" in found.stdout


@pytest.mark.parametrize("by_suite", [False, True])
def test_a_plugin_file_that_is_asked_for_and_broken_ends_the_command(here, tiny, write_suite, write_plugin, by_suite):
    plugin = write_plugin("raise RuntimeError('no licence')")
    options = [] if by_suite else ["--plugin", str(plugin)]
    suite = write_suite({**tiny, "plugins": ["my_plugin.py"] if by_suite else []})
    for command in (["run", suite, "--no-tracking"], ["plan", suite]):
        found = here(*command, *options)
        assert found.returncode == 2
        assert "plugin 'my_plugin': cannot be loaded" in found.stderr
        assert found.stderr.count("\n") == 1
    assert here("list", "algorithms", "--plugin", str(plugin)).returncode == 2


@pytest.mark.parametrize(
    "command",
    [
        ["list"],
        ["report", "runs/tiny"],
        pytest.param(["report", "runs/tiny", "--format", "csv"], marks=pytest.mark.whole),
        pytest.param(["plan", "tiny.yaml"], marks=pytest.mark.whole),
    ],
)
def test_a_reader_that_leaves_early_is_no_failure(here, tiny, write_suite, tmp_path, command):
    suite = write_suite(tiny, "tiny.yaml")
    if command[0] == "report":
        here("run", suite, "--no-tracking", "--executor", "inline", "--only", "repetition=0")
    code = "from benchkit.cli.main import main; main()"
    read, write = os.pipe()
    os.close(read)
    found = subprocess.run(
        [sys.executable, "-c", code, *command], stdout=write, stderr=subprocess.PIPE, cwd=tmp_path, text=True
    )
    os.close(write)
    assert (found.returncode, found.stderr) == (0, "")


def test_labels_are_not_markup(here, tiny, write_suite):
    suite = write_suite({**tiny, "title": "All [of] it", "algorithms": [{"name": "svm", "label": "svm [tuned]"}]})
    found = here("plan", suite).stdout
    assert "svm [tuned]" in found
    assert "All [of] it" in found


def test_failed_trials_decide_the_exit_code(here, tiny, write_suite):
    tiny["algorithms"] = ["constant", {"name": "svm", "params": {"C": -1}}]
    suite = write_suite(tiny)
    found = here("run", suite, "--no-tracking")
    assert found.returncode == 1
    assert "4 x svm on breast under greedy-delete: failed: InvalidParameterError: The 'C' parameter" in found.stdout
    assert here("run", suite, "--no-tracking", "--allow-failures").returncode == 0


def test_list_and_show(here):
    listed = json.loads(here("list", "--json").stdout)["rows"]
    kinds = {
        "algorithms",
        "adversaries",
        "datasets",
        "metrics",
        "tuners",
        "executors",
        "sections",
        "formats",
        "trackers",
        "sources",
        "commands",
    }
    assert kinds | {"splits", "steps", "values", "suites", "plugins"} == {entry["kind"] for entry in listed}
    assert {"kind": "splits", "name": "k-fold", "summary": "", "plugin": "benchkit"} in listed
    assert ("suites", "quickstart") in {(entry["kind"], entry["name"]) for entry in listed}
    assert not [entry["name"] for entry in listed if entry["name"].startswith("bench-")]
    every = json.loads(here("list", "suites", "--all", "--json").stdout)["rows"]
    assert "bench-engine" in {entry["name"] for entry in every}
    for name in ("lp", "greedy-delete", "breast", "error"):
        found = here("show", name)
        assert found.returncode == 0, found.stderr
        assert name in found.stdout
    assert "noise_budget = 0.0" in here("show", "lp").stdout
    assert "name: quickstart" in here("show", "quickstart").stdout


def test_schema_knows_the_plugins(here):
    schema = json.loads(here("schema").stdout)
    assert list(schema["patternProperties"]) == ["^x-"]
    assert "lp" in schema["$defs"]["AlgorithmEntry"]["properties"]["name"]["enum"]


def test_sources_name_no_machine():
    root = Path(__file__).parents[2]
    for path in [*root.glob("benchkit/**/*.py"), *root.glob("plugins/**/*.py"), *root.glob("suites/*.yaml")]:
        assert "/work/" not in path.read_text()


def test_the_module_is_the_command():
    found = subprocess.run([sys.executable, "-m", "benchkit", "--version"], capture_output=True, text=True, check=True)
    assert found.stdout == f"benchkit {benchkit.__version__}\n"
