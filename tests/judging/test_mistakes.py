"""Tables that cannot be judged end in one line that says what, where, and what to do."""

import math

import numpy as np
import pandas as pd
import pytest

import benchkit
from benchkit import TableError


def good():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {"model": ["a", "b"] * 8, "task": np.repeat([f"t{each}" for each in range(8)], 2), "score": rng.random(16)}
    )


def broken(change):
    table = good()
    change(table)
    return table


def text_in_scores(table):
    table["score"] = table["score"].astype(object)
    table.loc[3, "score"] = "n/a (failed)"


@pytest.mark.parametrize(
    ("table", "options", "expected"),
    [
        (pd.DataFrame(), {}, "the table is empty"),
        (good().iloc[:0], {}, "the table is empty"),
        (good(), {"score": "accuracy"}, "no column 'accuracy'; it has model, task, score"),
        (
            good().rename(columns={"model": "who"}),
            {"wide": False},
            "which column holds the method? name it with --method",
        ),
        (good().rename(columns={"score": "zeal"}), {"score": "zeal"}, "is more zeal better? say --higher-is-better"),
        (broken(text_in_scores), {}, "row 4, score: 'n/a (failed)' is no number; leave a missing score empty"),
        (broken(lambda t: t.__setitem__("score", math.inf)), {}, "row 1, score: infinite"),
        (pd.concat([good(), good().iloc[:1]]), {}, "1 cells are there twice, first method a, task t0 (row 17)"),
        (good().drop(columns="task"), {}, "14 cells are there twice, first method a (row 3); name the column"),
        (good().query("model == 'a'"), {}, "one method only, a; a comparison needs two or more"),
        (good().iloc[:2], {}, "one task only that all methods have"),
        (
            good().iloc[:2].drop(columns="task"),
            {},
            "every method has one score: nothing tells how much of it is chance",
        ),
        (broken(lambda t: t.loc.__setitem__((5, "model"), None)), {}, "row 6 has no method; fill it in"),
        (good().query("(model == 'a') == (task < 't4')"), {}, "share no cell"),
        (good(), {"unit": "item"}, "--unit item: the table has no items; name their column with --item"),
        (good(), {"unit": "items"}, "--unit items: expected item, task, seed"),
        (good(), {"by": "median"}, "--by median: expected mean, ranks, wilcoxon"),
        (good(), {"within": -1}, "--within -1: expected a number above 0"),
        (good(), {"level": 5}, "--level 5: expected a number between"),
        (good(), {"by": "wilcoxon", "within": 0.1}, "--within needs intervals"),
        (good().assign(score=-1.0), {"timings": True}, "row 1, score: -1 is no time"),
        (good().rename(columns={"model": "x", "task": "y"}), {}, "are its rows methods or tasks?"),
        (good().rename(columns={"score": "model"}), {}, "two columns are named 'model'"),
        (good().pivot(index="task", columns="model", values="score").reset_index(), {}, "are higher numbers better?"),
    ],
)
def test_one_line_each(table, options, expected):
    with pytest.raises(TableError) as raised:
        benchkit.judge(table, **options)
    assert expected in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("x.csv", "", "the file is empty"),
        ("x.csv", 'a,b\n"1,2\n3', "cannot be read as csv"),
        ("x.parquet", "no parquet", "cannot be read as parquet"),
        ("x.jsonl", '{"a": 1}\n{', "cannot be read as jsonl"),
        ("x.json", "{", "cannot be read as JSON"),
        ("x.json", '{"a": 1}', "what wrote this? say --format lm-eval|inspect_ai"),
        ("x.xlsx", "", "what file is this? a table ends in .csv"),
        ("x.eval", "no archive", "no log of inspect_ai"),
    ],
)
def test_files(tmp_path, name, content, expected):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(TableError) as raised:
        benchkit.judge(path)
    assert expected in str(raised.value)
    assert str(path) in str(raised.value)
    assert "\n" not in str(raised.value)


def test_text_in_a_wide_table_leaves_no_method_out():
    """As in the files of the AutoML benchmark, which write how many folds failed behind a mean."""
    wide = good().pivot(index="task", columns="model", values="score").reset_index().astype({"a": object})
    wide.loc[2, "a"] = "0.855831 (1)"
    with pytest.raises(TableError, match=r"row 3, a: '0.855831 \(1\)' is no number"):
        benchkit.judge(wide, higher_is_better=True)


def test_an_index_that_was_written_is_no_method(tmp_path):
    wide = good().pivot(index="task", columns="model", values="score").reset_index()
    wide.to_csv(tmp_path / "wide.csv")
    assert set(benchkit.judge(tmp_path / "wide.csv", higher_is_better=True).methods) == {"a", "b"}


def test_no_file_and_an_empty_folder(tmp_path):
    with pytest.raises(TableError, match="no such file"):
        benchkit.judge(tmp_path / "absent.csv")
    with pytest.raises(TableError, match="no result files of lm-eval"):
        benchkit.judge(tmp_path)
    with pytest.raises(TableError, match="unknown format 'mteb'; there are table, lm-eval"):
        benchkit.judge(tmp_path, format="mteb")


def test_an_item_in_two_clusters():
    table = good().rename(columns={"task": "item"}).assign(cluster=range(16))
    with pytest.raises(TableError, match="belongs to several clusters"):
        benchkit.judge(table)
