"""Tables as people have them: read as they mean them, or refused in one line that says what, where and what to do."""

import contextlib
import importlib.util
import itertools
import json
import math
import sys
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import benchkit
from benchkit import TableError

ROWS = [(name, f"t{place}", f"{0.5 + 0.01 * place + 0.1 * (name == 'b'):.2f}") for place in range(8) for name in "ab"]


def good():
    return pd.DataFrame(ROWS, columns=["model", "task", "score"]).astype({"score": float})


def wide(**further):
    rng = np.random.default_rng(0)
    scores = {f"t{place}": rng.random(3).round(3) for place in range(8)}
    return pd.DataFrame({"model": ["a", "b", "c"], **scores, **further})


def refused(table, **options):
    with pytest.raises(TableError) as raised:
        benchkit.judge(table, **options)
    assert "\n" not in str(raised.value)
    return str(raised.value)


def judged_or_refused(frame, **options):
    """The judgement, which JSON can hold; None where the table was refused, in one line."""
    judged, line = None, ""
    try:
        judged = benchkit.judge(frame, **options)
    except TableError as error:
        line = str(error)
    assert "\n" not in line
    assert judged is None or json.loads(judged.write("json"))
    return judged


def as_csv(rows=ROWS, head="model,task,score"):
    return "\n".join([head, *(",".join(row) for row in rows)]) + "\n"


def with_score(text, row=3):
    return as_csv([(a, b, text if place == row else c) for place, (a, b, c) in enumerate(ROWS)])


def as_lines(make):
    return "".join(json.dumps(make(*row)) + "\n" for row in ROWS)


@pytest.mark.parametrize(
    ("table", "options", "expected"),
    [
        (good().iloc[:0], {}, "the table is empty"),
        (good(), {"score": "accuracy"}, "no column 'accuracy'; it has model, task, score"),
        (good().rename(columns={"model": "who"}), {"wide": False}, "name it with method='COLUMN', or say wide=True"),
        (good().rename(columns={"score": "zeal"}), {"score": "zeal"}, "is more zeal better?"),
        (pd.concat([good(), good().iloc[:1]]), {}, "1 cell is there twice, first method a, task t0 (row 17)"),
        (pd.concat([good().assign(seed=1)] * 2), {}, "tells them apart (item), or remove one"),
        (good().drop(columns="task"), {}, "(row 3); name the column that tells them apart"),
        (good().query("model == 'a'"), {}, "one method only, a"),
        (good().iloc[:2], {}, "one task only"),
        (good().iloc[:2].drop(columns="task"), {}, "every method has one score"),
        (good().query("(model == 'a') == (task < 't4')"), {}, "share no cell"),
        (good(), {"unit": "item"}, "name their column with item"),
        (good(), {"unit": "items"}, "expected item, task, seed"),
        (good(), {"by": "median"}, "expected mean, ranks, wilcoxon"),
        (good(), {"within": -1}, "within=-1"),
        (good(), {"level": 5}, "level=5"),
        (good(), {"by": "wilcoxon", "within": 0.1}, "within needs intervals"),
        (good(), {"drop": ["param_*"]}, "no column is named as drop='param_*' says"),
        (good().rename(columns={"model": "x", "task": "y"}), {}, "which column is what?"),
        (good().rename(columns={"score": "model"}), {}, "two columns are named 'model'"),
        (wide(), {}, "are higher numbers better?"),
        (wide(t3=["0.855831 (1)", 0.2, 0.3]), {"higher_is_better": True}, "row 1, t3: '0.855831 (1)' is no number"),
        (wide(t3=["1.1 points", "2 points", "3 points"]), {"higher_is_better": True}, "row 1, t3"),
        (wide(t3=["1.1%", "2%", "3%"]), {"higher_is_better": True}, "is in per cent and"),
        (good().rename(columns={"score": "edits"}).assign(b=0), {"higher_is_better": True}, "which column holds the"),
        (good().rename(columns={"task": "item"}).assign(cluster=range(16)), {}, "belongs to several clusters"),
        (3, {}, "no table"),
        ([3], {}, "no table"),
        ([], {}, "no table"),
        ({"a": [1, 2], "b": [1]}, {}, "no table"),
    ],
)
def test_one_line_each(table, options, expected):
    assert expected in refused(table, **options)


MALFORMED = {
    "no head.csv": (as_csv()[len("model,task,score\n") :], "its first line holds numbers"),
    "every score empty.csv": (as_csv([(a, b, "") for a, b, _ in ROWS]), "every score is empty"),
    "text.csv": (with_score("good"), "row 4, score: 'good' is no number"),
    "per cent.csv": (with_score("50.00%"), "'50.00%' is in per cent and '0.50' is not"),
    "infinite.csv": (with_score("-inf"), "row 4, score: -inf is infinite"),
    "huge.csv": (with_score("1e308"), "row 4, score: 1e+308"),
    "a long cell.csv": (with_score("x" * 100_000), "row 4, score: 'xxxx"),
    "a blank name.csv": (as_csv([*ROWS[:-1], (" ", "t7", "0.5")]), "row 16 has no method"),
    "wide with text.csv": ("method,t1,t2\na,x,y\nb,z,w\n", "no column holds numbers alone"),
    "a long row.csv": (as_csv() + "a,t9,0.1,0.4,7\n", "row 17"),
    "nested scores.jsonl": (as_lines(lambda a, b, c: {"model": a, "task": b, "score": {"acc": c}}), "row 1, score"),
    "nested names.jsonl": (as_lines(lambda a, b, c: {"model": a, "task": {"n": b}, "score": c}), "row 1: task is"),
    "cut off.jsonl": (as_lines(lambda a, b, c: {"model": a, "task": b, "score": c})[:-9], "cannot be read as json"),
    "columns.json": (json.dumps({"model": ["a"], "score": [1]}), "a table in JSON is a list of objects"),
    "paper.tex": (r"\begin{tabular}{ll} a & b", "save it as Markdown, HTML or csv"),
    "cut off.parquet": (b"PAR1" + bytes(100), "cannot be read as parquet"),
    "no archive.eval": ("no archive", "no log of inspect_ai"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_files(tmp_path, name):
    content, expected = MALFORMED[name]
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    line = refused(path)
    assert expected in line
    assert line.startswith(f"{path}: ")
    assert len(line) < 300 + len(str(path))


def test_an_empty_folder_and_an_unknown_format(tmp_path):
    assert "no result files of lm-eval" in refused(tmp_path)
    assert "unknown format 'mteb'; there are table, lm-eval" in refused(tmp_path, format="mteb")


def test_tables_of_every_kind_in_memory_and_in_json_are_one_table(tmp_path):
    frame = good()
    frame.to_json(listed := tmp_path / "scores.json", orient="records")
    indexed = frame.set_index(["model", "task"])
    columns = {name: column.to_numpy() for name, column in frame.items()}
    tables = [indexed, indexed["score"], frame.to_dict("records"), columns, pa.Table.from_pandas(frame), listed]
    with contextlib.suppress(ImportError):
        import polars

        tables += [polars.DataFrame(frame.to_dict("list")), polars.LazyFrame(frame.to_dict("list"))]
    expected = benchkit.judge(frame)
    for table in tables:
        np.testing.assert_array_equal(benchkit.judge(table).result.p, expected.result.p)


def test_an_index_without_a_name_and_columns_of_two_levels_are_no_less():
    by_task = good().pivot(index="task", columns="model", values="score").rename_axis(None)
    assert "it has index, a, b" in refused(by_task.to_dict(), higher_is_better=True)
    assert benchkit.judge(by_task, task="index", higher_is_better=True).result.units == 8
    two = pd.concat({"acc": by_task, "f1": by_task}, axis=1).rename_axis("task")
    assert set(benchkit.judge(two, higher_is_better=True).methods) == {"acc a", "acc b", "f1 a", "f1 b"}


@pytest.mark.parametrize("methods", [("1.1", "1.10", "1.2"), ("007", "7"), ("None", "NA", "NaN", "-", "a b\U0001f600")])
def test_names_of_a_text_are_texts(methods, tmp_path):
    rows = [(name, f"t{place}", f"{place * 0.1:.1f}") for place in range(8) for name in methods]
    (tmp_path / "table.csv").write_text(as_csv(rows))
    wide = pd.DataFrame(rows).pivot(index=1, columns=0, values=2).rename_axis(index="task", columns=None)
    wide.to_csv(tmp_path / "wide.csv")
    wide.reset_index().to_html(tmp_path / "wide.html", index=False)
    for name in ("table.csv", "wide.csv", *["wide.html"] * (importlib.util.find_spec("lxml") is not None)):
        judged = benchkit.judge(tmp_path / name, higher_is_better=True)
        assert set(judged.methods) == set(methods)
        assert judged.result.units == 8


def test_wide_tables_both_ways_without_averages_blank_rows_and_a_written_index(tmp_path):
    expected = benchkit.judge(good())
    by_task = good().pivot(index="task", columns="model", values="score")
    by_method = by_task.T.assign(Average=1.0)
    by_task.loc["Average"] = by_task.mean()
    text = by_task.reset_index().to_csv().replace("8,Average", ",,,\n8,Average")
    (tmp_path / "by_task.csv").write_text(text)
    for table, notes in ((tmp_path / "by_task.csv", 2), (by_method, 1)):
        judged = benchkit.judge(table, higher_is_better=True)
        assert judged.methods == expected.methods
        np.testing.assert_allclose(judged.result.p, expected.result.p)
        assert sum("left out" in note for note in judged.notes) == notes


def test_methods_may_be_called_mean_and_median():
    table = pd.DataFrame(np.random.default_rng(3).random((8, 3)), columns=["mean", "median", "knn"])
    by_method = table.T.rename_axis("method").reset_index()
    by_task = table.rename_axis("task").reset_index()
    for frame, columns in ((by_method, None), (by_task, list(table))):
        judged = benchkit.judge(frame, higher_is_better=True, columns=columns)
        assert set(judged.methods) == {"mean", "median", "knn"}
    assert "which columns are scores" in refused(by_task, higher_is_better=True)


def test_nothing_is_asked_of_a_column_that_is_left_out(tmp_path):
    lines = ["method;task;score;size", *(f"{m};{t};0,{m}{t};1.49{t}" for m in (1, 2) for t in range(4))]
    (tmp_path / "s.csv").write_text("\n".join(lines))
    assert "'size'" in refused(tmp_path / "s.csv", higher_is_better=True)
    judged = benchkit.judge(tmp_path / "s.csv", higher_is_better=True, drop=["si*"])
    assert sorted(judged.means) == pytest.approx([0.115, 0.215])


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("n_samples", [400, 500, 600]),
        ("a_std", [0.01, 0.02, 0.03]),
        ("mean_fit_time", [0.1, 0.2, 0.3]),
        ("#Params (B)", [0.5, 0.7, 0.9]),
        ("layers", [3, 4, 5]),
        ("merged", [True, False, True]),
        ("hub likes", [120.5, 14.1, 3.2]),
    ],
)
def test_columns_that_look_like_no_scores_are_asked_for(name, values):
    plain = benchkit.judge(wide(), higher_is_better=True)
    table = wide(**{name: values})
    line = refused(table, higher_is_better=True)
    assert "which columns are scores" in line
    assert name in line
    for answer in ({"drop": [name]}, {"columns": ["t*"]}):
        np.testing.assert_allclose(benchkit.judge(table, higher_is_better=True, **answer).means, plain.means)
    assert len(benchkit.judge(table, higher_is_better=True, columns=["*"]).question.cells) == 9


def test_scales_are_no_matter_of_ranks_nor_of_errors_below_one():
    table = wide(**{"rmse of prices": [120.5, 14.1, 3.2]})
    assert benchkit.judge(table, by="ranks", higher_is_better=False).methods
    assert benchkit.judge(wide(rare=[0.0001, 0.0002, 0.0003]), higher_is_better=False).methods


@pytest.mark.parametrize("form", ["{:.1f}%", "{:.1f} %", "{:.2f} ± 0.01", "{:.2f}+/-1", "{:.1f}% ± 0.3%", "{} (0.01)"])
def test_per_cent_and_spreads_are_read_in_all_tables(form):
    numbers = good().assign(score=lambda t: (100 * t["score"]).round())
    written = numbers.assign(score=numbers["score"].map(form.format))
    plain = benchkit.judge(numbers, higher_is_better=True)
    for table in (written, written.pivot(index="task", columns="model", values="score").reset_index()):
        judged = benchkit.judge(table, higher_is_better=True)
        np.testing.assert_allclose(judged.means, plain.means)
        assert any(("er cent" if "%" in form else "±") in line for line in judged.notes)


WRITTEN = {
    "pasted.md": """# Results\n
Some words, with a comma.\n
| Model | ARC | BoolQ | MMLU |
|:--|--:|---|---|
| **big** | **61.2** | 70.1 ± 0.3 | 5 |
| [small](https://x.org) | `50.1` | 60 | 4 |\n
The end.""",
    "page.html": "<html><p>words</p><table><tr><th>Model<th>ARC<th>BoolQ<th>MMLU</tr><tr><td>big</td>"
    "<td><b>61.2</b></td><td>70.1</td><td>5</td></tr><tr><td>small</td><td>50.1</td><td>60</td><td>4</td></tr></table></html>",
    "merged.html": "<table><tr><th rowspan=2>Model</th><th colspan=2>Accuracy</th><th>F1</th></tr><tr><th>ARC</th>"
    "<th>BoolQ</th><th>MMLU</th></tr><tr><td>big</td><td>61.2</td><td>70.1</td><td>5</td></tr>"
    "<tr><td>small</td><td>50.1</td><td>60</td><td>4</td></tr></table>",
    "titled.csv": "Results of May\n\nmodel,ARC,BoolQ,MMLU\nbig,61.2,70.1,5\nsmall,50.1,60,4\n",
    "two lines.csv": ",Accuracy,,F1\nmodel,ARC,BoolQ,MMLU\nbig,61.2,70.1,5\nsmall,50.1,60,4\n",
}
WRITTEN["pasted.txt"] = WRITTEN["pasted.md"]


@pytest.mark.parametrize("name", WRITTEN)
def test_tables_as_people_write_them(name, tmp_path):
    (tmp_path / name).write_text(WRITTEN[name])
    if name.endswith(".html"):
        pytest.importorskip("lxml")
    judged = benchkit.judge(tmp_path / name, higher_is_better=True, columns=["*"])
    assert judged.methods == ("big", "small")
    assert judged.means == pytest.approx([(61.2 + 70.1 + 5) / 3, (50.1 + 60 + 4) / 3])
    tasks = [str(task) for task in judged.question.cells.index]
    assert len(tasks) == 3
    assert (name not in ("two lines.csv", "merged.html")) or "Accuracy ARC" in tasks


def test_a_spreadsheet_is_read_where_its_package_is_there(tmp_path, monkeypatch):
    rows = pd.DataFrame([["Results", None, None], ["model", "t1", "t2"], ["a", 1.5, 2], ["b", 0.5, 1]], dtype=object)
    try:
        rows.to_excel(tmp_path / "x.xlsx", header=False, index=False)
    except ImportError:
        (tmp_path / "x.xlsx").write_bytes(b"")
        monkeypatch.setattr(pd, "read_excel", lambda *args, **options: rows)
    assert benchkit.judge(tmp_path / "x.xlsx", higher_is_better=True).means == pytest.approx([1.75, 0.75])
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with zipfile.ZipFile(tmp_path / "y.xlsx", "w") as archive:
        archive.writestr("xl/workbook.xml", "")
    assert "pip install openpyxl" in refused(tmp_path / "y.xlsx")
    monkeypatch.setitem(sys.modules, "lxml.etree", None)
    (tmp_path / "page.html").write_text(WRITTEN["page.html"])
    assert "pip install lxml" in refused(tmp_path / "page.html")


cells = st.one_of(st.floats(), st.integers(-3, 3), st.none(), st.booleans(), st.just("x"), st.just(""))
names = st.sampled_from(["model", "task", "item", "seed", "score", "a", "b", "error", "seconds", "machine", "cluster"])


@settings(max_examples=30)
@given(st.data())
def test_any_frame(data):
    columns = data.draw(st.lists(names, min_size=1, max_size=5, unique=True))
    rows = data.draw(st.integers(0, 12))
    drawn = {name: data.draw(st.lists(cells, min_size=rows, max_size=rows)) for name in columns}
    judged_or_refused(pd.DataFrame(drawn))


@settings(max_examples=15)
@given(
    st.integers(2, 4),
    st.integers(1, 9),
    st.data(),
    st.sampled_from([None, "task", "item", "seed"]),
    st.sampled_from(["mean", "ranks", "wilcoxon"]),
)
def test_any_full_table_with_holes(methods, units, data, unit, by):
    """Few values, so that ties and methods that are alike abound."""
    rows = pd.DataFrame(itertools.product("abcd"[:methods], range(units), range(2)), columns=["model", "item", "seed"])
    values = data.draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 1.0, None]), min_size=len(rows), max_size=len(rows)))
    judged = judged_or_refused(rows.assign(task=rows["item"] % 4, accuracy=values), unit=unit, by=by)
    if judged is not None:
        assert sum(judged.counts.values()) == len(judged.pairs)
        assert (judged.tiers["from"] <= judged.tiers["to"]).all()
        assert not math.isnan(judged.tiers["mean"].sum())
