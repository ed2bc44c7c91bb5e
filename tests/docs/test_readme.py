"""The README's commands, files and output are what the program does."""

import re
import shlex
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
COMMANDS = [
    shlex.split(line, comments=True)[1:]
    for chain in re.findall(r"^    (.*)$", README, re.MULTILINE)
    for line in chain.split(" && ")
    if line.startswith("benchkit ")
]
# Smaller, and the same command otherwise: one repetition and one point of the axis, in one process.
SMALLER = ["--executor", "inline", "--no-tracking", "--no-plots", "--only"]
PART = {"quickstart": "repetition=0,dataset=breast,axis_value=1", "bounds": "repetition=0,axis_value=500"}


def test_links_and_pictures_are_there():
    targets = re.findall(r"\]\(([^)]+)\)", README)
    assert len(targets) > 10
    assert [target for target in targets if not (ROOT / target).is_file()] == []


def test_every_command_runs_in_this_order(tmp_path, call_benchkit):
    """As on a machine without data files; two that need a browser and a network are only read."""
    (plugin,) = re.findall(r"```python\n# ridge\.py\n(.*?)```", README, re.DOTALL)
    (tmp_path / "ridge.py").write_text(plugin)
    ran = []
    for command in COMMANDS:
        if command[0] == "ui":
            command = ["ui", "--help"]
        elif command[0] == "run":
            command = [*command, *SMALLER, PART[command[1]]]
        done = call_benchkit(tmp_path, *command, COLUMNS="80")
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        ran.append(done.stdout)
    assert len(ran) == 10
    assert "ridge" in next(shown for command, shown in zip(COMMANDS, ran, strict=True) if "--plugin" in command)
    assert "<html" in (tmp_path / "report.html").read_text()
    assert (tmp_path / "my-method" / "pyproject.toml").is_file()


def test_a_command_that_needs_a_network_names_what_there_is(tmp_path, monkeypatch, call_benchkit):
    """`--from` a folder without the file is the same command up to the download."""
    monkeypatch.delenv("BENCHKIT_DATA", raising=False)
    assert "`benchkit data get spambase`" in README
    done = call_benchkit(tmp_path, "data", "get", "spambase", "--from", str(tmp_path))
    assert "holds neither spambase/spambase.data" in done.stderr


def test_the_output_has_the_headings_of_the_suite():
    """The table that is shown is one of the suite's: its dataset, adversary, algorithms and budgets."""
    from benchkit.suite.load import load

    suite = load("quickstart").suite
    (shown,) = re.findall(r"```text\n(.*?)```", README, re.DOTALL)
    assert re.search(r"digits pair=\[4, 7\] +│.*\n│ under greedy-delete ", shown)
    rows = re.findall(r"^│   (\S+)", shown, re.MULTILINE)
    labels = [entry.display_name for entry in suite.algorithms if entry.datasets is None or "digits" in entry.datasets]
    assert sorted(rows) == sorted(labels)
    (budgets,) = (entry.budgets for entry in suite.adversaries if entry.datasets == ["digits"])
    first, middle, last = budgets[0], budgets[len(budgets) // 2], budgets[-1]
    heads = rf"{first} to {last} │ +at {first} │ +at {middle} │ +at {last} │"
    assert re.search(heads, shown)
    assert max(map(len, shown.splitlines())) <= 80


def test_the_readme_counts_claims_as_the_page_that_it_links_to():
    readme = " ".join(README.split())
    page = (ROOT / "docs" / "REPRODUCTION.md").read_text(encoding="utf-8")
    claims = re.search(r"- (\d+) claims of the papers: (\d+) supported, (\d+) contradicted, (\d+) undecided", page)
    numbers = re.search(r"- \d+ numbers that the papers print: (\d+) consistent with ours, (\d+) not", page)
    assert claims is not None
    assert numbers is not None
    whole, supported, contradicted, undecided = claims.groups()
    assert f"Of {whole} claims of the papers {supported} are supported, {contradicted} contradicted" in readme
    assert f"{undecided} need more repetitions" in readme
    consistent, apart = numbers.groups()
    assert f"{consistent} are consistent with ours and {apart} are not" in readme
