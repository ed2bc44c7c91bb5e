"""Whatever is written on the command line, a mistake ends in one line and exit code 2."""

import pytest

import benchkit
from benchkit.cli.interface.options import parse_only
from benchkit.suite.source import SuiteError
from tests.conftest import TINY

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
        (["report", ".", "--format", "markdwon"], "unknown format 'markdwon'; did you mean 'markdown'?"),
        (["report", LONG], "File name too long"),
        (["show", "smv"], "did you mean 'svm'?"),
        (["show", "svm", "--plugin", "nope.py"], "no such plugin file: nope.py"),
        (["list", "algorithm"], "did you mean 'algorithms'?"),
        (["list", "--plugin", "s.yaml"], "s.yaml"),
        (["ui"], "no dashboard yet"),
        (["check", "baseline"], "unknown plugin 'baseline'; did you mean 'baselines'?"),
        (["check", "absent.py"], "no such plugin file: absent.py"),
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
        (["algorithm=a,b"], {"algorithm": ["a", "b"]}),
        (["algorithm=a, b,dataset=x,y"], {"algorithm": ["a", "b"], "dataset": ["x", "y"]}),
        (["algorithm=a", "algorithm=b"], {"algorithm": ["a", "b"]}),
        (["algorithm=a,algorithm=b"], {"algorithm": ["a", "b"]}),
    ],
)
def test_only_takes_several_values_of_a_field(texts, only):
    assert parse_only(texts) == only
    with pytest.raises(SuiteError, match="--only a: expected KEY=VALUE"):
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
    ],
)
def test_mistakes_in_asking_for_a_report_end_in_one_line(folder, here, more, named):
    found = here("report", str(folder), *more)
    assert (found.returncode, found.stderr.count("\n")) == (2, 1)
    assert named in found.stderr
