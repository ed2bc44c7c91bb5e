"""The command line as a user meets it; in a process of its own where it is the process that counts."""

import json
import os
import subprocess
import sys

import pytest

from benchkit.cli.declared import KINDS


@pytest.mark.parametrize("arguments", ["--help", "run --help", "list", "--version"])
def test_light_commands_import_nothing_heavy(process, light, arguments):
    """Not even pydantic, by which typer converts what is given."""
    found = process(*arguments.split(), command=light)
    assert (found.returncode, found.stderr) == (0, "[]\n")


def test_run_report_and_again(here, process, write_suite, tiny, tmp_path):
    suite = write_suite(tiny)
    first = process("run", suite, "--no-tracking")
    assert first.returncode == 0, first.stderr
    assert "In the worst case that a search finds (greedy-delete on breast), " in first.stdout
    assert "benchkit report runs/tiny --details" in first.stdout
    assert "error on breast under greedy-delete" not in first.stdout
    assert "8 trials run, 0 reused" in first.stdout
    again = here("run", suite, "--no-tracking", "--details")
    assert "0 trials run, 8 reused" in again.stdout
    rows = json.loads(here("report", "runs/tiny", "--format", "json").stdout)
    assert {row["algorithm"] for row in rows} == {"svm", "constant"}
    for form, start in (("csv", "dataset,"), ("markdown", "# tiny"), ("latex", "% tiny"), ("html", "<!doctype html>")):
        assert here("report", "runs/tiny", "--format", form).stdout.startswith(start)
        here("report", "runs/tiny", "--format", form, "-o", "out")
        assert (tmp_path / "out").read_text().startswith(start)
    plan = here("plan", suite, "--set", "split.repetitions=3")
    assert "12 trials, 8 reused, 4 to run" in plan.stdout
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
