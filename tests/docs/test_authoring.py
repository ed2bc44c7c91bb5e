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


def test_every_kind_of_new_plugin_is_named():
    (listed,) = re.findall(r"The kinds are (.*?);", GUIDE, re.DOTALL)
    assert re.findall(r"`(.+?)`", listed) == list(KINDS)


def test_blocks_are_files_of_the_examples():
    assert [name for name, text in BLOCKS if text != (EXAMPLES / name).read_text()] == []
    assert len(BLOCKS) == 2


@pytest.mark.parametrize(
    ("suite", "plugins", "only", "algorithms"),
    [
        (
            str(EXAMPLES / "mine.yaml"),
            (),
            {"dataset": "breast", "axis_value": "2"},
            {"medians", "votes", "lp", "fdrop", "svm", "constant"},
        ),
        ("quickstart", [EXAMPLES / "medians.py"], {"dataset": "label-copies"}, {"medians"}),
    ],
)
def test_the_suite_of_the_guide_runs_and_its_file_joins_another(tmp_path, suite, plugins, only, algorithms):
    given = {"out": tmp_path, "executor": "inline", "tracking": False}
    results = benchkit.run(suite, plugins=plugins, only={"repetition": "0", **only}, **given)
    assert results.ok
    assert {row["algorithm"] for row in results.records} >= algorithms
