"""Tables and result files as people have them: names that look like numbers, averages among the rows, odd logs."""

import json
import zipfile

import numpy as np
import pandas as pd
import pytest

import benchkit
from benchkit import TableError

RNG = np.random.default_rng(3)
TASKS = [f"t{place}" for place in range(8)]


def long(methods):
    return pd.DataFrame(
        [{"method": method, "task": task, "score": RNG.random()} for method in methods for task in TASKS]
    )


@pytest.mark.parametrize("methods", [("1.1", "1.10", "1.2"), ("007", "7"), ("None", "NA", "NaN", "-", "a b\U0001f600")])
def test_names_of_a_text_are_texts(methods, tmp_path):
    long(methods).to_csv(tmp_path / "table.csv", index=False)
    judged = benchkit.judge(tmp_path / "table.csv", higher_is_better=True)
    assert set(judged.methods) == set(methods)
    assert judged.result.units == len(TASKS)


def test_averages_and_blank_rows_among_the_tasks_are_left_out_and_said(tmp_path):
    table = pd.DataFrame(RNG.random((8, 3)), index=TASKS, columns=["A", "B", "C"])
    plain = benchkit.judge(table.reset_index(names="task"), higher_is_better=True)
    table.loc["Average"] = table.mean()
    text = table.to_csv(index_label="task").replace("Average", ",,,\nAverage")
    (tmp_path / "table.csv").write_text(text)
    judged = benchkit.judge(tmp_path / "table.csv", higher_is_better=True)
    assert judged.result.units == len(TASKS)
    np.testing.assert_allclose(judged.result.p, plain.result.p)
    assert sum("left out" in note for note in judged.notes) == 2


def test_methods_may_be_called_mean_and_median():
    table = pd.DataFrame(RNG.random((8, 3)), index=TASKS, columns=["mean", "median", "knn"])
    by_method, by_task = table.T.rename_axis("method").reset_index(), table.rename_axis("task").reset_index()
    for judged in (
        benchkit.judge(by_method, higher_is_better=True),
        benchkit.judge(by_task, higher_is_better=True, columns=list(table)),
    ):
        assert set(judged.methods) == {"mean", "median", "knn"}
    with pytest.raises(TableError, match="which columns are scores"):
        benchkit.judge(by_task, higher_is_better=True)


def test_tables_in_memory_of_every_kind_are_one_table():
    frame = long(["a", "b"])
    indexed = frame.set_index(["method", "task"])
    columns = {name: column.to_numpy() for name, column in frame.items()}
    expected = benchkit.judge(frame, higher_is_better=True)
    for table in (indexed, indexed["score"], frame.to_dict("records"), columns):
        np.testing.assert_array_equal(benchkit.judge(table, higher_is_better=True).result.p, expected.result.p)


@pytest.mark.parametrize("table", [3, [3], {}, [], {"a": [1, 2], "b": [1]}])
def test_what_is_no_table_is_one_line(table):
    with pytest.raises(TableError) as error:
        benchkit.judge(table)
    assert "\n" not in str(error.value)


def samples(folder, share):
    folder.mkdir(parents=True)
    lines = [
        {"doc_id": item, "metrics": ["acc"], "acc": float(item < share * 40), "doc": "a\u2028b\u2029c\u0085d"}
        for item in range(40)
    ]
    path = folder / "samples_arc_2024-05-01T10-00-00.000000.jsonl"
    path.write_text("\n".join(json.dumps(line, ensure_ascii=False) for line in lines) + "\n", encoding="utf-8")
    return path


def test_lines_of_samples_end_at_newlines_alone_and_runs_of_one_model_are_told_apart(tmp_path):
    files = [samples(tmp_path / run / "gpt2", share) for run, share in (("first", 0.9), ("second", 0.2))]
    for given in (tmp_path, files):
        judged = benchkit.judge(given)
        assert judged.methods == ("first/gpt2", "second/gpt2")
        assert judged.result.units == 40


def log(path, right, value=lambda right: "C" if right else "I"):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps({"status": "success", "eval": {"model": path.stem, "task": "t"}}))
        for item in range(30):
            scores = {"scorer": {"value": value(item < right)}}
            archive.writestr(f"samples/{item}.json", json.dumps({"id": item, "epoch": 1, "scores": scores}))


@pytest.mark.parametrize("value", [lambda right: right, lambda right: {"note": "x", "acc": float(right)}])
def test_a_folder_of_logs_holds_more_than_logs_and_scores_in_parts(value, tmp_path):
    log(tmp_path / "a.eval", 28, value=value)
    log(tmp_path / "b.eval", 5, value=value)
    for index in ("logs.json", "eval-set.json"):
        (tmp_path / index).write_text("{}")
    judged = benchkit.judge(tmp_path)
    assert judged.methods == ("a", "b")
    np.testing.assert_allclose(judged.means, [28 / 30, 5 / 30])


def test_an_archive_that_python_cannot_unpack_says_what_to_do(tmp_path, monkeypatch):
    log(tmp_path / "a.eval", 3)

    def unsupported(*args):
        raise NotImplementedError("That compression method is not supported")

    monkeypatch.setattr("zipfile.ZipFile.read", unsupported)
    with pytest.raises(TableError, match="inspect log convert"):
        benchkit.judge(tmp_path / "a.eval")


def test_a_constraint_is_part_of_amlbs_method(tmp_path):
    rows = [
        {"task": task, "framework": framework, "constraint": hours, "fold": 0, "result": RNG.random(), "metric": "auc"}
        for task in TASKS
        for framework in "AB"
        for hours in ("1h8c", "4h8c")
    ]
    pd.DataFrame(rows).to_csv(tmp_path / "results.csv", index=False)
    judged = benchkit.judge(tmp_path / "results.csv")
    assert set(judged.methods) == {"A (1h8c)", "A (4h8c)", "B (1h8c)", "B (4h8c)"}


def test_timings_of_one_machine_each_are_not_compared(tmp_path):
    for place in (1, 2):
        tests = [{"name": name, "fullname": name, "group": None, "stats": {"median": RNG.random()}} for name in TASKS]
        document = {"machine_info": {"node": f"runner-{place}"}, "benchmarks": tests}
        (tmp_path / f"run{place}.json").write_text(json.dumps(document))
    with pytest.raises(TableError, match="runner-1.*runner-2"):
        benchkit.judge([tmp_path / "run1.json", tmp_path / "run2.json"])
