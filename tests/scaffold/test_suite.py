"""A suite that is written for a table runs as it is, with nothing to warn of."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import benchkit
from benchkit import RequestError, TableError
from benchkit.cli.new import suite
from benchkit.scaffold.suite import ScaffoldError, write_suite
from benchkit.session.options import Request
from benchkit.session.plan import plan_suite
from benchkit.suite import yaml_text

N = 80


@pytest.fixture(autouse=True)
def table(tmp_path, monkeypatch):
    """Numbers, a category, gaps, names of rows, and four columns to predict."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    health = rng.normal(size=N)
    frame = pd.DataFrame(
        {
            "who": [f"P{row}" for row in range(N)],
            "size": np.where(rng.random(N) < 0.1, np.nan, health + rng.normal(size=N)),
            "age": health - rng.normal(size=N),
            "colour": np.where(rng.random(N) < 0.1, None, np.where(health > 0, "red", "blue")),
            "ill": np.where(health > 0, "yes", "no"),
            "ward": np.array(["a", "b", "c"])[np.digitize(health, [-0.5, 0.5])],
            "stay": np.round(10 + 3 * health, 2),
        }
    )
    for target in ("ill", "ward", "stay"):
        kept = [column for column in frame if column in ("who", "size", "age", "colour", target)]
        frame[kept].to_csv(f"{target}.csv", index=False)
    frame[["size", "age", "colour", "ill"]].to_parquet("table.parquet")


@pytest.mark.parametrize("target", ["ward", *(pytest.param(each, marks=pytest.mark.whole) for each in ("ill", "stay"))])
def test_it_runs_as_it_is(target):
    written = write_suite(Path(f"{target}.csv"), target).path
    text = written.read_text()
    assert "3 columns beside" in text
    assert "2 of numbers, 1 of categories" in text
    assert "# who: 80 different texts in 80 rows; left out." in text
    assert plan_suite(Request(str(written))).warnings == ()
    options = {"profile": "quick", "executor": "inline", "tracking": False, "only": {"repetition": "0"}}
    results = benchkit.run(str(written), **options)
    assert {(row["status"], row["error"]) for row in results.records} == {("ok", None)}
    assert len({row["algorithm"] for row in results.records}) >= 5
    assert len({row["adversary"] for row in results.records}) == 3
    assert not {"constant", "mean"}.isdisjoint(row["algorithm"] for row in results.records)


def test_names_of_rows_and_dates_of_parquet_are_left_out():
    frame = pd.read_csv("ill.csv").assign(day=pd.date_range("2026-01-01", periods=N))
    frame.to_parquet("dated.parquet")
    written = write_suite(Path("dated.parquet"), "ill").path
    assert "# day: dates; left out." in written.read_text()
    assert yaml_text.parse(written.read_text())["datasets"][0]["drop"] == ["who", "day"]
    assert plan_suite(Request(str(written))).warnings == ()


@pytest.mark.parametrize("target", ["ill", "stay"])
def test_rows_without_a_target_are_left_out_and_said_so(target):
    frame = pd.read_csv(f"{target}.csv")
    frame.loc[[3, 5], target] = None
    frame.to_csv("gaps.csv", index=False)
    written = write_suite(Path("gaps.csv"), target).path
    text = written.read_text()
    assert f"# rows: 2 have no {target}; left out (missing_target: drop)." in text
    assert yaml_text.parse(text)["datasets"][0]["missing_target"] == "drop"
    assert plan_suite(Request(str(written))).warnings == ()


def test_decimal_commas():
    pd.read_csv("ill.csv").to_csv("comma.csv", index=False, sep=";", decimal=",")
    written = write_suite(Path("comma.csv"), "ill").path
    assert "decimal" not in yaml_text.parse(written.read_text())["datasets"][0]
    assert "2 of numbers, 1 of categories" in written.read_text()
    assert plan_suite(Request(str(written))).warnings == ()


def test_new_suite_asks_and_writes_what_it_was_told():
    rows = [
        f"{['396', '1,494', '4,282'][place % 3]};{place / 8};{'NA' if place % 9 == 0 else place};{place % 2}"
        for place in range(90)
    ]
    Path("own.csv").write_text("\n".join(["a;b;c;y", *rows]) + "\n")
    with pytest.raises(TableError, match="--na-values NA"):
        write_suite(Path("own.csv"), "y")
    with pytest.raises(TableError, match="--decimal"):
        write_suite(Path("own.csv"), "y", reading={"na_values": ["NA"]})
    written = write_suite(Path("own.csv"), "y", reading={"na_values": ["NA"], "decimal": "."})
    (entry,) = yaml_text.parse(written.path.read_text())["datasets"]
    assert (entry["decimal"], entry["na_values"]) == (".", ["NA"])
    assert set(written.table.frame["a"]) == {396, 1494, 4282}
    assert written.table.frame["c"].isna().sum() == 10


def test_of_two_classes_one_is_positive():
    written = write_suite(Path("table.parquet"), "ill", positive="yes", out=Path("own.yaml")).path
    (dataset,) = yaml_text.parse(written.read_text())["datasets"]
    assert dataset == {
        "name": "parquet", "path": "table.parquet", "target": "ill", "label": "table", "positive": "yes"
    }  # fmt: skip
    assert plan_suite(Request(str(written))).warnings == ()


@pytest.mark.parametrize(
    ("file", "target", "message"),
    [
        ("ill.csv", "sick", "no column is named 'sick'; the columns are"),
        ("ill.csv", "il", "no column is named 'il'; did you mean 'ill'[?]$"),
        ("gone.csv", "ill", "gone.csv: no such file"),
        ("ill.json", "ill", "no data set reads such files"),
        ("ill.csv", "who", "column 'who' has 80 classes in 80 rows"),
    ],
)
def test_a_table_that_cannot_be_used(file, target, message):
    pd.read_csv("ill.csv").to_json("ill.json", orient="records")
    with pytest.raises(RequestError, match=message):
        write_suite(Path(file), target)
    assert not list(Path().glob("*.yaml"))


def test_a_suite_that_is_there_is_kept():
    Path("ill.yaml").write_text("mine")
    with pytest.raises(ScaffoldError, match=r"ill\.yaml exists already"):
        write_suite(Path("ill.csv"), "ill")
    assert Path("ill.yaml").read_text() == "mine"


def test_a_column_that_repeats_like_an_id_is_proposed_for_groups():
    frame = pd.read_csv("own.csv") if Path("own.csv").exists() else pd.DataFrame({"ill": ["yes", "no"] * 40})
    frame = frame[["ill"]].assign(
        size=[row * 37 % 11 for row in range(len(frame))], user_id=[row // 8 for row in range(len(frame))]
    )
    frame.to_csv("visits.csv", index=False)
    text = write_suite(Path("visits.csv"), "ill").path.read_text()
    assert "# user_id repeats like an id: 10 values in 80 rows." in text
    first = "leave the column out above (drop: [user_id]) and write in place of the line of the split below"
    assert f"{first}:\n# split: {{groups: user_id, repetitions: 30" in text
    grouped = text.replace("split: {repetitions: 30", "split: {groups: user_id, repetitions: 30", 1)
    Path("grouped.yaml").write_text(grouped.replace("target: ill", "target: ill, drop: [user_id]"))
    assert plan_suite(Request("grouped.yaml")).warnings == ()


def dated(days, name="seen"):
    """The suite for a table with a date in each row."""
    n = len(days)
    frame = pd.DataFrame({name: days, "size": [row * 37 % 101 for row in range(n)], "ill": ["yes", "no"] * (n // 2)})
    frame.to_csv("dated.csv", index=False)
    return write_suite(Path("dated.csv"), "ill").path.read_text()


@pytest.mark.parametrize(("name", "quoted"), [("seen", "seen"), ("seen: at, first", "'seen: at, first'")])
def test_a_column_of_dates_is_proposed_for_time(name, quoted):
    text = dated([f"2023-{1 + row // 28 % 12:02}-{1 + row % 28:02}" for row in range(300)], name)
    line = f"split: {{time: {quoted}, test: 0.1, validation: 0.1, repetitions: 4}}"
    assert f"write in place of the line of the split below:\n# {line}\nsplit: {{repetitions: 10" in text
    Path("timed.yaml").write_text(text.replace("\nsplit: {repetitions: 10, ", f"\n{line}  # "))
    assert plan_suite(Request("timed.yaml")).warnings == ()


@pytest.mark.parametrize(
    ("days", "said"),
    [
        ([f"{1 + row % 28:02}/03/2023" for row in range(300)], "seen holds dates. To train on what came first"),
        ([f"2023-{1 + row % 12:02}-01" for row in range(300)], None),  # a month is more than half of a tenth
        ([None, *(f"2023-{1 + row // 28 % 12:02}-{1 + row % 28:02}" for row in range(299))], None),
    ],
)
def test_dates_that_cannot_divide_rows_are_not_proposed(days, said):
    text = dated(days)
    assert "time:" not in text
    assert said in text if said else "holds dates" not in text


def awkward(rows):
    """A table with everything that tables come with."""
    rng = np.random.default_rng(1)
    size = rng.normal(size=rows)
    return pd.DataFrame(
        {
            "id": rng.permutation(rows) + 1000,
            "note": [f"seen by doctor {k}" for k in rng.integers(rows // 2, size=rows)],
            "visit": pd.date_range("2026-01-01", periods=rows // 4)
            .strftime("%Y-%m-%d")
            .to_numpy()[np.arange(rows) // 4],
            "blank": np.full(rows, np.nan),
            "one": "same",
            "size": size,
            "age": rng.integers(20, 80, size=rows),
            "ward": rng.choice(["a", "b"], rows),
            "ill": np.where(size > np.sort(size)[int(0.98 * rows)], "yes", "no"),
            "wage": np.round(10 + size + rng.normal(size=rows), 2),
        }
    )


def test_what_tells_nothing_of_other_rows_is_seen_and_left_out():
    frame = awkward(400)
    pd.concat([frame.drop(columns=["wage", "id"]), frame.drop(columns=["wage", "id"])[:30]]).to_csv(
        "t.csv", index=False
    )
    written = write_suite(Path("t.csv"), "ill")
    said = {fact.where: fact.what for fact in written.table.facts}
    assert said["note"].endswith("different texts in 430 rows")
    assert said["visit"] == "dates"
    assert said["blank"] == "no value in any row"
    assert said["one"] == "the same value in every row"
    assert said["rows"] == "30 of 430 are copies of others"
    assert said["ill"].endswith("% of the rows are of class yes")
    suite = yaml_text.parse(written.path.read_text())
    assert sorted(suite["datasets"][0]["drop"]) == ["blank", "note", "one", "visit"]
    assert suite["metrics"][0] == "balanced_accuracy"
    assert plan_suite(Request(str(written.path))).warnings == ()


def test_what_is_seen_is_one_table(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    awkward(400).drop(columns=["wage"]).to_csv("t.csv", index=False)
    suite(Path("t.csv"), "ill")
    told = capsys.readouterr().out
    first, second, *lines = [line.rstrip() for line in told.splitlines() if line.strip()]
    assert first == "t.yaml"
    assert second.startswith("400 rows, 3 columns to predict by. 2 classes are predicted: no (393), yes (7);")
    assert sum("what the suite does" in line for line in lines) == 1
    for where in ("id ", "note ", "visit ", "blank ", "one ", "ill "):
        assert sum(line.lstrip("│ ").startswith(where) for line in lines) == 1
    assert "1.8% of the rows are of class yes" in told
    assert "always answering no has an error" in told  # as the file has the classes, not as they are learned
    assert "of 1.8% only" in told
    assert max(map(len, told.splitlines())) <= 80


def test_a_gap_of_a_category_is_one_gap_however_many_values_it_has():
    frame = pd.DataFrame({"size": np.arange(80) * 0.3, "ward": ["a", "b", "c", "d"] * 20, "ill": ["yes", "no"] * 40})
    frame.loc[:39, "ward"] = None
    frame.to_csv("t.csv", index=False)
    text = write_suite(Path("t.csv"), "ill").path.read_text()
    assert "1 of numbers, 1 of categories, 25.0% of the values missing." in text


def test_dates_that_all_differ_are_called_dates():
    days = pd.date_range("2026-01-01", periods=400).strftime("%Y-%m-%d")
    awkward(400)[["size", "age", "ill"]].assign(day=days).to_csv("t.csv", index=False)
    assert "# day: dates; left out." in write_suite(Path("t.csv"), "ill").path.read_text()


def test_rows_that_differ_in_what_is_left_out_are_not_taken_for_one_case():
    frame = pd.DataFrame({"who": [f"P{row // 4}" for row in range(400)], "age": np.arange(400) % 4 * 0.3})
    frame = frame.assign(visit=np.arange(400) % 4, ill=np.where(np.arange(400) % 3 == 0, "yes", "no"))
    frame.to_csv("t.csv", index=False)
    said = {fact.where: fact.what for fact in write_suite(Path("t.csv"), "ill").table.facts}
    assert said["rows"] == "392 of 400 are copies of others but for who"
    pd.concat([frame, frame[:10]]).to_csv("more.csv", index=False)
    said = {fact.where: fact.what for fact in write_suite(Path("more.csv"), "ill").table.facts}
    assert said["rows"] == "402 of 410 are copies of others, 392 of them but for who"


def test_names_of_rows_that_are_numbers_are_left_out():
    awkward(400).drop(columns=["note", "visit", "blank", "one", "wage"]).to_csv("t.csv", index=False)
    written = write_suite(Path("t.csv"), "ill")
    assert yaml_text.parse(written.path.read_text())["datasets"][0]["drop"] == ["id"]


def test_numbers_of_rows_are_seen_where_rows_are_written_twice():
    frame = awkward(400)[["id", "size", "age", "ill"]].rename(columns={"id": "patient no"})
    pd.concat([frame, frame[:12]]).to_csv("t.csv", index=False)
    said = {fact.where: (fact.what, fact.done) for fact in write_suite(Path("t.csv"), "ill").table.facts}
    assert said["patient no"] == ("a number of its own for every row", "left out")
    assert said["rows"][0] == "12 of 412 are copies of others"


def test_numbers_with_a_word_among_them_are_told():
    """Few of them became a category of each number, many free text, and neither was said."""
    frame = awkward(400)[["size", "age", "ward", "ill"]].assign(beds=np.arange(400) % 7)
    for name, word in (("beds", "none given"), ("age", "unknown"), ("size", "absent")):
        frame[name] = frame[name].astype(object)
        frame.loc[frame.index % 9 == 0, name] = word
    frame.to_csv("t.csv", index=False)
    said = {fact.where: (fact.what, fact.done) for fact in write_suite(Path("t.csv"), "ill").table.facts}
    ask = "where that is missing ask again with --na-values"
    assert said["beds"] == (
        "numbers, but 'none given' in 45 of 400 rows",
        f"a category of each number: {ask} none given",
    )
    assert said["age"] == ("numbers, but 'unknown' in 45 of 400 rows", f"a category of each number: {ask} unknown")
    assert said["size"] == ("numbers, but 'absent' in 45 of 400 rows", f"left out: {ask} absent")
    assert "ward" not in said


def test_numbers_that_are_written_as_texts_are_told():
    frame = awkward(400)[["age", "ill"]]
    frame["income"] = [f"€{1 + row % 9}.{row:03d}" for row in range(400)]
    frame["price"] = [f"${1 + row % 3},000" for row in range(400)]
    frame["ward"] = [f"{row % 4}b" for row in range(400)]
    frame.to_csv("t.csv", index=False)
    said = {fact.where: (fact.what, fact.done) for fact in write_suite(Path("t.csv"), "ill").table.facts}
    ask = "write digits and a decimal point alone, and ask again"
    assert said["income"] == ("numbers written as texts, such as '€1.000'", f"left out: {ask}")
    assert said["price"] == ("numbers written as texts, such as '$1,000'", f"a category of each: {ask}")
    assert "ward" not in said


def test_codes_among_numbers_are_told():
    frame = awkward(400)[["ill"]].assign(bmi=np.random.default_rng(0).normal(25, 4, 400).round(1))
    frame["nines"] = np.arange(400) % 100  # 99 is one of them
    frame.loc[frame.index % 20 == 0, "bmi"] = -999
    frame["zip"] = 10000 + np.arange(400) % 30
    frame.to_csv("t.csv", index=False)
    said = {fact.where: (fact.what, fact.done) for fact in write_suite(Path("t.csv"), "ill").table.facts}
    assert said["bmi"][0] == "-999 in 20 rows, far from all other values"
    assert said["zip"][0] == "a postcode, which is read as a number"
    assert "nines" not in said


def test_a_file_in_another_encoding_is_told_what_to_do():
    Path("latin.csv").write_bytes("größe,ill\n1,yes\n2,no\n".encode("latin-1"))
    with pytest.raises(TableError, match="save it as UTF-8"):
        write_suite(Path("latin.csv"), "ill")


def test_a_table_of_texts_alone_has_names_in_its_first_row():
    frame = awkward(400)[["ward", "ill"]].assign(shape=["round", "flat"] * 200)
    frame.to_csv("t.csv", index=False)
    written = write_suite(Path("t.csv"), "ill")
    assert plan_suite(Request(str(written.path))).warnings == ()
    with pytest.raises(ScaffoldError, match="no column is named 'sick'"):
        write_suite(Path("t.csv"), "sick", Path("u.yaml"))


@pytest.mark.parametrize(("more", "said"), [([], "1 column beside ill: 1"), (["size"], "2 columns beside ill: 2")])
def test_one_column_is_no_columns(more, said):
    awkward(400)[["age", *more, "ill"]].to_csv("t.csv", index=False)
    assert f"400 rows, {said} of numbers" in write_suite(Path("t.csv"), "ill").path.read_text()


def test_decimals_are_predicted_as_numbers_unless_the_user_says_otherwise():
    frame = awkward(400)[["size", "age", "wage"]]
    frame["wage"] = frame["wage"].round(1)  # so that many rows share one
    frame.to_csv("t.csv", index=False)
    assert write_suite(Path("t.csv"), "wage").table.reader == "csv-regression"
    with pytest.raises(ScaffoldError, match="hardly classes"):
        write_suite(Path("ill.csv"), "size", Path("size.yaml"), task="classification")
    grades = awkward(400)[["size", "ward"]].assign(grade=np.arange(400) % 15)
    grades.to_csv("g.csv", index=False)
    classes = write_suite(Path("g.csv"), "grade")
    assert classes.table.reader == "csv"
    assert "and 5 more." in classes.path.read_text()
    numbers = write_suite(Path("g.csv"), "grade", Path("numbers.yaml"), task="regression")
    assert numbers.table.reader == "csv-regression"


def test_a_task_that_there_is_not():
    with pytest.raises(ScaffoldError, match="--task is 'classify', expected classification or regression"):
        write_suite(Path("ill.csv"), "ill", task="classify")
    with pytest.raises(ScaffoldError, match="--positive names a class, and --task regression has none"):
        write_suite(Path("ill.csv"), "ill", positive="yes", task="regression")


def test_a_class_of_many_is_not_the_positive_one():
    grades = awkward(400)[["size", "ward"]].assign(grade=np.tile(["a", "b", "c", "d"], 100))
    grades.to_csv("g.csv", index=False)
    with pytest.raises(
        ScaffoldError, match="for two classes, and 'grade' has 4 classes: leave it out .*_rest: b' beside"
    ):
        write_suite(Path("g.csv"), "grade", positive="b")
    text = write_suite(Path("g.csv"), "grade").path.read_text()
    Path("one.yaml").write_text(text.replace("target: grade,", "target: grade, one_against_rest: b,"))
    (planned,) = {str(trial.dataset.params) for trial in plan_suite(Request("one.yaml")).left.values()}
    assert "one_against_rest" in planned


def test_a_table_without_a_useful_column():
    pd.DataFrame({"blank": np.nan, "one": 1, "ill": ["yes", "no"] * 40}).to_csv("t.csv", index=False)
    with pytest.raises(ScaffoldError, match="no column is left to predict ill by .blank: no value in any row; one: "):
        write_suite(Path("t.csv"), "ill")


def test_of_a_large_table_rows_are_drawn_and_slow_methods_left_out(monkeypatch):
    monkeypatch.setattr("benchkit.scaffold.suite._MOST_ROWS", 300)
    monkeypatch.setattr("benchkit.scaffold.suite._SLOW_FROM", 200)
    awkward(400)[["size", "age", "ward", "ill"]].to_csv("t.csv", index=False)
    written = write_suite(Path("t.csv"), "ill")
    text = written.path.read_text()
    suite = yaml_text.parse(text)
    assert suite["datasets"][0]["rows"] == 300
    assert "# rows: 400 in the file; 300 of them are drawn (rows: 300)." in text
    assert "# svm is left out: " in text
    assert "svm" not in [each["name"] for each in suite["algorithms"] if isinstance(each, dict)]
    assert plan_suite(Request(str(written.path))).warnings == ()


@pytest.mark.parametrize("target", ["ward", *(pytest.param(each, marks=pytest.mark.whole) for each in ("ill", "stay"))])
def test_twenty_rows_run(target):
    pd.read_csv(f"{target}.csv")[:20].to_csv("few.csv", index=False)
    written = write_suite(Path("few.csv"), target)
    assert [fact.what for fact in written.table.facts if fact.where == "rows"] == ["only 20"]
    options = {"profile": "quick", "executor": "inline", "tracking": False, "only": {"repetition": "0"}}
    results = benchkit.run(str(written.path), **options)
    assert {(row["status"], row["error"]) for row in results.records} == {("ok", None)}


def test_a_table_named_as_one_of_its_columns_has_a_label_and_classes_their_names(tmp_path):
    file = tmp_path / "visits.csv"
    rows = [f"{number % 11},{number % 7},{'ill' if number % 3 else 'well'}" for number in range(60)]
    file.write_text("\n".join(["visits,age,state", *rows]) + "\n")
    text = write_suite(file, "state", tmp_path / "visits.yaml").path.read_text()
    assert "label: visits.csv" in text
    assert "# 2 classes are predicted: ill (40), well (20); well is the class to detect, unless 'positive'" in text


def test_of_many_rows_some_are_tested(monkeypatch):
    monkeypatch.setattr("benchkit.scaffold.suite._MOST_TESTED", 15)
    text = write_suite(Path("ill.csv"), "ill").path.read_text()
    assert "# 15 rows are tested in each repetition" in text
    assert "# a share of them is within 25.3 points of that of all rows" in text
    assert yaml_text.parse(text)["split"]["test"] == 15
    assert plan_suite(Request("ill.yaml")).warnings == ()
