"""The code of the authoring guide is the code of the examples, and runs."""

import re
from pathlib import Path

import pytest

import benchkit
from benchkit.scaffold.write import KINDS

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
GUIDE = (ROOT / "docs" / "authoring.md").read_text()
BLOCKS = re.findall(r"```(?:python|yaml|toml)\n# (\S+)\n(.*?)```", GUIDE, re.DOTALL)


def test_the_guide_shows_something():
    assert len(BLOCKS) == 2


def test_every_kind_of_new_plugin_is_named():
    (listed,) = re.findall(r"The kinds are (.*?);", GUIDE, re.DOTALL)
    assert re.findall(r"`(.+?)`", listed) == list(KINDS)


@pytest.mark.parametrize(("name", "text"), BLOCKS, ids=[name for name, _ in BLOCKS])
def test_a_block_is_a_file_of_the_examples(name, text):
    assert text == (EXAMPLES / name).read_text()


def test_the_suite_of_the_guide_runs(tmp_path):
    results = benchkit.run(
        str(EXAMPLES / "mine.yaml"),
        out=tmp_path,
        executor="inline",
        tracking=False,
        only={"repetition": "0", "dataset": "breast", "axis_value": "2"},
    )
    assert results.ok
    assert {row["algorithm"] for row in results.records} == {"medians", "votes", "lp", "fdrop", "svm", "constant"}


def test_the_file_of_the_guide_joins_the_quickstart_suite(tmp_path):
    results = benchkit.run(
        "quickstart",
        plugins=[EXAMPLES / "medians.py"],
        out=tmp_path,
        executor="inline",
        tracking=False,
        only={"repetition": "0", "dataset": "label-copies"},
    )
    assert results.ok
    assert "medians" in {row["algorithm"] for row in results.records}


def test_the_declaration_is_as_short_as_promised():
    lines = (EXAMPLES / "medians.py").read_text().rstrip().splitlines()
    assert lines[-3] == "@hookimpl"
