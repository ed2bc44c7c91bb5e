"""The README's own example does what it says."""

import re
from pathlib import Path

import benchkit

README = (Path(__file__).parents[2] / "README.md").read_text()


def blocks(language):
    """Code blocks of a language by the file name in their first line."""
    found = re.findall(rf"```{language}\n# (\S+)\n(.*?)```", README, re.DOTALL)
    return dict(found)


def test_the_plugin_of_the_readme_runs(tmp_path):
    for name, text in {**blocks("python"), **blocks("yaml")}.items():
        (tmp_path / name).write_text(text)
    results = benchkit.run(
        str(tmp_path / "mine.yaml"), out=tmp_path / "runs", executor="inline", tracking=False, only={"repetition": "0"}
    )
    assert results.ok
    assert {row["algorithm"] for row in results.records} == {"ridge", "lp"}


def test_the_plugin_is_as_short_as_promised():
    assert len(blocks("python")["ridge.py"].strip().splitlines()) <= 15
