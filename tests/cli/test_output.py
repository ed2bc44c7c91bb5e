"""What is printed where: on a pipe, in a log, without colour, on a full disk; the JSON that docs/json.md lists."""

import io
import json
import pickle
import re
import resource
import sys
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from benchkit.cli import main as command_line
from benchkit.cli.interface.console import json_answer
from tests.cli.conftest import commands


def test_every_command_says_how_to_use_it_and_how_it_ends(here):
    for name in ("", *commands()):
        found = here(*name.split(), "--help", COLUMNS="80")
        assert (found.returncode, "Exit codes: 0 done; 1 some" in " ".join(found.stdout.split())) == (0, True), name


def ended(monkeypatch, call):
    monkeypatch.setattr(command_line, "app", lambda **_: call())
    with pytest.raises(SystemExit) as end:
        command_line.main()
    return end.value.code


def test_a_full_disk_behind_standard_output_and_characters_that_a_terminal_does_not_have(monkeypatch, capfd):
    with open("/dev/full", "w") as full:  # a device that is always full
        monkeypatch.setattr(sys, "stdout", full)
        code = ended(monkeypatch, lambda: print("a" * 100_000, flush=True))
        monkeypatch.undo()
    assert code == 1
    line = capfd.readouterr().err
    assert line.startswith("benchkit: standard output: cannot write: ")
    assert line.count("\n") == 1
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


def test_a_leak_stands_beside_the_answer_of_a_run_and_of_its_report(here, write_suite, tmp_path):
    rows = "".join(f"{row * 7 % 31}.{row},{row % 2},{row % 2}\n" for row in range(60))
    (tmp_path / "own.csv").write_text(f"size,code,ill\n{rows}")
    data = {"name": "csv", "path": "own.csv", "target": "ill"}
    suite = write_suite({"name": "own", "datasets": [data], "algorithms": ["constant"], "split": {"repetitions": 1}})
    run = ("run", suite, "--no-tracking", "--no-plots")
    for words in (run, run, ("report", "runs/own")):  # also where nothing is left to run
        text = " ".join(here(*words).stdout.split())
        assert text.index("column code alone predicts ill") < text.index("constant"), text
    pages = list((tmp_path / "runs" / "own").glob("*/report.html"))
    assert [("column code" in page.read_text()) for page in pages] == [True] * 2


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


def test_a_run_its_report_and_figures(call, tiny, write_suite, tmp_path):
    tiny.update(algorithms=["constant"])
    run = ("run", write_suite(tiny), "--executor", "inline", "--no-tracking", "--no-plots")
    stopped = call(*run, most=20_000)
    assert stopped.returncode == 1, stopped.stderr
    assert "cannot write: File too large; the journal has its 4 records" in stopped.stderr.splitlines()[-1]
    assert "0 trials run, 4 reused" in call(*run).stdout
    written = tmp_path / "out.csv"
    assert_told(call("report", "runs/tiny", "--format", "csv", "-o", "out.csv", most=100))
    assert not written.exists()
    written.write_text("what was there")
    assert_told(call("report", "runs/tiny", "--format", "csv", "-o", "out.csv", most=100))
    assert written.read_text() == "what was there"
    assert not list(tmp_path.glob(".*partial"))
    (tmp_path / "scores.csv").write_text("method,task,score\n" + "".join(f"a,{i},.5\nb,{i},.4\n" for i in range(9)))
    (tmp_path / "plots").mkdir()
    for words in (("report", "runs/tiny", "--plots", "plots"), ("judge", "scores.csv", "-o", "plots/scores.html")):
        done = call(*words, most=3000)
        assert done.returncode in (1, 2)
        assert "cannot write: File too large" in done.stderr
        assert list((tmp_path / "plots").iterdir()) == []


PAGE = (Path(__file__).parents[2] / "docs" / "json.md").read_text(encoding="utf-8")


def type_of(words):
    """The schema of a type as the page writes it."""
    for whole, key in (("list of ", "items"), ("object of ", "additionalProperties")):
        if words.startswith(whole):
            return {"type": "array" if key == "items" else "object", key: type_of(words.removeprefix(whole))}
    if words == "anything":
        return {}
    parts = words.split(" or ")
    return {"anyOf": [{"const": part.strip('"')} if part.startswith('"') else {"type": part} for part in parts]}


def table(text):
    """The schema of the first table of a text."""
    rows = re.findall(r"^\| `(\w+)` \| (.*?)(, not always there)? \|", text, re.MULTILINE)
    return {
        "type": "object",
        "properties": {name: type_of(words) for name, words, _ in rows},
        "required": [name for name, _, absent in rows if not absent],
        "additionalProperties": False,
    }


def answer_schema(command, text):
    """The schema of a command's answer, from its part of the page."""
    rows, _, summary = text.partition("\n`summary`: ")
    some = {"type": "array", "items": {"type": "string"}}
    parts = {"benchkit": {"type": "string"}, "command": {"const": command}, "notes": some}
    parts |= {"rows": {"type": "array", "items": table(rows)}}
    parts |= {"summary": {"type": "object"} if summary.startswith("the rest of what") else table(summary)}
    return {"type": "object", "properties": parts, "required": [*parts], "additionalProperties": False}


ANSWERS = dict(re.findall(r"^## benchkit (.+)\n\n((?:(?!^## ).*\n?)*)", PAGE, re.MULTILINE))
SCHEMA = jsonschema.Draft202012Validator({"anyOf": [answer_schema(*answer) for answer in ANSWERS.items()]})


def refuse(constant):
    raise AssertionError(f"{constant} is no JSON")


def answer_of(found):
    """The answer that was printed, held against the page."""
    assert found.stdout, found.stderr
    answer = json.loads(found.stdout, parse_constant=refuse)
    SCHEMA.validate(answer)
    return answer


@pytest.fixture(scope="module")
def folder(call_benchkit, tmp_path_factory):
    """A run with models that are kept, a table of scores, a model and its rows."""
    folder = tmp_path_factory.mktemp("json")
    suite = """\
name: tiny
datasets: [breast]
algorithms: [lp, constant]
adversaries: [{name: greedy-delete, budgets: [0, 2]}]
metrics: [error]
split: {repetitions: 2, validation: 0.25, test: 0.25}
expect: [{claim: lp does well, algorithm: lp, at: [2], between: [0, 1]}]
"""
    (folder / "tiny.yaml").write_text(suite)
    arguments = ("--no-tracking", "--out", "one", "--executor", "inline", "--keep-models")
    done = call_benchkit(folder, "run", "tiny.yaml", *arguments)
    assert done.returncode == 0, done.stderr
    lines = [f"{method},{task},{score + task / 50}" for method, score in (("a", 0.5), ("b", 0.6)) for task in range(6)]
    (folder / "scores.csv").write_text("\n".join(["method,task,score", *lines]) + "\n")
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = np.where(X[:, 0] > 0, "yes", "no")
    from sklearn.linear_model import LogisticRegression

    (folder / "model.pkl").write_bytes(pickle.dumps(LogisticRegression().fit(X, y)))
    rows = [",".join([*(f"{value:.4f}" for value in row), label]) for row, label in zip(X, y, strict=True)]
    (folder / "rows.csv").write_text("\n".join(["a,b,c,label", *rows]) + "\n")
    return folder


# The arguments of each command, and how it ends.
CALLS = [
    ("list", [], 0),
    ("list", ["datasets"], 0),
    ("list", ["suites"], 0),
    ("show", ["lp"], 0),
    ("show", ["breast"], 0),
    ("show", ["quickstart"], 0),
    ("show", ["baselines"], 0),
    ("show", ["local"], 0),
    ("plan", ["tiny.yaml", "--out", "one"], 0),
    ("plan", ["tiny.yaml", "--out", "none"], 0),
    ("report", ["one/tiny"], 0),
    ("judge", ["scores.csv"], 0),
    ("audit", ["model.pkl", "rows.csv", "--target", "label", "--trust"], 0),
    ("check", ["optuna"], 0),
    ("verify", ["one/tiny", "--trust"], 0),
]


@pytest.mark.parametrize(("command", "arguments", "code"), CALLS, ids=lambda each: str(each))
def test_what_is_printed_is_on_the_page(folder, call_benchkit, command, arguments, code):
    found = call_benchkit(folder, *command.split(), *arguments, "--json")
    answer = answer_of(found)
    assert answer["command"] == command
    assert answer["rows"], "an answer without rows shows nothing"
    assert code is None or found.returncode == code


def test_the_answer_says_what_the_text_says(folder, call_benchkit):
    answer = answer_of(call_benchkit(folder, "report", "one/tiny", "--json"))
    text = call_benchkit(folder, "report", "one/tiny", COLUMNS="400").stdout
    assert answer["summary"]["answers"]
    assert all(sentence in text for sentence in answer["summary"]["answers"])
    assert answer["summary"]["statuses"] == {"ok": 8}
    assert answer["summary"]["claims"] == [{"suite": "tiny", "claim": "lp does well", "outcome": "undecided"}]
    rows = json.loads(call_benchkit(folder, "report", "one/tiny", "--format", "json").stdout)
    assert [{"suite": "tiny", **row} for row in rows] == answer["rows"]
    call_benchkit(folder, "report", "one/tiny", "--json", "-o", "answer.json")
    assert json.loads((folder / "answer.json").read_text()) == answer


@pytest.mark.parametrize("other", [["--format", "csv"], ["--plots", "p"]])
def test_what_is_no_json_is_not_asked_for_beside_it(folder, call_benchkit, other):
    found = call_benchkit(folder, "report", "one/tiny", "--json", *other)
    assert found.returncode == 2
    assert other[0] in found.stderr
    assert found.stderr.strip().endswith("leave out one")
    assert found.stdout == ""


def test_numbers_that_json_does_not_have():
    rows = [{"a": np.float64("nan"), "b": np.arange(2), "c": float("inf"), "d": {3: np.int64(4)}}]
    assert json.loads(json_answer("list", rows))["rows"] == [{"a": None, "b": [0, 1], "c": None, "d": {"3": 4}}]
