"""A suite that is written for a table runs as it is, with nothing to warn of."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import benchkit
from benchkit import RequestError, TableError
from benchkit.cli.new import suite
from benchkit.scaffold.suite import write_suite
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


def written(made, target="ill", plans=False, **options):
    """The suite for a table (its frame, or its file): its text, entry and facts; it ``plans`` without a warning."""
    file = made if isinstance(made, Path) else Path("t.csv")
    if file is not made:
        made.to_csv(file, index=False)
    suite = write_suite(file, target, Path(f"suite-{target}.yaml"), **options)
    assert not plans or plan_suite(Request(str(suite.path))).warnings == ()
    text = suite.path.read_text()
    suite.path.unlink()
    (entry,) = yaml_text.parse(text)["datasets"]
    return text, entry, {fact.where: (fact.what, fact.done) for fact in suite.table.facts}


RUNS = ["ward", *(pytest.param(each, marks=pytest.mark.whole) for each in ("ill", "stay"))]


@pytest.mark.parametrize("target", RUNS)
def test_it_runs_as_it_is(target):
    text, _, facts = written(Path(f"{target}.csv"), target, plans=True)
    assert "3 columns beside" in text
    assert "2 of numbers, 1 of categories" in text
    assert facts["who"] == ("80 different texts in 80 rows", "left out")
    options = {"profile": "quick", "executor": "inline", "tracking": False, "plots": False, "only": {"repetition": "0"}}
    pd.read_csv(f"{target}.csv")[:20].to_csv("few.csv", index=False)
    made = write_suite(Path("few.csv"), target)
    results = benchkit.run(str(made.path), **options)
    assert {(row["status"], row["error"]) for row in results.records} == {("ok", None)}
    assert "only 20" in [fact.what for fact in made.table.facts]
    assert len({row["algorithm"] for row in results.records}) >= 5
    assert len({row["adversary"] for row in results.records}) == 3
    assert not {"constant", "mean"}.isdisjoint(row["algorithm"] for row in results.records)


def test_names_of_rows_and_dates_of_parquet_are_left_out():
    pd.read_csv("ill.csv").assign(day=pd.date_range("2026-01-01", periods=N)).to_parquet("dated.parquet")
    _, entry, facts = written(Path("dated.parquet"))
    assert facts["day"][1].startswith("left out")
    assert entry["drop"] == ["who", "day"]


def test_rows_without_a_target_are_left_out_and_said_so():
    frame = pd.read_csv("ill.csv")
    frame.loc[[3, 5], "ill"] = None
    text, entry, _ = written(frame, plans=True)
    assert "# rows: 2 have no ill; left out (missing_target: drop)." in text
    assert entry["missing_target"] == "drop"


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
    made = write_suite(Path("own.csv"), "y", reading={"na_values": ["NA"], "decimal": "."})
    (entry,) = yaml_text.parse(made.path.read_text())["datasets"]
    assert (entry["decimal"], entry["na_values"]) == (".", ["NA"])
    assert set(made.table.frame["a"]) == {396, 1494, 4282}
    assert made.table.frame["c"].isna().sum() == 10


@pytest.mark.parametrize(
    ("file", "options", "message"),
    [
        ("ill.csv", {"target": "sick"}, "no column is named 'sick'; the columns are"),
        ("ill.csv", {"target": "il"}, "no column is named 'il'; did you mean 'ill'[?]$"),
        ("gone.csv", {}, "gone.csv: no such file"),
        ("ill.xyz", {}, "no data set reads such files"),
        ("useless.csv", {}, "no column is left to predict ill by .blank: no value in any row; one: "),
        ("ill.csv", {"target": "who"}, "column 'who' has 80 classes in 80 rows"),
        ("ill.csv", {"target": "size", "task": "classification"}, "hardly classes"),
        ("ill.csv", {"task": "classify"}, "--task is 'classify', expected classification or regression"),
        ("ill.csv", {"task": "regression", "positive": "yes"}, "--positive names a class, and --task regression has"),
        (
            "ward.csv",
            {"target": "ward", "positive": "b"},
            "for two classes, and 'ward' has 3 classes: .*_rest: b' beside",
        ),
        ("ill.csv", {"out": Path("there.yaml")}, r"there\.yaml exists already"),
    ],
)
def test_a_table_that_cannot_be_used(file, options, message):
    Path("ill.xyz").write_bytes(Path("ill.csv").read_bytes())
    pd.DataFrame({"blank": np.nan, "one": 1, "ill": ["yes", "no"] * 40}).to_csv("useless.csv", index=False)
    Path("there.yaml").write_text("mine")
    with pytest.raises(RequestError, match=message):
        write_suite(Path(file), **{"target": "ill", **options})
    assert [path.read_text() for path in Path().glob("*.yaml")] == ["mine"]


def visits(patients=40, visits=10):
    """Visits of patients, whose beds are theirs alone; two columns are known only once the target is."""
    rng = np.random.default_rng(0)
    who, n = np.repeat(np.arange(patients), visits), patients * visits
    ill = np.where(rng.random(n) < 0.4, "yes", "no")
    columns = {"user_id": who * 3, "bed": [f"b{7 * each}" for each in who], "size": rng.normal(size=n)}
    columns |= {
        "code": np.where(ill == "yes", rng.choice(["I1", "I2"], n), "N"),
        "cost": 9 * (ill == "yes") + columns["size"],
    }
    return pd.DataFrame({**columns, "ill": ill})


def test_leaks_are_seen():
    text, entry, facts = written(visits())
    assert "--groups user_id" in facts["user_id"][1]
    assert "user_id" in facts["bed"][0]
    assert all("by itself" in facts[name][0] for name in ("code", "cost"))
    assert "size" not in facts
    assert "drop" not in entry
    assert "groups:" not in yaml_text.parse(text)["split"]
    assert "stay" in written(visits().assign(stay=visits()["size"] * 2), "stay")[2]["size"][0]


def test_rows_of_one_stay_together_where_it_is_asked_for():
    text, entry, _ = written(visits(), groups="user_id")
    assert entry["drop"] == ["user_id", "bed"]
    assert yaml_text.parse(text)["split"]["groups"] == "user_id"
    for groups, frame in (("who", visits()), ("ill", visits()), ("size", visits().assign(size=None))):
        frame.to_csv("t.csv", index=False)
        with pytest.raises(RequestError, match=groups):
            write_suite(Path("t.csv"), "ill", groups=groups)


def dated(days, name="seen"):
    """A table with a date in each row."""
    return pd.DataFrame({name: days, "size": np.arange(300) * 37 % 101, "ill": ["yes", "no"] * 150})


DAYS = [f"2023-{1 + row // 28 % 12:02}-{1 + row % 28:02}" for row in range(300)]


def test_a_column_of_dates_is_proposed_for_time():
    text, _, facts = written(dated(DAYS, "seen: at, first"))
    line = "split: {time: 'seen: at, first', test: 0.1, validation: 0.1, repetitions: 4}"
    assert line in facts["seen: at, first"][1]
    Path("timed.yaml").write_text(text.replace("\nsplit: {repetitions: 10, ", f"\n{line}  # "))
    assert plan_suite(Request("timed.yaml")).warnings == ()


@pytest.mark.parametrize(
    ("days", "proposed"),
    [
        ([f"{1 + row % 28:02}/03/2023" for row in range(300)], "2024-03-05"),
        ([f"2023-{1 + row % 12:02}-01" for row in range(300)], None),  # a month is more than half of a tenth
        ([None, *DAYS[1:]], None),
    ],
)
def test_dates_that_cannot_divide_rows_are_not_proposed(days, proposed):
    text, _, facts = written(dated(days))
    assert "time:" not in text
    assert ("2024-03-05" in facts["seen"][1]) == (proposed is not None)


def awkward(rows):
    """A table with everything that tables come with."""
    rng = np.random.default_rng(1)
    size = rng.normal(size=rows)
    return pd.DataFrame(
        {
            "id": rng.permutation(rows) + 1000,
            "note": [f"seen by doctor {k}" for k in rng.integers(rows // 2, size=rows)],
            "visit": np.repeat(pd.date_range("2026-01-01", periods=rows // 4).strftime("%Y-%m-%d"), 4),
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
    frame = awkward(400).drop(columns=["wage", "id"])
    text, entry, facts = written(pd.concat([frame, frame[:30]]))
    assert facts["note"][0].endswith("different texts in 430 rows")
    assert [facts[name][0] for name in ("visit", "blank", "one", "rows")] == [
        "dates, 100 different ones",
        "no value in any row",
        "the same value in every row",
        "30 of 430 are copies of others",
    ]
    assert facts["ill"][0].endswith("% of the rows are of class yes")
    assert sorted(entry["drop"]) == ["blank", "note", "one", "visit"]
    assert yaml_text.parse(text)["metrics"][0] == "balanced_accuracy"


def test_what_is_seen_is_one_table(capsys):
    awkward(400).drop(columns=["wage"]).to_csv("t.csv", index=False)
    suite(Path("t.csv"), "ill")
    told = capsys.readouterr().out
    first, second, *lines = [line.strip(" │|") for line in told.splitlines() if line.strip()]
    assert first == "t.yaml"
    assert second.startswith("400 rows, 3 columns to predict by. 2 classes are predicted: no (393), yes (7);")
    for where in ("id ", "note ", "visit ", "blank ", "one ", "ill "):
        assert sum(line.startswith(where) for line in lines) == 1
    assert "1.8% of the rows are of class yes" in told  # as the file has the classes, not as they are learned


def test_rows_that_differ_in_what_is_left_out_are_not_taken_for_one_case():
    frame = pd.DataFrame({"who": [f"P{row // 4}" for row in range(400)], "age": np.arange(400) % 4 * 0.3})
    frame = frame.assign(visit=np.arange(400) % 4, ill=np.where(np.arange(400) % 3 == 0, "yes", "no"))
    assert written(frame)[2]["rows"][0] == "392 of 400 are copies of others but for who"
    more = pd.concat([frame, frame[:10]])
    assert written(more)[2]["rows"][0] == "402 of 410 are copies of others, 392 of them but for who"


def test_numbers_of_rows_are_seen_also_where_rows_are_written_twice():
    frame = awkward(400)[["id", "size", "age", "ill"]]
    assert written(frame)[1]["drop"] == ["id"]
    twice = frame.rename(columns={"id": "patient no"})
    facts = written(pd.concat([twice, twice[:12]]))[2]
    assert facts["patient no"] == ("a number of its own for every row", "left out")
    assert facts["rows"][0] == "12 of 412 are copies of others"


def test_numbers_that_are_none_are_told():
    """Words among numbers, numbers that are written as texts, and codes."""
    frame = awkward(400)[["size", "age", "ward", "ill"]].assign(beds=np.arange(400) % 7)
    for name, word in (("beds", "none given"), ("age", "unknown"), ("size", "absent")):
        frame[name] = frame[name].astype(object)
        frame.loc[frame.index % 9 == 0, name] = word
    frame["income"] = [f"€{1 + row % 9}.{row:03d}" for row in range(400)]
    frame["price"] = [f"${1 + row % 3},000" for row in range(400)]
    frame["bmi"] = np.random.default_rng(0).normal(25, 4, 400).round(1)
    frame.loc[frame.index % 20 == 0, "bmi"] = -999
    frame["nines"] = np.arange(400) % 100  # 99 is one of them
    facts = written(frame)[2]
    ask = "where that is missing ask again with --na-values"
    for name, word, done in (
        ("beds", "none given", "a category of each number"),
        ("age", "unknown", "a category of each number"),
        ("size", "absent", "left out"),
    ):
        assert facts[name] == (f"numbers, but {word!r} in 45 of 400 rows", f"{done}: {ask} {word}")
    ask = "write digits and a decimal point alone, and ask again"
    assert facts["income"] == ("numbers written as texts, such as '€1.000'", f"left out: {ask}")
    assert facts["price"] == ("numbers written as texts, such as '$1,000'", f"a category of each: {ask}")
    assert facts["bmi"][0] == "-999 in 20 rows, far from all other values"
    assert not {"ward", "nines"} & facts.keys()


def test_decimals_are_predicted_as_numbers_unless_the_user_says_otherwise():
    frame = awkward(400)[["size", "age", "wage"]].round({"wage": 1})  # many rows share one
    assert written(frame, "wage")[1]["name"] == "csv-regression"
    grades = awkward(400)[["size", "ward"]].assign(grade=np.arange(400) % 15)
    text, entry, _ = written(grades, "grade")
    assert entry["name"] == "csv"
    assert "and 5 more." in text
    assert written(grades, "grade", task="regression")[1]["name"] == "csv-regression"


def test_of_a_large_table_rows_are_drawn_and_slow_methods_left_out(monkeypatch):
    monkeypatch.setattr("benchkit.scaffold.suite._MOST_ROWS", 300)
    monkeypatch.setattr("benchkit.scaffold.suite._SLOW_FROM", 200)
    text, entry, facts = written(awkward(400)[["size", "age", "ward", "ill"]])
    assert entry["rows"] == 300
    assert facts["rows"] == ("400 in the file", "300 of them are drawn (rows: 300)")
    assert "# svm is left out: " in text
    named = [each["name"] for each in yaml_text.parse(text)["algorithms"] if isinstance(each, dict)]
    assert "svm" not in named


def test_a_table_named_as_one_of_its_columns_has_a_label_and_classes_their_names(tmp_path):
    file = tmp_path / "visits.csv"
    rows = [f"{number % 11},{number % 7},{'ill' if number % 3 else 'well'}" for number in range(60)]
    file.write_text("\n".join(["visits,age,state", *rows]) + "\n")
    text = write_suite(file, "state", tmp_path / "visits.yaml").path.read_text()
    assert "label: visits.csv" in text
    assert "# 2 classes are predicted: ill (40), well (20); well is the class to detect, unless 'positive'" in text


def test_of_many_rows_some_are_tested(monkeypatch):
    monkeypatch.setattr("benchkit.scaffold.suite._MOST_TESTED", 15)
    text, _, _ = written(Path("ill.csv"))
    assert "# 15 rows are tested in each repetition" in text
    assert "# a share of them is within 25.3 points of that of all rows" in text
    assert yaml_text.parse(text)["split"]["test"] == 15
