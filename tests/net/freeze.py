"""What must not change while code moves, as files: ``python tests/net/freeze.py [PART ...]`` writes them anew.

commands : exit codes, and what ``--json`` prints, of commands on a small suite and on mistakes.
judged : what `benchkit judge` says of three public tables.
tables : means and verdicts of three published suites, as `benchkit report` makes them from rows.
joins : of these suites and profiles, how many trials of each method a published row answers.

Whoever writes them anew says in CHANGELOG.md what changed, and why that was meant.
"""

from __future__ import annotations

import io
import json
import math
import os
import re
import sys
import tempfile
import warnings
from collections import Counter
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

EXPECTED = Path(__file__).with_name("expected")
ROOT = Path(__file__).parents[2]
TABLES = {
    "amlb": ["amlb-2019-binary.csv", "--higher-is-better", "--by", "ranks"],
    "demsar": ["demsar-2006.csv", "--higher-is-better"],
    "digits": ["digits-items.csv", "--higher-is-better", "--within", "0.02"],
}
PUBLISHED = {"quickstart": None, "dsx10-fig2": "paper", "roofs-table2": "paper"}

# What differs from run to run, or from machine to machine.
VOLATILE = """
    benchkit seconds waited cpu_seconds fit_seconds tune_seconds load_seconds peak_mb origins folder run path file size
    found_in searched ran started command text version against
""".split()

SUITE = """\
name: small
datasets: [{name: breast, preprocess: [standardize]}]
split: {repetitions: 4, train: 0.5, validation: 0.25, test: 0.25}
algorithms: [constant, logistic-regression, {name: svm, params: {C: 0.1}}]
adversaries: [{name: random-delete, budgets: [0, 4]}]
metrics: [error, accuracy]
seed: 3
expect:
  - {claim: an SVM beats the constant, order: [svm, constant], at: [0]}
"""

COMMANDS = {
    "list": ["list", "algorithms", "--json"],
    "list suites": ["list", "suites", "--json"],
    "show": ["show", "lp", "--json"],
    "plan": ["plan", "small.yaml", "--json"],
    "run": ["run", "small.yaml", "--executor", "inline", "--no-tracking"],
    "run again": ["run", "small.yaml", "--executor", "inline", "--no-tracking"],
    "report": ["report", "runs/small", "--json"],
    "no such suite": ["run", "smal.yaml"],
    "no such method": ["run", "wrong.yaml"],
    "no such option": ["run", "small.yaml", "--no-such-option"],
    "no such run": ["report", "runs/none"],
    "a trial fails": ["run", "failing.yaml", "--executor", "inline", "--no-tracking"],
}


def commands() -> dict[str, Any]:
    """Exit codes and answers of commands in an empty folder."""
    answers: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        Path("small.yaml").write_text(SUITE)
        Path("wrong.yaml").write_text(SUITE.replace("svm, params", "smv, params"))
        failing = SUITE.replace("{C: 0.1}", "{C: -1}").replace("name: small", "name: failing")
        Path("failing.yaml").write_text(failing.replace("repetitions: 4", "repetitions: 1"))
        for name, words in COMMANDS.items():
            code, printed = _call(words)
            answer = json.loads(printed) if "--json" in words and printed.strip() else None
            answers[name] = {"exit": code, "answer": steady(answer)}
    return answers


def judged() -> dict[str, Any]:
    """What is said of public tables."""
    answers = {}
    for name, (table, *options) in TABLES.items():
        _, printed = _call(["judge", str(ROOT / "docs/judged" / table), *options, "--json"])
        answers[name] = steady(json.loads(printed))
    return answers


def tables() -> dict[str, Any]:
    """Points and verdicts of published suites."""
    from benchkit.suite.load import load
    from benchkit_results.join import published_results
    from benchkit_results.stored import open_stored

    answers: dict[str, Any] = {}
    stored = open_stored(ROOT / "results")
    for name, profile in PUBLISHED.items():
        results = published_results(stored, name, profile or "default")
        results = replace(results, expectations=load(name, profile).suite.expect)
        answers[name] = {
            "points": [
                [point.dataset, point.algorithm, point.adversary, point.axis_value, point.n, point.mean]
                for point in results.points()
                if point.metric == results.metrics[0]
            ],
            "verdicts": [[verdict.claim, verdict.outcome] for verdict in results.verdicts()],
        }
    return steady(answers)


def joins() -> dict[str, Any]:
    """How many trials of these suites and profiles published rows answer."""
    from benchkit.session.plan import Request, plan_suites

    counts = {}
    for name, profile in PUBLISHED.items():
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _, (plan,) = plan_suites(Request(name, profile, out=folder, against=ROOT / "results"))
        methods = Counter(trial.algorithm.label for trial in plan.answered.values())
        trials = len(plan.trials) + len(plan.answered)
        counts[f"{name} {profile}"] = {"trials": trials, "joined": dict(sorted(methods.items()))}
    return counts


def steady(value: Any) -> Any:
    """A value without what differs from run to run; no infinite numbers."""
    if isinstance(value, dict):
        return {str(key): steady(each) for key, each in value.items() if key not in VOLATILE}
    if isinstance(value, list | tuple):
        return [steady(each) for each in value if not _is_a_time(each)]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value


def _is_a_time(row: Any) -> bool:
    return isinstance(row, dict) and str(row.get("metric", "")).endswith(("seconds", "_mb", "_of_probe"))


def _call(words: list[str]) -> tuple[int, str]:
    """A command's exit code and output, called in this process."""
    from benchkit.cli.main import main

    printed = io.StringIO()
    with (
        mock.patch.object(sys, "argv", ["benchkit", *words]),
        mock.patch.dict(os.environ, {"COLUMNS": "100", "BENCHKIT_DATA": "no-such-folder"}),
        redirect_stdout(printed),
        redirect_stderr(io.StringIO()),
    ):
        try:
            main()
        except SystemExit as ended:
            return int(ended.code or 0), printed.getvalue()
    return 0, printed.getvalue()


PARTS = {"commands": commands, "judged": judged, "tables": tables, "joins": joins}


if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        text = json.dumps(PARTS[part](), indent=1, ensure_ascii=False, sort_keys=True)
        text = re.sub(r"\[\s+([^][{}]*?)\s+\]", lambda row: "[" + " ".join(row[1].split()) + "]", text)  # a line a row
        (EXPECTED / f"{part}.json").write_text(text + "\n", encoding="utf-8")
        print(f"{part}: {len(text):,} bytes")
