"""What `benchkit new` writes: plugins of each kind that pass their tests, and suites for a user's own table."""

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import benchkit
import benchkit.testing.check  # pytester forgets what is imported first within its session, and numpy bears it once
from benchkit import RequestError, TableError
from benchkit.cli.new import suite
from benchkit.scaffold.suite import write_suite
from benchkit.scaffold.write import KINDS, ScaffoldError, write_plugin
from benchkit.session.plan import Request, plan_suite
from benchkit.suite import yaml_text
from tests.conftest import install

pytest_plugins = ["pytester"]

NAMES = {kind: f"some-{kind}" for kind in KINDS}


def test_new_plugins_are_listed_and_pass_their_tests(site_packages, with_installed, here, tmp_path_factory, pytester):
    """Among them one for each rule of `benchkit check`, which is tried as a command on the package under examples/."""
    folder = tmp_path_factory.mktemp("plugins")
    for kind, name in NAMES.items():
        write_plugin(name, kind, folder)
    install(site_packages, *(folder / name for name in NAMES.values()))
    listed = json.loads(here("list", "--json").stdout)["rows"]
    assert set(NAMES.values()) <= {entry["name"] for entry in listed if entry["kind"] != "plugins"}
    options = ("-q", "-rA", f"--rootdir={folder}", "-p", "no:cacheprovider", "--import-mode=importlib")
    found = pytester.runpytest_inprocess(*options, *(folder / name for name in NAMES.values()))
    assert found.parseoutcomes().keys() == {"passed", "skipped"}
    for kind, name in NAMES.items():
        assert sum(re.match(rf"PASSED \S*{name}/", line) is not None for line in found.outlines) >= 3, kind
    suite = folder / "some-algorithm" / "suite.yaml"
    quick = ("--executor", "inline", "--no-tracking", "--no-plots", "--only", "algorithm=some-algorithm,repetition=0")
    assert "4 trials run, 0 reused" in here("run", str(suite), *quick).stdout


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_of_the_template_is_left(tmp_path, kind):
    for path in write_plugin("two-words", kind, tmp_path):
        assert not re.search("my.?method", str(path.relative_to(tmp_path)) + path.read_text(), re.IGNORECASE)


@pytest.mark.parametrize(
    ("name", "kind", "reason"),
    [
        ("MyThing", "algorithm", "how about 'my-thing'?"),
        ("../up", "algorithm", "how about 'up'?"),
        ("", "algorithm", "not lower-case words"),
        ("taken", "algorithm", "exists already"),
        ("class", "algorithm", "a word of Python"),
        ("judge", "metric", "an installed plugin uses the name"),
        ("svm", "algorithm", "an installed plugin uses the name"),
        ("thing", "report", "unknown kind 'report'"),
    ],
)
def test_bad_names_and_kinds_are_refused(tmp_path, name, kind, reason):
    (tmp_path / "taken").mkdir()
    with pytest.raises(ScaffoldError, match=re.escape(reason)):
        write_plugin(name, kind, tmp_path)
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == ["taken"]


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ScaffoldError, match="cannot write: Not a directory"):
        write_plugin("thing", "metric", tmp_path / "file")


N = 80


@pytest.fixture(autouse=True)
def table(tmp_path, monkeypatch):
    """Numbers, a category, gaps, names of rows, and columns to predict."""
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
        frame[["who", "size", "age", "colour", target]].to_csv(f"{target}.csv", index=False)


def written(frame, target="ill", **options):
    """The suite for a table: its text, its entry, and by column what is seen and what is done."""
    frame.to_csv("t.csv", index=False)
    path, table = write_suite(Path("t.csv"), target, **options)
    text = path.read_text()
    path.unlink()
    (entry,) = yaml_text.parse(text)["datasets"]
    return text, entry, {fact.where: (fact.what, fact.done) for fact in table.facts}


@pytest.mark.parametrize("target", ["ward", "stay"])
def test_it_runs_as_it_is(target):
    assert written(pd.read_csv(f"{target}.csv"), target)[1]["drop"] == ["who"]
    options = {"profile": "quick", "executor": "inline", "tracking": False, "plots": False, "only": {"repetition": "0"}}
    pd.read_csv(f"{target}.csv")[:20].to_csv("few.csv", index=False)
    path, few = write_suite(Path("few.csv"), target)
    results = benchkit.run(str(path), **options)
    assert {(row["status"], row["error"]) for row in results.records} == {("ok", None)}
    assert "only 20" in [fact.what for fact in few.facts]
    assert len({row["algorithm"] for row in results.records}) >= 5
    assert {row["algorithm"] for row in results.records} & {"constant", "mean"}
    assert len({row["adversary"] for row in results.records}) == 3


def test_huge_numbers_are_numbers_infinity_has_a_place_and_rows_without_a_target_are_left_out():
    frame = awkward()[["size", "age", "wage", "ill"]]
    assert written(frame.assign(size=frame["size"] * 1e50))[1]["target"] == "ill"
    assert written(frame.assign(wage=frame["wage"] * 1e50), "wage")[1]["name"] == "csv-regression"
    with pytest.raises(RequestError, match="column 'size' holds infinity in record 4"):
        written(frame.assign(size=np.where(frame.index == 3, np.inf, frame["size"])))
    frame = pd.read_csv("ill.csv")
    frame.loc[[3, 5], "ill"] = None
    assert written(frame)[1]["missing_target"] == "drop"


def test_new_suite_asks_and_writes_what_it_was_told():
    amounts = ["396", "1,494", "4,282"]
    rows = [f"{amounts[n % 3]};{n / 8};{'NA' if n % 9 == 0 else n};{n % 2}" for n in range(90)]
    Path("own.csv").write_text("\n".join(["a;b;c;y", *rows]) + "\n")
    for reading, option in (({}, "--na-values NA"), ({"na_values": ["NA"]}, "--decimal")):
        with pytest.raises(TableError, match=option):
            write_suite(Path("own.csv"), "y", reading=reading)
    path, made = write_suite(Path("own.csv"), "y", reading={"na_values": ["NA"], "decimal": "."})
    (entry,) = yaml_text.parse(path.read_text())["datasets"]
    assert (entry["decimal"], entry["na_values"]) == (".", ["NA"])
    assert set(made.frame["a"]) == {396, 1494, 4282}
    assert made.frame["c"].isna().sum() == 10


@pytest.mark.parametrize(
    ("file", "options", "message"),
    [
        ("ill.csv", {"target": "sick"}, "'sick'; the columns are"),
        ("ill.csv", {"target": "il"}, "did you mean 'ill'"),
        ("ill.csv", {"groups": "whom"}, "did you mean 'who'"),
        ("ill.csv", {"groups": "ill"}, "--groups ill"),
        ("ill.csv", {"groups": "size"}, "--groups size"),  # it has gaps
        ("gone.csv", {}, "gone.csv: no such file"),
        ("wards.csv", {}, "did you mean 'ward.csv'?"),
        ("ill.xyz", {}, "no data set reads such files"),
        ("useless.csv", {}, "blank: no value in any row; one: "),
        ("ill.csv", {"target": "who"}, "80 classes in 80 rows"),
        ("ill.csv", {"target": "size", "task": "classification"}, "hardly classes"),
        ("ill.csv", {"task": "classify"}, "--task is 'classify', expected classification or regression"),
        ("ill.csv", {"task": "regression", "positive": "yes"}, "--positive"),
        ("ill.csv", {"task": "regression"}, "--task regression"),
        ("ward.csv", {"target": "ward", "positive": "b"}, "one_against_rest: b"),
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


def test_leaks_are_seen_and_rows_of_one_stay_together_where_it_is_asked_for():
    """Visits of patients, whose beds are theirs alone; two columns are known only once the target is."""
    rng = np.random.default_rng(0)
    who, n = np.repeat(np.arange(40), 10), 400
    ill = np.where(rng.random(n) < 0.4, "yes", "no")
    columns = {
        "user_id": who * 3,
        "height": 190 - who,
        "bed": [f"b{7 * each}" for each in who],
        "size": rng.normal(size=n),
    }
    columns |= {"code": np.where(ill == "yes", rng.choice(["I1", "I2"], n), "N")}
    visits = pd.DataFrame({**columns, "cost": 9 * (ill == "yes") + columns["size"], "ill": ill})
    text, entry, facts = written(visits)
    assert "--no-groups" in facts["user_id"][1]
    assert {"bed", "code", "cost"} <= facts.keys()
    assert "one-to-one with user_id" in facts["height"][0]
    assert "size" not in facts
    assert entry["drop"] == ["user_id", "bed"]
    assert yaml_text.parse(text)["split"]["groups"] == "user_id"
    text, entry, _ = written(visits, at_random=True)
    assert entry["drop"] == ["bed"]
    assert "groups" not in yaml_text.parse(text)["split"]
    names = visits.rename(columns={"bed": "label"}).drop(columns="user_id").assign(seat=visits["bed"] + "-1")
    assert yaml_text.parse(written(names)[0])["split"]["groups"] == "label"  # a text with a number is a code
    names["label"] = names["label"].map(lambda code: code.translate(str.maketrans("0123456789", "abcdefghij")))
    text, entry, facts = written(names)  # one without may be a category
    assert "--groups label" in facts["label"][1]
    assert "groups" not in yaml_text.parse(text)["split"]
    towns = pd.DataFrame({"town": [f"in{chr(97 + k)}" for k in rng.integers(26, size=n)], "ill": ill})
    assert "--groups town" in written(towns.assign(size=columns["size"]))[2]["town"][1]
    text, entry, _ = written(visits, groups="user_id")
    assert entry["drop"] == ["user_id", "bed"]
    assert yaml_text.parse(text)["split"]["groups"] == "user_id"


DAYS = [f"2023-{1 + row // 28 % 12:02}-{1 + row % 28:02}" for row in range(300)]
GERMAN = [f"{1 + row % 28:02}/03/2023" for row in range(300)]
MONTHS = [f"2023-{1 + row % 12:02}-01" for row in range(300)]  # one is more than half of a tenth of the rows


@pytest.mark.parametrize(
    ("days", "proposed"),
    [
        (DAYS, "split: {time: 'seen: at, first', test: 0.1, validation: 0.1, repetitions: 4}"),
        (GERMAN, "2024-03-05"),
        (MONTHS, None),
        ([None, *DAYS[1:]], None),
    ],
)
def test_a_column_of_dates_is_proposed_for_time_where_it_can_divide_rows(days, proposed):
    frame = pd.DataFrame({"seen: at, first": days, "size": np.arange(300) * 37 % 101, "ill": ["yes", "no"] * 150})
    text, entry, facts = written(frame)
    assert entry["drop"] == ["seen: at, first"]
    assert "\nsplit: {repetitions: 10, " in text
    assert proposed is None or proposed in facts["seen: at, first"][1]
    if days is DAYS:
        Path("timed.yaml").write_text(text.replace("\nsplit: {repetitions: 10, ", f"\n{proposed}  # "))
        assert plan_suite(Request("timed.yaml")).warnings == []


def awkward(rows=400):
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
            "wage": np.round(10 + size + rng.normal(size=rows), 1),  # many rows share one
        }
    )


def test_what_tells_nothing_of_other_rows_is_seen_once_and_left_out(capsys):
    frame = awkward().drop(columns=["wage", "id"])
    text, entry, facts = written(pd.concat([frame, frame[:30]]))
    assert sorted(entry["drop"]) == ["blank", "note", "one", "visit"]
    assert facts["rows"][0].startswith("30 of 430 ")
    assert yaml_text.parse(text)["metrics"][0] == "balanced_accuracy"
    awkward().drop(columns=["wage"]).to_csv("t.csv", index=False)
    suite(Path("t.csv"), "ill", out=Path("my own.yaml"))
    lines = [line.strip(" │|") for line in capsys.readouterr().out.splitlines()]
    assert "benchkit plan 'my own.yaml'" in lines[-1]
    for where in ("id ", "note ", "visit ", "blank ", "one ", "ill "):
        assert sum(line.startswith(where) for line in lines) == 1


def test_copies_are_told_from_rows_that_differ_in_what_is_left_out_and_numbers_of_rows_are_seen():
    rows = np.arange(400)
    dose, size = np.random.default_rng(0).normal(size=(2, 100))[:, rows // 4]
    frame = pd.DataFrame({"who": [f"P{row}" for row in rows], "dose": dose, "size": size, "visit": rows % 2})
    frame["ill"] = np.where(rows // 4 % 3 == 0, "yes", "no")
    assert written(frame)[2]["rows"][0].startswith("200 of 400 ")
    assert re.match("210 of 410 .* 200 ", written(pd.concat([frame, frame[:10]]))[2]["rows"][0])
    owned = frame.drop(columns=["who", "visit"]).assign(patient=[f"P{row // 8}" for row in rows])
    assert "rows" not in written(owned)[2]  # whose copies stay on one side of the split
    numbered = awkward()[["id", "size", "age", "ill"]].rename(columns={"id": "patient no"})
    for frame in (numbered, pd.concat([numbered, numbered[:12]])):
        assert written(frame)[1]["drop"] == ["patient no"]


def test_numbers_that_are_none_are_told():
    """Words among numbers."""
    frame = awkward()[["size", "age", "ward", "ill"]].assign(beds=np.arange(400) % 7)
    words = {"beds": "none given", "age": "unknown", "size": "absent"}
    for name, word in words.items():
        frame[name] = frame[name].astype(object)
        frame.loc[frame.index % 9 == 0, name] = word
    _, entry, facts = written(frame)
    for name, word in words.items():
        assert f"{word!r} in 45 of 400 rows" in facts[name][0]
        assert facts[name][1].endswith(f"--na-values {shlex.quote(word)}")
    assert "size" in entry["drop"]


def test_decimals_are_predicted_as_numbers_unless_the_user_says_otherwise():
    assert written(awkward()[["size", "age", "wage"]], "wage")[1]["name"] == "csv-regression"
    grades = awkward()[["size", "ward"]].assign(grade=np.arange(400) % 15)
    assert written(grades, "grade")[1]["name"] == "csv"
    assert written(grades, "grade", task="regression")[1]["name"] == "csv-regression"


def test_of_a_large_table_rows_are_drawn_some_are_tested_and_slow_methods_left_out(monkeypatch):
    for name, count in (("_MOST_ROWS", 300), ("_SLOW_FROM", 200), ("_MOST_TESTED", 15)):
        monkeypatch.setattr(f"benchkit.scaffold.suite.{name}", count)
    text, entry, facts = written(awkward()[["size", "age", "ward", "ill"]])
    assert entry["rows"] == 300
    assert facts["rows"][0].startswith("400 ")
    assert yaml_text.parse(text)["split"]["test"] == 15
    assert "svm" not in [each["name"] for each in yaml_text.parse(text)["algorithms"] if isinstance(each, dict)]


def test_a_table_named_as_one_of_its_columns_has_a_label_and_odd_names_are_names():
    rows = [f"{n % 11},{n % 7},{'ill' if n % 3 else 'well'}" for n in range(60)]
    Path("visits.csv").write_text("\n".join(["visits,age,state", *rows]) + "\n")
    text = write_suite(Path("visits.csv"), "state", out=Path("mine.yaml"))[0].read_text()
    assert yaml_text.parse(text)["name"] == "mine"
    assert "label: visits.csv" in text
    rows = "".join(f"{n % 11},1,{'ill' if n % 3 else 'well'}\n" for n in range(60))
    Path("2024: #1.csv").write_text('age,"b\nplugins: [evil.py]\n#",state\n' + rows)
    parsed = yaml_text.parse(write_suite(Path("2024: #1.csv"), "state", out=Path("2024.yaml"))[0].read_text())
    assert (parsed["name"], "plugins" in parsed, "2024: #1.csv" in parsed["title"]) == ("2024", False, True)
    assert parsed["datasets"][0]["drop"] == ["b\nplugins: [evil.py]\n#"]
