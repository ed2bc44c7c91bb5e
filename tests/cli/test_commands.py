"""The command line as a user meets it; whatever is written there, a mistake ends in one line and exit code 2."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import benchkit
from benchkit.cli.declared import KINDS
from benchkit.cli.interface.options import parse_only
from benchkit.data.files import locate_file
from benchkit.errors import RequestError
from tests.conftest import TINY


@pytest.mark.parametrize("arguments", ["--help", "run --help", "list", "--version"])
def test_light_commands_import_nothing_heavy(process, light, arguments):
    """Not even pydantic, by which typer converts what is given."""
    found = process(*arguments.split(), command=light)
    assert (found.returncode, found.stderr) == (0, "[]\n")


def test_run_report_and_again(here, process, write_suite, tiny, tmp_path):
    suite = write_suite(tiny)
    first = process("run", suite, "--no-tracking", "--executor", "inline")
    assert first.returncode == 0, first.stderr
    assert "In the worst case that a search finds (greedy-delete on breast), " in first.stdout
    assert "benchkit report runs/tiny --details" in first.stdout
    assert "error on breast under greedy-delete" not in first.stdout
    assert "8 trials run, 0 reused" in first.stdout
    again = here("run", suite, "--no-tracking", "--details")
    assert "0 trials run, 8 reused" in again.stdout
    assert "Against best: error on breast under greedy-delete" in again.stdout
    rows = json.loads(here("report", "runs/tiny", "--format", "json").stdout)
    assert {row["algorithm"] for row in rows} == {"svm", "constant"}
    for form, start in (("csv", "dataset,"), ("markdown", "# tiny"), ("tex", "% tiny"), ("html", "<!doctype html>")):
        assert here("report", "runs/tiny", "--format", form).stdout.startswith(start)
    here("report", "runs/tiny", "--format", "html", "-o", "out")
    assert (tmp_path / "out").read_text().startswith("<!doctype html>")
    assert "12 trials, 8 reused, 4 to run" in here("plan", suite, "--set", "split.repetitions=3").stdout
    assert not (tmp_path / "mlflow.db").exists()


@pytest.mark.parametrize("command", [["list"], ["report", "runs/tiny"]])
def test_a_reader_that_leaves_early_is_no_failure(here, tiny, write_suite, tmp_path, command):
    if command[0] == "report":
        here("run", write_suite(tiny), "--no-tracking", "--executor", "inline", "--only", "repetition=0")
    read, write = os.pipe()
    os.close(read)
    found = subprocess.run(
        [sys.executable, "-m", "benchkit", *command], stdout=write, stderr=subprocess.PIPE, cwd=tmp_path, text=True
    )
    os.close(write)
    assert (found.returncode, found.stderr) == (0, "")


def test_a_report_after_a_part_says_so_and_shows_the_whole_where_it_is_asked(here, tiny, write_suite):
    suite = write_suite(tiny)
    first = here("run", suite, "--no-tracking", "--executor", "inline", "--only", "repetition=0").stdout
    assert "repetition=0" in first
    assert "--whole" not in first  # there is no run of all yet
    for part in ((), ("--only", "repetition=0")):
        here("run", suite, "--no-tracking", "--executor", "inline", *part)
    shown = here("report", "runs/tiny").stdout
    assert "repetition=0" in shown
    assert "--whole" in shown
    rows = [json.loads(here("report", "runs/tiny", "--json", *more).stdout)["rows"] for more in ((), ("--whole",))]
    part, whole = ({row["n"] for row in each} for each in rows)
    assert (part, whole) == ({1}, {2})


def test_list_and_show_also_where_files_are(here, tmp_path):
    listed = json.loads(here("list", "--json").stdout)["rows"]
    assert set(KINDS) == {entry["kind"] for entry in listed}
    assert {"kind": "splits", "name": "k-fold", "summary": "", "plugin": "benchkit"} in listed
    names = {(entry["kind"], entry["name"]) for entry in listed}
    assert ("suites", "quickstart") in names
    assert not [name for _, name in names if name.startswith("bench-")]
    every = json.loads(here("list", "suites", "--all", "--json").stdout)["rows"]
    assert "bench-engine" in {entry["name"] for entry in every}
    shown = {
        "lp": "noise_budget = 0.0",
        "greedy-delete": "",
        "quickstart": "name: quickstart",
        "k-fold": "(split method ",
    }
    for name, text in (shown | {"impute": "(preprocessing step ", "baselines": "algorithms: "}).items():
        found = here("show", name)
        assert found.returncode == 0, found.stderr
        assert text in found.stdout
    (tmp_path / "spambase").mkdir()
    (tmp_path / "spambase" / "spambase.data").write_text("1,2\n")
    listed = json.loads(here("list", "datasets", "--json", BENCHKIT_DATA=str(tmp_path)).stdout)["rows"]
    files = {entry["name"]: entry["files"] for entry in listed}
    assert (files["spambase"], files["mnist"], files["breast"]) == ("here", "absent", "")
    shown = here("show", "spambase", BENCHKIT_DATA=str(tmp_path)).stdout
    assert f"file spambase/spambase.data: {tmp_path}" in shown
    assert "licence: CC BY 4.0" in shown


def line(shell, words):
    """The environment in which a shell asks what fits on a line."""
    return {"_BENCHKIT_COMPLETE": f"complete_{shell}"} | {
        "bash": {"COMP_WORDS": words, "COMP_CWORD": str(len(words.split(" ")) - 1)},
        "zsh": {"_TYPER_COMPLETE_ARGS": words},
        "fish": {"_TYPER_COMPLETE_ARGS": words, "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
    }[shell]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell(shell, process, light):
    done = process(command=light, **line(shell, "benchkit re"))
    assert "report" in done.stdout
    assert done.stderr == "[]\n"


GOOD = (Path(__file__).parents[2] / "examples" / "medians.py").read_text()


def test_failed_trials_broken_rules_and_plugins_that_do_not_load_end_with_1(here, tiny, write_suite, write_plugin):
    tiny["algorithms"] = ["constant", {"name": "svm", "params": {"C": -1}}]
    run = ("run", write_suite(tiny), "--no-tracking", "--executor", "inline")
    found = here(*run)
    assert found.returncode == 1
    assert "4 x svm on breast under greedy-delete: failed: InvalidParameterError: The 'C' parameter" in found.stdout
    assert here(*run, "--allow-failures").returncode == 0
    plugin = str(write_plugin(GOOD.replace('{"power"', '{"pover"')))
    found = here("check", plugin, "--only", "medians")
    assert found.returncode == 1
    assert "broken     grid-within-parameters: the grid names 'pover', but the constructor takes power" in found.stdout
    findings = json.loads(here("check", plugin, "--json", "--only", "medians").stdout)["rows"]
    broken = [(row["subject"], row["rule"]) for row in findings if row["outcome"] == "broken"]
    assert broken == [("medians", "grid-within-parameters")]
    go = "@hookimpl\ndef benchkit_commands():\n    return [benchkit.Command(name='go', run='gone:go')]\n"
    found = here("check", str(write_plugin(f"import benchkit\nfrom benchkit import hookimpl\n{go}")))
    assert "command 'go': run: ModuleNotFoundError" in found.stdout
    found = here("check", str(write_plugin("def broken(:")))
    assert found.returncode == 1
    assert "broken     loads-without-problems: " in found.stdout
    assert "SyntaxError" in found.stdout
    assert "Traceback" not in found.stdout + found.stderr


def test_one_mistake_is_told_once_and_its_traceback_where_it_is_asked_for(here, write_plugin):
    plugin = str(write_plugin(GOOD.replace("        X, y = ", "        raise KeyError('gamma')\n        X, y = ", 1)))
    found = here("check", plugin, "--only", "medians", COLUMNS="80")
    broken = [line for line in found.stdout.splitlines() if line.startswith("  broken") and "scikit-learn" not in line]
    assert broken[0] == "  broken     fits-the-same-again: KeyError: 'gamma'"
    assert sum("KeyError: 'gamma'" in line for line in broken) == 1
    assert "Traceback" not in found.stdout
    assert "--verbose prints the tracebacks" in found.stdout
    assert "raise KeyError('gamma')" in here("check", plugin, "--only", "medians", "--verbose").stdout


@pytest.fixture
def spambase():
    """The real file, where a data folder has it."""
    found = locate_file("spambase/spambase.data")
    if found is None:
        pytest.skip("spambase.data is not here")
    return found


def test_get_from_a_folder_places_the_file_in_the_cache(here, tmp_path, spambase, monkeypatch):
    monkeypatch.delenv("BENCHKIT_DATA", raising=False)
    shutil.copy(spambase, tmp_path)
    for place in ("spambase.data", "already here"):
        found = here("data", "get", "spambase", "--from", str(tmp_path))
        assert found.returncode == 0, found.stderr
        assert place in found.stdout
    assert Path(os.environ["BENCHKIT_CACHE"], "data/spambase/spambase.data").exists()


SUITE = "name: t\ndatasets: [breast]\nsplit: {train: 20, test: 20}\nalgorithms: [constant, svm]\n"
LONG = "o" * 5000
RUN, PLAN = ["run", "s.yaml"], ["plan", "s.yaml"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["run", "quikstart"], "unknown suite 'quikstart'; did you mean 'quickstart'?"),
        (["run", "own-stud"], "unknown suite 'own-stud'; did you mean the file own-study.yaml?"),
        ([*PLAN, "-o", "x"], "No such option: -o; did you mean '--out' or '--only'? See 'benchkit plan --help'"),
        (["run", "absent.yaml"], "absent.yaml: no such suite file"),
        (["run", "own-stud.yaml"], "own-stud.yaml: no such suite file; did you mean 'own-study.yaml'?"),
        ([*RUN, "--set", "seed"], "expected KEY=VALUE"),
        ([*RUN, "--only", "algorithm=smv"], "algorithm=smv selects no trial; did you mean 'svm'?"),
        ([*RUN, "--only", "algorithm=xyz"], "algorithm=xyz selects no trial; algorithm is one of"),
        ([*RUN, "--only", "algoritm=lp"], "--only algoritm: unknown field; did you mean 'algorithm'?"),
        ([*RUN, "--executor", "cloud"], "unknown executor 'cloud'"),
        ([*RUN, "--executor-option", "jobs"], "--executor-option jobs: expected KEY=VALUE"),
        ([*RUN, "--executor", "dask", "--executor-option", "schedular=x"], "did you mean 'scheduler'?"),
        ([*RUN, "--tracker", "mlflwo"], "unknown tracker 'mlflwo'; did you mean 'mlflow'?"),
        ([*RUN, "--tracker", "mlflow", "--no-tracking"], "contradict each other: leave out one"),
        ([*RUN, "--out", "/dev/null/x"], "cannot write here"),
        ([*RUN, "-j", "0"], "Invalid value for '-j' / '--jobs': "),
        ([*RUN, "--jbos", "2"], "--jbos; did you mean '--jobs'? See 'benchkit run --help'"),
        ([*RUN, "--xyz"], "No such option: --xyz; see 'benchkit run --help'"),
        ([*RUN, "--add", "svn"], "did you mean 'svm'?"),
        (["run"], "Missing argument 'SUITE'; see 'benchkit run --help'"),
        ([*PLAN, "--set", "seed=1" + "0" * 5000], "not valid YAML"),
        ([*PLAN, "--shard", "\u0661/\u0662"], "expected I/N"),
        (["rnu"], "No such command 'rnu'; did you mean 'run'? See 'benchkit --help'"),
        (["report", "nowhere"], "nowhere: no run here"),
        (["show", "mean_absolute_error"], "did you mean 'mean-absolute-error'?"),
        (["report", ".", "--format", "markdwon"], "unknown format 'markdwon'; did you mean 'markdown'?"),
        (["report", LONG], "File name too long"),
        (["show", "smv"], "did you mean 'svm'?"),
        (["show", "svm", "--plugin", "nope.py"], "nope.py: no such file"),
        (["list", "algorithm"], "did you mean 'algorithms'?"),
        (["list", "--plugin", "s.yaml"], "s.yaml"),
        (["ui"], "no dashboard yet"),
        (["check", "baseline"], "unknown plugin 'baseline'; did you mean 'baselines'?"),
        (["check", "absent.py"], "absent.py: no such file"),
        (["check", "baselines", "--only", "svn"], "did you mean 'svm'?"),
        (["new", "suit", "t.csv"], "No such command 'suit'; did you mean 'suite'? See 'benchkit new --help'"),
        (["new", "plugin", "My Method"], "how about 'my-method'?"),
        (["data", "get", "spambas"], "did you mean 'spambase'?"),
        (["data", "get", "breast"], "breast needs no file"),
        (["data", "get", "spambase", "--from", "/nowhere"], "/nowhere holds neither spambase/spambase.data nor"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else None,
)
def test_mistakes_end_in_one_line_and_exit_code_2(here, tmp_path, arguments, expected):
    for name in ("s.yaml", "own-study.yaml"):
        (tmp_path / name).write_text(SUITE)
    found = here(*arguments, BENCHKIT_DATA="/nowhere/at/all")
    assert (found.returncode, found.stderr.count("\n")) == (2, 1), found.stderr
    assert expected in found.stderr
    assert len(found.stderr) < 600


def test_a_mistake_is_one_line_and_exit_code_2_of_the_process(process):
    """As all those above, which were made in this process."""
    found = process("run", "quikstart")
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr.startswith("benchkit: unknown suite 'quikstart'; did you mean 'quickstart'?")
    assert found.stderr.count("\n") == 1


@pytest.mark.parametrize("by_suite", [False, True])
def test_a_plugin_file_that_is_asked_for_and_broken_ends_the_command(here, tiny, write_suite, write_plugin, by_suite):
    plugin = write_plugin("raise RuntimeError('no licence')")
    options = [] if by_suite else ["--plugin", str(plugin)]
    suite = write_suite({**tiny, "plugins": ["my_plugin.py"] if by_suite else []})
    for command in (["run", suite, "--no-tracking"], ["plan", suite]):
        found = here(*command, *options)
        assert (found.returncode, found.stderr.count("\n")) == (2, 1)
        assert "plugin 'my_plugin': cannot be loaded" in found.stderr
    assert here("list", "algorithms", "--plugin", str(plugin)).returncode == 2


@pytest.mark.parametrize(
    ("texts", "only"),
    [
        (["algorithm=a, b,dataset=x,y"], {"algorithm": ["a", "b"], "dataset": ["x", "y"]}),
        (["algorithm=a", "algorithm=b"], {"algorithm": ["a", "b"]}),
    ],
)
def test_only_takes_several_values_of_a_field(texts, only):
    assert parse_only(texts) == only
    with pytest.raises(RequestError, match="--only a: expected KEY=VALUE"):
        parse_only(["a,algorithm=b"])


REPORTED = {**TINY, "algorithms": [{"name": "svm", "params": {"C": 1}}, "constant"]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return benchkit.run(REPORTED, out=tmp_path_factory.mktemp("runs"), executor="inline", tracking=False).folder


def test_plots(folder, here, tmp_path):
    assert "curve-error-breast-greedy-delete.svg" in here("report", str(folder), "--plots", "p").stdout
    assert (tmp_path / "p" / "curve-error-breast-greedy-delete.png").exists()


@pytest.mark.parametrize(
    ("more", "named"),
    [
        (["--scope", "split"], "unknown scope 'split'"),
        (["--baseline", "smv"], "did you mean 'svm'"),
        (["--format", "csv", "-o", "/dev/null/x"], "cannot write"),
        (["--plots", "/dev/null/x"], "cannot write"),
        (["--plots", "p", "-o", "r.html"], "leave it out, or -o and --format"),
    ],
)
def test_mistakes_in_asking_for_a_report_end_in_one_line(folder, here, more, named):
    found = here("report", str(folder), *more)
    assert (found.returncode, found.stderr.count("\n")) == (2, 1)
    assert named in found.stderr
