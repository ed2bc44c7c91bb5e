"""Published rows beside a run's own: the same question by content, or none; their site, and how they are cited."""

import json
import re
from dataclasses import replace

import pytest

from benchkit import results_of
from benchkit.cli.interface.show_results import print_interrupted
from benchkit.errors import PublishError
from benchkit.report.analysis import Analysis
from benchkit.report.stored_results import load
from benchkit_results.citations import joined_bibtex
from benchkit_results.publish import publish
from benchkit_results.site import build_site, cases_of, suite_pages
from benchkit_results.stored import open_stored

from .conftest import RIDGE, SUITE, as_by_other_code, edit_manifest, join, run


@pytest.fixture(scope="module")
def alone(first, tmp_path_factory):
    """A new method, run against what is published."""
    home = tmp_path_factory.mktemp("alone")
    plugin = home / "ridge.py"
    plugin.write_text(RIDGE)
    return run(home, plugins=[plugin], against=first[1])


def test_only_the_new_method_runs_beside_the_others_and_a_run_keeps_its_own_rows_alone(first, alone, capsys, published):
    results, _ = first
    assert alone.ran == len(alone.own_rows) == 6
    assert (alone.ok, alone.statuses) == (True, {"ok": 6})
    print_interrupted(alone)
    assert "0 of 6 trials are left" in capsys.readouterr().out
    together = Analysis(alone)
    assert together.algorithms == ["ridge", "svm", "constant"]
    before = {(point.algorithm, point.axis_value): point.mean for point in results.points()}
    now = {(point.algorithm, point.axis_value): point.mean for point in alone.points()}
    assert now.items() >= before.items()
    assert [verdict.outcome for verdict in together.verdicts] == [verdict.outcome for verdict in results.verdicts()]
    # Paired with the new method by repetition, so that tests are.
    assert {comparison.n for comparison in together.comparisons} == {3}
    # Another machine's seconds do not mix with this one's.
    beside = [row for row in alone.records if row.get("published")]
    assert {row[name] for row in beside for name in ("fit_seconds", "cpu_seconds", "peak_mb")} == {None}
    assert "Published rows" in [title for title, _ in alone.sections()]
    own = load(alone.folder)
    assert {row["algorithm"] for row in own.records} == {"ridge"}
    joined = join(own, first[1])
    assert {row["algorithm"] for row in joined.records} == {"ridge", "svm", "constant"}
    manifest = json.loads((alone.folder / "manifest.json").read_text())
    assert manifest["trials"] == [*manifest["content"]["places"]] == [row["trial"] for row in own.records]
    assert manifest["answered"] == {}  # its own trials say where published rows stand
    assert join(load(results.folder), published).records == load(results.folder).records


def test_methods_that_ran_under_a_new_adversary_alone_have_their_published_rows_elsewhere(first, tmp_path):
    """The adversary is not published, so that every method runs under it; under the others none needs to."""
    new = {"name": "random-delete", "budgets": [0, 2]}
    suite = {**SUITE, "adversaries": [*SUITE["adversaries"], new]}
    results = run(tmp_path, suite, against=first[1])
    assert {row["adversary"] for row in results.own_rows} == {"random-delete"}
    before = {(point.algorithm, point.axis_value): point.mean for point in first[0].points()}
    now = {(p.algorithm, p.axis_value): p.mean for p in results.points() if p.adversary != "random-delete"}
    assert now == before


def test_a_metric_that_does_not_judge_what_the_data_predicts_is_no_gap(tmp_path):
    """A suite of classes and of numbers has metrics for either: every row lacks one, and answers its trial."""
    numbers = {"name": "roofs-synthetic", "label": "numbers", "params": {"n": 200, "p": 5, "sparsity": 0.4}}
    suite = {
        **SUITE,
        "datasets": ["breast", numbers],
        "algorithms": [{"name": "constant", "datasets": ["breast"]}, {"name": "mean", "datasets": ["numbers"]}],
        "adversaries": [{"name": "gaussian-noise", "budgets": [0, 1]}],
        "metrics": ["error", "mean-absolute-error"],
        "expect": [],
    }
    first = run(tmp_path / "first", suite)
    assert first.ok
    publish([first.folder], tmp_path / "results")
    again = run(tmp_path / "again", suite, against=tmp_path / "results")
    assert again.ran == 0
    known = {(row["dataset"], row["repetition"], row["axis_value"]): row["metrics"] for row in first.records}
    assert len(again.records) == len(known) == 12
    for row in again.records:
        before = known[row["dataset"], row["repetition"], row["axis_value"]]
        assert {name: value for name, value in before.items() if value is not None} == row["metrics"]


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 8},
        {"preprocess": ["standardize"]},
        {"split": {**SUITE["split"], "train": 61}},
        {"feature_values": "mutual-information"},
    ],
)
def test_another_question_does_not_join(change, first, tmp_path):
    suite = {"split": {**SUITE["split"], "repetitions": 1}, **change, "algorithms": ["constant"], "expect": []}
    other = run(tmp_path, {**SUITE, **suite})
    with pytest.raises(PublishError, match="asks"):
        join(other, first[1])


@pytest.mark.parametrize(
    ("kind", "part", "complaint"),
    [
        *(("code", part, f"the code or content of {part}") for part in ("data", "protocol", "adversary")),
        ("metrics", "error", "no metric"),
    ],
)
def test_what_other_code_made_does_not_join_and_is_named(kind, part, complaint, alone, published):
    def edit(manifest):
        for design in manifest["content"]["designs"].values():
            design[kind][part] = "0" * 16

    edit_manifest(published, edit)
    with pytest.raises(PublishError, match=complaint):
        join(load(alone.folder), published)


def test_two_publishers_with_one_name_are_told_apart(constant, published, tmp_path):
    for who, alpha in (("Anna", "2.0"), ("Bert", "30.0")):
        home = tmp_path / who
        home.mkdir()
        (home / "ridge.py").write_text(RIDGE.replace("1.0, 10.0", alpha))
        publish([run(home, plugins=[home / "ridge.py"], against=published).folder], published, by=who)
    joined = join(constant, published)
    labels = {row["algorithm"] for row in joined.records}
    assert labels == {"constant", "svm", "ridge", "ridge (Bert)"}
    counts = [sum(row["algorithm"] == label for row in joined.records) for label in sorted(labels)]
    assert counts == [6, 6, 6, 6]


@pytest.mark.parametrize(("joining", "budgets"), [("tiny", 2), ("renamed", 1)])
def test_of_two_tunings_that_of_the_suite_joins_or_of_most_places(constant, published, tmp_path, joining, budgets):
    """Another suite asks the same with other parameters of a method of the same name: there is one curve of it."""
    fewer = [{**adversary, "budgets": adversary["budgets"][:budgets]} for adversary in SUITE["adversaries"]]
    other = {"name": "other", "algorithms": [{"name": "svm", "params": {"C": 3.0}}], "adversaries": fewer, "expect": []}
    publish([run(tmp_path / "more", {**SUITE, **other}).folder], published)
    joined = join(replace(constant, suite=joining), published)
    assert [row["algorithm"] for row in joined.records].count("svm") == len(joined.records) - len(constant.records) == 6
    assert not any("other/" in row.get("published", "") for row in joined.records)


def test_a_folder_without_published_results_is_one_line(first, tmp_path, here):
    refused = here("report", str(first[0].folder), "--against", str(tmp_path))
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert f"{tmp_path}: no published results here" in refused.stderr


def test_a_report_has_the_published_rows_that_answered_every_trial_of_its_run(first, tmp_path, here):
    results = run(tmp_path, against=first[1])
    assert not results.own_rows
    assert "claim supported: it beats chance" in here("report", str(results.folder)).stdout


def test_of_rows_that_answer_the_same_the_newest_that_ended_ok_joins(constant, published, tmp_path):
    again = run(tmp_path / "again", {**SUITE, "expect": []})
    as_by_other_code(again)
    publish([again.folder], published)
    beside = [row for row in join(constant, published).records if row.get("published")]
    assert {(row["algorithm"], row["metrics"]["error"]) for row in beside} == {("svm", 0.123)}
    assert len(beside) == 6
    # What did not end ok takes nobody's place, however new it is.
    failed = run(tmp_path / "failed", {**SUITE, "expect": []})
    journal = failed.folder.parent / "trials.jsonl"
    journal.write_text(journal.read_text().replace('"status": "ok"', '"status": "failed"'))
    publish([failed.folder], published)
    beside = [row for row in join(constant, published).records if row.get("published")]
    assert {(row["status"], row["metrics"]["error"]) for row in beside} == {("ok", 0.123)}


def test_a_copy_of_another_suites_row_joins_once(constant, published, with_column):
    assert len(join(constant, published).records) == 12
    assert len(join(constant, with_column(published_with="another")).records) == 6


EVIL = '<script>alert("x")</script>'


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    home = tmp_path_factory.mktemp("hostile")
    suite = {
        **SUITE,
        "split": {"repetitions": 5, "train": 100, "validation": 60, "test": 120},
        "datasets": ["breast", {"name": "digits", "pair": [4, 7], "preprocess": [], "group": "pairs"}],
        "algorithms": ["svm", {"name": "logistic-regression", "label": EVIL}, "constant"],
        "expect": [],
    }
    publish([run(home, suite).folder], home / "results")
    edit_manifest(home / "results", lambda manifest: manifest.update(title=EVIL, by=EVIL))
    return home / "results"


@pytest.fixture(scope="module")
def site(hostile, tmp_path_factory):
    folder = tmp_path_factory.mktemp("site") / "site"
    build_site(hostile, folder)
    return folder


def test_every_link_leads_somewhere_and_nothing_is_fetched(site):
    pages = sorted(site.rglob("*.html"))
    assert {str(path.relative_to(site)) for path in pages} >= {
        *("index.html", "suite/tiny.html"),
        *("method/svm.html", "method/constant.html", "method/logistic-regression.html"),
        *("data/breast.html", "data/digits.html"),
    }
    reached = set()
    for path in pages:
        text = path.read_text()
        assert not re.search(r'\ssrc=|<link\s(?![^>]*href="data:,")', text), path  # which a browser would load
        for link in re.findall(r'<a\s[^>]*href="([^"]*)"', text):
            if link.startswith(("#", "data:", "https://")):
                continue
            target = (path.parent / link.partition("#")[0]).resolve()
            assert target.is_file(), (path, link)
            reached.add(target)
        assert "Content-Security-Policy" in text
        assert path.stat().st_size < 10**6
    assert {path.resolve() for path in pages} <= reached | {(site / "index.html").resolve()}


def test_names_that_are_html_do_nothing_and_a_case_holds_who_cannot_be_told_from_the_best(site, hostile):
    for path in site.rglob("*.html"):
        assert EVIL not in path.read_text(), path
    cases = cases_of(suite_pages(open_stored(hostile)))
    assert {case.data for case in cases} == {"breast", "digits"}
    assert {case.where for case in cases} == {"2 features deleted"}
    for case in cases:
        assert {answer.method for answer in case.answers} == {"svm", EVIL, "constant"}
        assert case.answers[0].tier == 1
        means = [answer.mean for answer in case.answers if answer.tier == 1]
        assert means == sorted(means)
    # On digits, constant is wrong on half of the rows, and the others on few.
    digits = next(case for case in cases if case.data == "digits")
    assert digits.answers[-1].method == "constant"
    assert digits.answers[-1].tier > 1


def test_a_site_replaces_a_site_and_nothing_else(hostile, site, tmp_path):
    (tmp_path / "mine.txt").write_text("")
    with pytest.raises(PublishError, match="holds files that are no site"):
        build_site(hostile, tmp_path)
    (site / "left-over.html").write_text("")
    build_site(hostile, site)
    assert not (site / "left-over.html").exists()


def test_each_work_is_cited_once_with_what_used_it(first):
    results, algorithms = first[0], ["fdrop", "lp", "constant", "svm"]
    used = {"datasets": ["breast"], "algorithms": algorithms, "adversaries": ["random-delete"]}
    text = joined_bibtex(results_of({**results.manifest, "suite_as_run": used}, results.rows, results.outcomes), [])
    keys = re.findall(r"^@\w+\{(\w+),$", text, re.MULTILINE)
    assert len(keys) == len(set(keys))
    assert text.count("{") == text.count("}")
    assert "note = " not in text  # which would be printed in the list of references
    found = re.findall(r"^(\S*[^@{]*@\w+\{(\w+),.*?^\})", text, re.DOTALL | re.MULTILINE)
    entries = {key: entry for entry, key in found}
    for part in ("Amir Globerson and Sam Roweis", "353--360", "fdrop, random-delete"):
        assert part in entries["globerson2006"]
    assert "breast" in entries["dekel2010"]
    assert "title" in entries["joachims1998"]
    assert "version" in entries["benchkit"]
