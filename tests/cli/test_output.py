"""What is printed where: on a pipe, in a log, without colour, on a full disk (a limit on the size of files)."""

import io
import resource
import sys

import pytest

from benchkit.cli import main as command_line
from tests.cli.conftest import commands


@pytest.mark.parametrize("name", ["", *(name for name, _ in commands())])
def test_help_tells_exit_codes(here, name):
    found = here(*name.split(), "--help", COLUMNS="80")
    assert found.returncode == 0
    text = " ".join(found.stdout.split())
    assert "Exit codes: 0 done; 1 some trials or checks failed; 2 wrong input" in text
    if name in command_line.OWN_COMMANDS:
        _, _, summary = command_line.OWN_COMMANDS[name]
        assert summary.split(":")[0].split(";")[0].rstrip(".") in text, "the list of commands says something else"


def ended(monkeypatch, call):
    monkeypatch.setattr(command_line, "app", lambda **_: call())
    with pytest.raises(SystemExit) as end:
        command_line.main()
    return end.value.code


def test_a_full_disk_behind_standard_output(monkeypatch, capfd):
    with open("/dev/full", "w") as full:  # a device that is always full
        monkeypatch.setattr(sys, "stdout", full)
        code = ended(monkeypatch, lambda: print("a" * 100_000, flush=True))
        monkeypatch.undo()
    assert code == 1
    line = capfd.readouterr().err
    assert line.startswith("benchkit: standard output: cannot write: ")
    assert line.count("\n") == 1


def test_characters_that_a_terminal_does_not_have(monkeypatch):
    bytes_ = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(bytes_, encoding="ascii"))
    assert not ended(monkeypatch, lambda: print("0.1 \xb1 0.2"))
    assert bytes_.getvalue() == b"0.1 ? 0.2\n"


@pytest.fixture
def call(here, monkeypatch):
    """Run benchkit where no file may become larger than so many bytes."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # what is imported now would be kept in part

    def run(*words, most=resource.RLIM_INFINITY):
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
        try:
            return here(*words)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)

    return run


def assert_told(done):
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
    assert "cannot write: File too large" in done.stderr
    assert "kept" in done.stderr


@pytest.mark.parametrize(
    ("words", "made"), [(("suite", "table.csv", "--target", "y"), "table.yaml"), (("plugin", "my-own"), "my-own")]
)
def test_new(call, tmp_path, words, made):
    (tmp_path / "table.csv").write_text("a,b,y\n" + "".join(f"{i},{i % 7},{i % 2}\n" for i in range(40)))
    before = set(tmp_path.iterdir())
    assert_told(call("new", *words, most=100))
    assert set(tmp_path.iterdir()) == before
    assert call("new", *words).returncode == 0
    assert (tmp_path / made).exists()


def test_a_run_warns_once_of_a_leak_and_its_report_again(here, write_suite, tmp_path):
    rows = "".join(f"{row * 7 % 31}.{row},{row % 2},{row % 2}\n" for row in range(60))
    (tmp_path / "own.csv").write_text(f"size,code,ill\n{rows}")
    data = {"name": "csv", "path": "own.csv", "target": "ill"}
    suite = write_suite({"name": "own", "datasets": [data], "algorithms": ["constant"], "split": {"repetitions": 1}})
    for words in (("run", suite, "--no-tracking", "--no-plots"), ("report", "runs/own")):
        ended = here(*words)
        text = " ".join((ended.stderr + ended.stdout).split())
        assert text.count("column code alone predicts ill") == 1, text


def test_methods_of_a_file_that_take_no_part_are_named(here, tiny, write_suite, write_plugin):
    file = write_plugin(METHOD_AND_METRIC)
    for named, warned in (
        ({"metrics": ["mine"]}, True),
        ({"metrics": ["mine"], "algorithms": ["own"]}, False),
        ({}, False),
    ):
        ended = here("plan", write_suite(tiny | named), "--plugin", file)
        assert ("--add own" in ended.stderr) == warned


METHOD_AND_METRIC = """
from benchkit import Algorithm, Metric, hookimpl


@hookimpl
def benchkit_algorithms():
    return [Algorithm(name="own", make="sklearn.dummy:DummyClassifier")]


@hookimpl
def benchkit_metrics():
    return [Metric(name="mine", compute=lambda context: 0.0, summary="Nothing")]
"""


def test_a_run_and_its_report(call, tiny, write_suite, tmp_path):
    tiny.update(algorithms=["constant"], adversaries=[])
    run = ("run", write_suite(tiny), "--executor", "inline", "--no-tracking", "--no-plots")
    stopped = call(*run, most=20_000)
    assert stopped.returncode == 1, stopped.stderr
    assert "cannot write: File too large; the journal has its 2 records" in stopped.stderr.splitlines()[-1]
    assert "0 trials run, 2 reused" in call(*run).stdout
    written = tmp_path / "out.csv"
    assert_told(call("report", "runs/tiny", "--format", "csv", "-o", "out.csv", most=100))
    assert not written.exists()
    written.write_text("what was there")
    assert_told(call("report", "runs/tiny", "--format", "csv", "-o", "out.csv", most=100))
    assert written.read_text() == "what was there"
    assert not list(tmp_path.glob(".*partial"))


def test_figures(call, tiny, write_suite, tmp_path):
    tiny.update(algorithms=["constant"])
    assert call("run", write_suite(tiny), "--executor", "inline", "--no-tracking", "--no-plots").returncode == 0
    (tmp_path / "scores.csv").write_text("method,task,score\n" + "".join(f"a,{i},.5\nb,{i},.4\n" for i in range(9)))
    (tmp_path / "plots").mkdir()
    for words in (("report", "runs/tiny", "--plots", "plots"), ("judge", "scores.csv", "-o", "plots/scores.html")):
        done = call(*words, most=3000)
        assert done.returncode in (1, 2)
        assert "cannot write: File too large" in done.stderr
        assert list((tmp_path / "plots").iterdir()) == []
