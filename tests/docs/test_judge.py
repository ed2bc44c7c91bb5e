"""The page on judged tables: its outputs are what its commands print."""

import re
import shlex
from pathlib import Path

import judge_rivals
import pytest

from benchkit.statistics.ranking import critical_difference, rank_algorithms

DOCS = Path(__file__).parents[2] / "docs"
TEXT = (DOCS / "judge.md").read_text()
SHOWN = re.findall(r"^    benchkit (judge [^\n]*)\n\n```text\n(.*?)```", TEXT, re.MULTILINE | re.DOTALL)


def lines(text):
    return [line.rstrip() for line in text.splitlines() if line.strip()]


@pytest.mark.parametrize(("command", "output"), SHOWN, ids=[command.split()[1] for command, _ in SHOWN])
def test_outputs_are_what_is_printed(command, output, monkeypatch, call_benchkit):
    done = call_benchkit(DOCS, *shlex.split(command), COLUMNS="100")
    assert done.returncode == 0, done.stderr
    assert len(SHOWN) == 2
    printed = lines(done.stdout)
    assert len(lines(output)) > 10
    assert [line for line in lines(output) if line not in printed] == []


def test_what_is_said_of_nemenyis_test():
    import pandas as pd

    table = pd.read_csv(DOCS / "judged" / "demsar-2006.csv", index_col=0)
    ranking = rank_algorithms(table.to_dict("index"), greater_is_better=True)
    assert max(ranking.ranks) - min(ranking.ranks) < critical_difference(4, 14)
    # As in the paper, but for one tie, of two areas that differ in digits that its table does not show.
    assert ranking.ranks == pytest.approx([1.964, 2.0, 2.893, 3.143], abs=0.5 / 14 + 0.001)


def test_the_tables_beside_other_tools_are_what_the_kept_figures_give():
    shown = TEXT.split(judge_rivals.BEGIN)[1].split(judge_rivals.END)[0]
    figures = judge_rivals.kept()
    assert shown.strip() == judge_rivals.written(figures).strip()
    for case in judge_rivals.TABLES:
        pairs = judge_rivals.judged_pairs(judge_rivals.read_table(case), case)
        assert str(len(pairs)) == figures[case, "benchkit"]["apart"]
    assert {figure.get("opposite", "0") for figure in figures.values()} == {"0"}
