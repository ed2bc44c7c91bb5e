"""The stranger's path of docs/results.md: every command of it, on a small suite."""

import re
import shlex
from pathlib import Path

import pytest
import yaml

import benchkit
from benchkit.cli.main import app
from benchkit_results.publish import publish
from benchkit_results.rows import COLUMNS, FURTHER
from benchkit_results.stored import open_stored

PAGE = (Path(__file__).parents[2] / "docs" / "results.md").read_text(encoding="utf-8")
COMMANDS = [line for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()]
(PLUGIN,) = re.findall(r"```python\n# ridge\.py\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def clone(tiny, tmp_path, monkeypatch):
    """A folder as a clone's, with published results of a small suite, which is what others ran."""
    (tmp_path / "quickstart.yaml").write_text(yaml.safe_dump({**tiny, "name": "quickstart"}, sort_keys=False))
    suite = str(tmp_path / "quickstart.yaml")
    results = benchkit.run(suite, out=tmp_path / "elsewhere", executor="inline", tracking=False)
    publish([results.folder], tmp_path / "results")
    (tmp_path / "ridge.py").write_text(PLUGIN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BENCHKIT_RESULTS", "results")
    return tmp_path


def test_a_strangers_path(clone, capsys):
    told = {}
    for command in COMMANDS:
        _, name, *arguments = shlex.split(command)
        if name == "run":
            arguments = ["quickstart.yaml", *arguments[1:], "--executor", "inline", "--no-tracking", "--no-plots"]
        assert app([name, *arguments], standalone_mode=False) in (None, 0), command
        told[name] = " ".join(capsys.readouterr().out.split())
    assert "4 trials run, 0 reused" in told["run"]
    assert "8 published rows beside them" in told["run"]
    assert "Published rows" in told["report"]
    assert "4 rows, 4 with the losses of their test rows" in told["publish"]
    assert len(open_stored(clone / "results").runs) == 2
    assert "1 of 1" in told["verify"]
    assert "does not hold" not in told["verify"]
    assert (clone / "build" / "results" / "method" / "ridge.html").is_file()


def test_every_column_is_documented():
    table = PAGE.partition("| column | meaning |")[2]
    cells = re.findall(r"^\| (.*?) \|", table, re.MULTILINE)
    documented = {name for cell in cells for name in re.findall(r"`(.+?)`", cell)}
    assert documented == {*COLUMNS, *FURTHER, "metrics.NAME"}
