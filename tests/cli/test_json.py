"""Every command that reads prints the JSON that docs/json.md lists."""

import json
import pickle
import re
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from benchkit.cli.interface.console import json_answer
from tests.cli.conftest import commands

# Whatever starts, changes or shows something else than its answer.
OTHERS = {
    *("run", "merge", "sync", "ui", "publish", "site"),
    *("data get", "env build", "new suite", "new plugin"),
}
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
    generator = np.random.default_rng(0)
    X = generator.normal(size=(60, 3))
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


def test_every_command_either_reads_or_is_known_to_do_something_else():
    single = {name: command for name, command in commands() if not hasattr(command, "commands")}
    takes = {name for name, command in single.items() if any("--json" in each.opts for each in command.params)}
    assert takes == set(ANSWERS) == {command for command, _, _ in CALLS}
    assert single.keys() - takes == OTHERS


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
