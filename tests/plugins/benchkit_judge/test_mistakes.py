"""Tables that cannot be judged end in one line that says what, where, and what to do."""

import json
import math
import re

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
        (
            good().rename(columns={"model": "x", "task": "y"}),
            {},
            "which column is what? name that of the methods with --method",
        ),
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
        ("x.xlsx", "PK\x03\x04", "a spreadsheet or an archive; save its table as csv"),
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


ROWS = [(name, f"t{place}", f"{0.5 + 0.01 * place + 0.1 * (name == 'b'):.2f}") for place in range(8) for name in "ab"]


def as_csv(rows=ROWS, head="model,task,score"):
    return "\n".join([head, *(",".join(row) for row in rows)]) + "\n"


def with_score(text, row=3):
    return as_csv([(a, b, text if place == row else c) for place, (a, b, c) in enumerate(ROWS)])


def as_lines(make):
    return "".join(json.dumps(make(*row)) + "\n" for row in ROWS)


MALFORMED = {
    "blank lines.csv": ("\n\n\n", "the file is empty"),
    "a head alone.csv": ("model,task,score\n", "the table is empty: it has no rows"),
    "no head.csv": (as_csv()[len("model,task,score\n") :], "its first line holds numbers; begin it with a line of"),
    "one method.csv": (as_csv(ROWS[::2]), "one method only, a"),
    "one task.csv": (as_csv(ROWS[:2]), "one task.csv: one task only that all methods have"),
    "a cell twice.csv": (as_csv([*ROWS, ROWS[0]]), "1 cells are there twice, first method a, task t0 (row 17)"),
    "every score empty.csv": (as_csv([(a, b, "") for a, b, _ in ROWS]), "every score is empty"),
    "a method without scores.csv": (
        as_csv([(a, b, c if a == "b" else "nan") for a, b, c in ROWS]),
        "a (0 scores) and b (8 scores) share no cell",
    ),
    "text.csv": (with_score("good"), "row 4, score: 'good' is no number; leave a missing score empty"),
    "per cent.csv": (with_score("50.00%"), "'50.00%' is in per cent and '0.50' is not; write all scores alike"),
    "yes and no.csv": (with_score("True"), "row 4, score: 'True' is no number"),
    "infinite.csv": (with_score("-inf"), "row 4, score: infinite; leave a score that is not there empty"),
    "huge.csv": (with_score("1e308"), "row 4, score: 1e+308 is too large to be compared"),
    "a long cell.csv": (with_score("x" * 100_000), "row 4, score: 'xxxx"),
    "a long name.csv": (
        as_csv([("m" * 9000 if a == "a" else a, b, c) for a, b, c in ROWS]),
        "a method's name has 9,000 characters; which column holds the method?",
    ),
    "a blank name.csv": (as_csv([*ROWS[:-1], (" ", "t7", "0.5")]), "row 16 has no method; fill it in"),
    "UTF-16.csv": (as_csv().encode("utf-16"), "it is text in UTF-16; save it as UTF-8"),
    "Latin-1.csv": (
        as_csv([(a.replace("a", "modèle"), b, c) for a, b, c in ROWS]).encode("latin-1"),
        "it is not written in UTF-8 (byte 21 is 0xe8); save it as UTF-8",
    ),
    "near names.csv": (as_csv(head="modle,tsk,scores"), "is it --method modle --task tsk --score scores? it has modle"),
    "a column twice.csv": (as_csv(head="model,score,score"), "two columns are named 'score'; rename one"),
    "wide with text.csv": ("method,t1,t2\na,x,y\nb,z,w\n", "no column holds numbers alone"),
    "a long row.csv": (as_csv() + "a,t9,0.1,0.4,7\n", "line 18 has 5 cells, the first has 3"),
    "a short row.csv": (as_csv() + "a\n", "row 17 has no task; fill it in"),
    "an open quote.csv": (as_csv() + '"a,t9,0.1\n', "a quotation mark that opens in row 17 is never closed"),
    "a web page.csv": ("<!DOCTYPE html><html></html>", "it is a web page; fetch the table itself"),
    "a spreadsheet.csv": (b"PK\x03\x04" + bytes(60), "it is a spreadsheet or an archive; save its table as csv"),
    "a pointer.csv": ("version https://git-lfs.github.com/spec/v1\noid\n", "'git lfs pull' fetches the file"),
    "bytes.csv": (b"a,b\n\0\1\2\n", "it is no text, but bytes of something else"),
    "not compressed.csv.gz": (as_csv(), "Not a gzipped file"),
    "nested scores.jsonl": (
        as_lines(lambda a, b, c: {"model": a, "task": b, "score": {"acc": c}}),
        "row 1, score: a list or an object, no number",
    ),
    "nested names.jsonl": (
        as_lines(lambda a, b, c: {"model": a, "task": {"name": b}, "score": c}),
        "row 1: task is a list or an object, not a name",
    ),
    "lists.jsonl": (as_lines(lambda *row: row), "expected a list of objects, or one object a line"),
    "cut off.jsonl": (
        as_lines(lambda a, b, c: {"model": a, "task": b, "score": c})[:-9],
        "line 16 is no JSON",
    ),
    "columns.json": (json.dumps({"model": ["a"], "score": [1]}), "a table in JSON is a list of objects"),
    "cut off.parquet": (b"PAR1" + bytes(100), "it is no parquet file, or is cut off"),
    "a negative time.csv": (with_score("-1").replace("score", "seconds"), "row 4, seconds: -1 is no time"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_tables(tmp_path, name):
    content, expected = MALFORMED[name]
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(TableError) as raised:
        benchkit.judge(path)
    assert expected in str(raised.value)
    assert str(raised.value).startswith((f"{path}: ", f"{name}: "))
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 300 + len(str(path))


def test_a_mark_of_byte_order_and_blanks_around_names_do_no_harm(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text(as_csv([(f"{a} ", b, c) for a, b, c in ROWS]), encoding="utf-8-sig")
    judged = benchkit.judge(path)
    assert judged.methods == ("b", "a")
    assert "blanks around names are left out (method)" in judged.told


def test_nothing_is_asked_of_a_column_that_is_left_out(tmp_path):
    lines = ["method;task;score;size", *(f"{m};{t};0,{m}{t};1.49{t}" for m in (1, 2) for t in range(4))]
    (tmp_path / "s.csv").write_text("\n".join(lines))
    with pytest.raises(TableError, match="'size'"):
        benchkit.judge(tmp_path / "s.csv", higher_is_better=True)
    judged = benchkit.judge(tmp_path / "s.csv", higher_is_better=True, drop=["si*"])
    assert sorted(judged.means) == pytest.approx([0.115, 0.215])
    with pytest.raises(TableError, match="--drop sizes"):
        benchkit.judge(tmp_path / "s.csv", method="method", higher_is_better=True, decimal=",", drop=["sizes"])


def test_decimal_commas_are_read_where_nothing_else_is_possible(tmp_path):
    (tmp_path / "points.csv").write_text(as_csv())
    (tmp_path / "commas.tsv").write_text(as_csv().replace(",", "\t").replace(".", ","))
    points, commas = (benchkit.judge(tmp_path / name) for name in ("points.csv", "commas.tsv"))
    np.testing.assert_array_equal(points.means, commas.means)


def test_a_column_that_is_misspelt_is_asked_for():
    with pytest.raises(TableError, match=r"no column 'scroe'; is it score\? it has model, task, score"):
        benchkit.judge(good(), score="scroe")


def test_a_malformed_table_ends_the_command_with_2_and_one_line(tmp_path, call_benchkit):
    path = tmp_path / "x.csv"
    path.write_text(with_score("good"))
    ended = call_benchkit(tmp_path, "judge", "x.csv")
    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1


def wide_table(**further):
    """Three models on eight tasks, and columns that are no scores."""
    rng = np.random.default_rng(0)
    scores = {f"t{place}": rng.random(3).round(3) for place in range(8)}
    return pd.DataFrame({"model": ["a", "b", "c"], **scores, **further})


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("n_samples", [400, 500, 600]),
        ("a_std", [0.01, 0.02, 0.03]),
        ("mean_fit_time", [0.1, 0.2, 0.3]),
        ("rank_test_score", [1, 2, 3]),
        ("split0_train_score", [0.9, 0.8, 0.7]),
        ("param_C", [0.1, 1.0, 0.5]),
        ("mean_test_score", [0.5, 0.6, 0.7]),
        ("#Params (B)", [0.5, 0.7, 0.9]),
        ("layers", [3, 4, 5]),
        ("merged", [True, False, True]),
        ("hub likes", [120.5, 14.1, 3.2]),
    ],
)
def test_columns_that_look_like_no_scores_are_asked_for(name, values):
    """They were averaged in."""
    plain = benchkit.judge(wide_table(), higher_is_better=True)
    with pytest.raises(TableError, match="which columns are scores") as raised:
        benchkit.judge(wide_table(**{name: values}), higher_is_better=True)
    assert name in str(raised.value)
    assert "--drop" in str(raised.value)
    for answer in ({"drop": [name]}, {"columns": ["t*"]}):
        judged = benchkit.judge(wide_table(**{name: values}), higher_is_better=True, **answer)
        np.testing.assert_allclose(judged.means, plain.means)
    judged = benchkit.judge(wide_table(**{name: values}), higher_is_better=True, columns=["*"])
    assert len(judged.question.by_task) == 9


def test_results_of_a_grid_search_ask_which_columns_are_scores():
    from sklearn.model_selection import GridSearchCV
    from sklearn.tree import DecisionTreeClassifier

    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    y = X[:, 0] + rng.normal(size=90) > 0
    search = GridSearchCV(
        DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 4]}, cv=6, return_train_score=True
    )
    frame = pd.DataFrame(search.fit(X, y).cv_results_)
    with pytest.raises(TableError) as raised:
        benchkit.judge(frame, method="param_max_depth", higher_is_better=True)
    named, _, answer = str(raised.value).partition("--columns ")
    assert {"mean_fit_time", "std_score_time", "mean_test_score", "rank_test_score"} <= set(re.findall(r"\w+", named))
    assert answer.split(",") == [f"split{fold}_test_score" for fold in range(6)]
    judged = benchkit.judge(
        frame, method="param_max_depth", higher_is_better=True, columns=["split*_test_score"], unit="task"
    )
    assert sorted(judged.means) == pytest.approx(sorted(frame["mean_test_score"]))


def test_scales_are_no_matter_of_ranks_nor_of_errors_below_one():
    table = wide_table(**{"rmse of prices": [120.5, 14.1, 3.2]})
    assert benchkit.judge(table, by="ranks", higher_is_better=False).methods
    assert benchkit.judge(wide_table(rare=[0.0001, 0.0002, 0.0003]), higher_is_better=False).methods


def test_columns_that_are_not_there_are_named():
    with pytest.raises(TableError, match=r"--drop param_\*: no column is named so; it has model, t0"):
        benchkit.judge(wide_table(), higher_is_better=True, drop=["param_*"])


def test_several_scores_for_each_method_and_task_are_asked_for():
    table = good().rename(columns={"score": "edits"}).assign(points=0.5)
    with pytest.raises(TableError, match="which column holds the score of each method and task.*model, task, edits"):
        benchkit.judge(table, higher_is_better=True)


@pytest.mark.parametrize("form", ["{:.1f}%", "{:.1f} %", "{:.2f} ± 0.01", "{:.2f}+/-1", "{:.1f}% ± 0.3%"])
def test_per_cent_and_spreads_are_read_in_all_tables(form):
    """A method all of whose cells were written so was left out of a wide table with a note."""
    numbers = good().assign(score=lambda t: (100 * t["score"]).round())
    written = numbers.assign(score=numbers["score"].map(form.format))
    plain = benchkit.judge(numbers, higher_is_better=True)
    for table in (written, written.pivot(index="task", columns="model", values="score").reset_index()):
        judged = benchkit.judge(table, higher_is_better=True)
        np.testing.assert_allclose(judged.means, plain.means)
        assert any(("per cent" if "%" in form else "±") in line for line in judged.told)


def test_a_method_in_other_units_than_the_others_is_refused():
    wide = good().pivot(index="task", columns="model", values="score").reset_index()
    wide["a"] = wide["a"].map("{:.1%}".format)
    with pytest.raises(TableError, match="is in per cent and .* is not"):
        benchkit.judge(wide, higher_is_better=True)


@pytest.mark.parametrize("form", ["{:.2f} points", "0,{:.0f}", "{:.2f} (1)"])
def test_a_method_none_of_whose_cells_is_a_number_does_not_vanish(form):
    wide = good().pivot(index="task", columns="model", values="score").reset_index().assign(c=0.5)
    wide["a"] = (100 * wide["a"]).map(form.format)
    with pytest.raises(TableError, match=r"row 1, a: .* is no number.*--drop"):
        benchkit.judge(wide, higher_is_better=True)
    assert benchkit.judge(wide, higher_is_better=True, drop=["a"]).methods
    for noted in ("2024-03-05", "v1.2", "MIT"):
        assert benchkit.judge(wide.assign(a=noted), higher_is_better=True).methods
