"""An audit that was stopped goes on in its folder; what is kept there is what was measured."""

import json
import os
import subprocess
import sys
from dataclasses import fields, is_dataclass

import joblib
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import benchkit
from benchkit.auditing import kept_parts, measure
from benchkit.auditing.audit import read_audit
from benchkit.auditing.kept_parts import FILE, PAGE
from benchkit.auditing.measured import Measured
from benchkit.auditing.outcome import Outcome
from benchkit.auditing.plain_form import from_plain, to_plain


def table(seed=0, n=240):
    random = np.random.default_rng(seed)
    X = pd.DataFrame(random.normal(size=(n, 4)), columns=list("abcd"))
    return X, np.where(X["a"] + X["b"] + random.logistic(size=n) / 2 > 0, "yes", "no")


class Model:
    """A model that counts the rows it answers, and may be stopped."""

    def __init__(self, stop_after=float("inf")):
        self.asked, self.stop_after = 0, stop_after

    def __call__(self, frame):
        self.asked += len(frame)
        if self.asked > self.stop_after:
            raise KeyboardInterrupt
        return np.where(frame.fillna(0)[["a", "b"]].sum(axis=1) > 0, "yes", "no")

    def __getstate__(self):
        return {}


def told(report):
    said = report.to_dict()
    return {name: value for name, value in said.items() if name != "seconds"}


def test_what_was_measured_is_not_measured_again(tmp_path):
    X, y = table()
    plain = benchkit.audit(Model(), X, y)
    whole = Model()
    benchkit.audit(whole, X, y, out=tmp_path / "whole")
    stopped = Model(whole.asked // 2)
    with pytest.raises(KeyboardInterrupt):
        benchkit.audit(stopped, X, y, out=tmp_path / "stopped")
    with pytest.raises(benchkit.RequestError, match="not ended: the same command goes on"):
        read_audit(tmp_path / "stopped")
    kept = [json.loads(line) for line in (tmp_path / "stopped" / FILE).read_text().splitlines()]
    assert 1 < len(kept) < 9
    goes_on = Model()
    resumed = benchkit.audit(goes_on, X, y, out=tmp_path / "stopped")
    assert told(resumed) == told(plain)
    assert goes_on.asked < 0.8 * whole.asked
    again = Model()
    assert told(benchkit.audit(again, X, y, out=tmp_path / "stopped")) == told(plain)
    assert again.asked < 0.2 * whole.asked
    assert told(read_audit(tmp_path / "stopped")) == told(plain)
    assert (tmp_path / "stopped" / "report.html").is_file()


def test_a_line_that_was_cut_short_costs_its_part_alone(tmp_path):
    X, y = table()
    first = benchkit.audit(Model(), X, y, out=tmp_path)
    content = (tmp_path / FILE).read_text().splitlines()
    (tmp_path / FILE).write_text("\n".join([*content[:4], content[4][:50]]))
    assert told(benchkit.audit(Model(), X, y, out=tmp_path)) == told(first)


def told_apart(value):
    """A function that says what no pickle holds: what it takes a gap for."""
    return lambda frame: np.where(frame["a"].fillna(value) + frame["b"].fillna(value) > 0, "yes", "no")


@pytest.mark.parametrize("fill", ["auto", "mean"])
def test_functions_that_differ_only_where_something_is_lost_are_told_apart(fill, tmp_path):
    X, y = table()
    benchkit.audit(told_apart(0), X, y, out=tmp_path, fill=fill)
    same = benchkit.audit(told_apart(0), X, y, out=tmp_path, fill=fill)
    assert not any("it was replaced" in note for note in same.notes)
    other = benchkit.audit(told_apart(9), X, y, out=tmp_path, fill=fill)
    assert any("it was replaced" in note for note in other.notes)


@pytest.mark.parametrize("library", ["numpy", pytest.param("scikit-learn", marks=pytest.mark.whole), "benchkit"])
def test_another_version_measures_again(library, tmp_path, monkeypatch):
    X, y = table()
    benchkit.audit(Model(), X, y, out=tmp_path)
    if library == "benchkit":
        monkeypatch.setattr(kept_parts, "_own_code", lambda: "another")
    else:
        real = kept_parts.version
        monkeypatch.setattr(kept_parts, "version", lambda name: "0" if name == library else real(name))
    assert any("it was replaced" in note for note in benchkit.audit(Model(), X, y, out=tmp_path).notes)


@pytest.mark.parametrize(
    "option",
    [
        {"fill": "mean"},
        {"sources": {"both": ["a", "b"]}},
        *[
            pytest.param(option, marks=pytest.mark.whole)
            for option in ({"fill": "zero"}, {"thorough": True}, {"seed": 1}, {"loss": "squared"})
        ],
    ],
)
def test_every_option_that_decides_a_number_is_another_audit(option, tmp_path):
    X, _ = table(n=60)
    y = X["a"] * 3

    def model(frame):
        return frame["a"].fillna(0).to_numpy() * 3

    benchkit.audit(model, X, y, out=tmp_path)
    assert any("it was replaced" in note for note in benchkit.audit(model, X, y, out=tmp_path, **option).notes)


@pytest.mark.parametrize(
    "line",
    [
        '{"part": "columns"}',
        '{"part": "columns", "found": {"columns": [{"class": "Popen"}]}}',
        '{"part": "columns", "found": {"nonsense": []}}',
        *[
            pytest.param(line, marks=pytest.mark.whole)
            for line in (
                '{"part": ["columns"], "found": {}}',
                '{"part": "columns", "found": 3}',
                '{"part": "columns", "found": {"columns": [3]}}',
                '{"part": "columns", "found": {"columns": 3}}',
                '{"part": "columns", "found": {"nonsense": "text"}}',
            )
        ],
    ],
)
def test_a_part_that_is_damaged_is_measured_again(line, tmp_path):
    X, y = table(n=60)
    first = benchkit.audit(Model(), X, y, out=tmp_path)
    header, *rest = (tmp_path / FILE).read_text().splitlines()
    others = [each for each in rest if json.loads(each).get("part") not in ("columns", None)]
    (tmp_path / FILE).write_text("\n".join([header, line, *others]) + "\n")
    assert told(benchkit.audit(Model(), X, y, out=tmp_path)) == told(first)


@pytest.mark.parametrize("content", ['{"event": "login"}\n', "not json at all\n", '["a", "list"]\n'])
def test_the_file_of_another_program_is_left_alone(content, tmp_path):
    (tmp_path / FILE).write_text(content)
    with pytest.raises(benchkit.RequestError, match="another program wrote it: remove it, or give another folder"):
        benchkit.audit(Model(), *table(n=60), out=tmp_path)
    assert (tmp_path / FILE).read_text() == content


@pytest.mark.parametrize("name", [FILE, PAGE])
def test_nothing_is_written_through_a_link(name, tmp_path):
    (tmp_path / "theirs").write_text("")
    (tmp_path / name).symlink_to(tmp_path / "theirs")
    benchkit.audit(Model(), *table(n=60), out=tmp_path)
    assert (tmp_path / "theirs").read_text() == ""
    assert not (tmp_path / name).is_symlink()


def test_a_page_that_cannot_be_written_is_told_in_one_line(tmp_path):
    (tmp_path / PAGE).mkdir()
    with pytest.raises(benchkit.RequestError, match=r"report\.html: cannot be written: "):
        benchkit.audit(Model(), *table(n=60), out=tmp_path)


@pytest.mark.parametrize(
    "change", ["model", *(pytest.param(each, marks=pytest.mark.whole) for each in ("rows", "options"))]
)
def test_another_audit_replaces_it_and_says_so(change, tmp_path):
    X, y = table()
    model, options = LogisticRegression().fit(X, y), {}
    benchkit.audit(model, X, y, out=tmp_path)
    if change == "model":
        model = LogisticRegression(C=0.1).fit(X, y)
    elif change == "rows":
        X, y = table(1)
    else:
        options = {"seed": 1}
    other = benchkit.audit(model, X, y, out=tmp_path, **options)
    assert any("it was replaced" in note for note in other.notes)
    notes = [note for note in other.notes if "it was replaced" not in note]
    assert {**told(other), "notes": notes} == told(benchkit.audit(model, X, y, **options))
    # What only concerns how long and what is shown is no other audit.
    shown = benchkit.audit(model, X, y, out=tmp_path, seconds=1000, ignore=["BK011"], title="Mine", **options)
    assert not any("it was replaced" in note for note in shown.notes)
    kept = read_audit(tmp_path)
    assert (kept.title, told(kept)) == ("Mine", told(shown))


def test_a_regression_and_models_trained_beside_it_are_kept(tmp_path, monkeypatch):
    from benchkit.auditing import hardened

    methods = {name: hardened._METHODS[name] for name in ("fdrop", "lp")}
    monkeypatch.setattr(hardened, "_METHODS", methods)
    X, y = table()
    model = LogisticRegression().fit(X, y)
    first = benchkit.audit(model, X, y, train=table(2), out=tmp_path)
    assert [each.name for each in first.outcome.hardened] == ["fdrop", "lp"]

    def never(*args, **options):
        raise AssertionError("trained again")

    monkeypatch.setattr(hardened, "_pipeline", never)
    assert told(benchkit.audit(model, X, y, train=table(2), out=tmp_path)) == told(first)
    assert told(read_audit(tmp_path)) == told(first)
    prices = X["a"] * 3
    number = benchkit.audit(lambda frame: frame["a"].fillna(0).to_numpy() * 3, X, prices, out=tmp_path / "numbers")
    assert told(read_audit(tmp_path / "numbers")) == told(number)


def test_parts_that_time_cut_short_are_measured_the_next_time(tmp_path):
    X, y = table()
    short = benchkit.audit(Model(), X, y, out=tmp_path, seconds=1e-9)
    assert short.outcome.skipped
    longer = benchkit.audit(Model(), X, y, out=tmp_path)
    assert told(longer) == told(benchkit.audit(Model(), X, y))


@pytest.mark.whole
def test_a_stored_model_is_the_same_in_every_process(tmp_path):
    X, y = table()
    joblib.dump(make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y), tmp_path / "m.joblib")
    X.assign(y=y).to_csv(tmp_path / "h.csv", index=False)
    program = """
import joblib, json, pandas as pd, numpy as np
from benchkit.auditing.kept_parts import fingerprint
from benchkit.auditing.make_subject import make_subject
table = pd.read_csv("h.csv")
model = joblib.load("m.joblib")
subject = make_subject(model, table.drop(columns="y"), table["y"]).subject
print(json.dumps(fingerprint(model, subject, [subject.answers(subject.table(np.arange(len(table)), {}))], {"seed": 0})))
"""
    said = [
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=tmp_path,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert said[0] == said[1]
    assert json.loads(said[0])["model"]


def same(one, other):
    if is_dataclass(one):
        return type(one) is type(other) and all(same(getattr(one, e.name), getattr(other, e.name)) for e in fields(one))
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    if isinstance(one, list | tuple):
        return type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and same(list(one.values()), list(other.values()))
    return one == other or (one != one and other != other)


numbers = st.floats() | st.integers(-(2**60), 2**60)
plain = st.none() | st.booleans() | numbers | st.text(max_size=5)
measured = st.builds(Measured, numbers, numbers, numbers, st.integers(0, 99), numbers)
shapes = array_shapes(max_dims=2, max_side=4)
values = st.recursive(
    plain | measured | arrays(np.float64, shapes) | arrays(np.bool_, shapes) | arrays(np.int32, shapes),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(plain.filter(lambda e: e == e), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(values)
def test_the_plain_form_gives_back_what_it_was_given(value):
    assert same(from_plain(json.loads(json.dumps(to_plain(value), allow_nan=False))), value)


@pytest.mark.parametrize(
    "said",
    [
        {"class": "Popen", "args": ["ls"]},
        {"class": "Measured", "value": 1},
        {"class": "array", "type": "|O", "shape": [1], "contents": ""},
        {"class": "array", "type": "<f8", "shape": [10**9], "contents": ""},
        {"class": "array", "type": "<f8", "shape": [2], "contents": "eJwDAAAAAAE="},
        {"class": "array", "type": "<f8", "shape": [2], "contents": "AAAA"},
        {"no": "kind"},
    ],
)
def test_what_another_program_wrote_is_refused(said):
    with pytest.raises(ValueError, match="is no part of an audit of this benchkit"):
        from_plain(said)


def test_a_folder_that_holds_no_audit_is_told_in_one_line(tmp_path):
    (tmp_path / FILE).write_text('{"audit": {"class": "Measured"}, "said": {}}\nnot json\n')
    with pytest.raises(benchkit.RequestError, match=r"audit\.jsonl: Measured is no part"):
        read_audit(tmp_path)
    (tmp_path / FILE).write_text('{"audit": [1], "said": {}}\n')
    with pytest.raises(benchkit.RequestError, match="holds no audit"):
        read_audit(tmp_path)
    outcome = {"class": "Outcome", **{each.name: 3 for each in fields(Outcome)}}
    (tmp_path / FILE).write_text(json.dumps({"audit": outcome, "said": {}}) + "\n" + "[" * 100_000)
    with pytest.raises(benchkit.RequestError, match="holds no audit that can be shown"):
        read_audit(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(benchkit.RequestError, match="cannot be written"):
        benchkit.audit(Model(), *table(), out=tmp_path / "file")


def test_the_parts_that_are_kept_are_those_that_an_audit_has(tmp_path):
    X, y = table()
    benchkit.audit(Model(), X, y, out=tmp_path)
    parts = [json.loads(line).get("part") for line in (tmp_path / FILE).read_text().splitlines()]
    assert {each for each in parts if each} == set(measure._Parts.in_order(measure._Parts(*[None] * 13)))
