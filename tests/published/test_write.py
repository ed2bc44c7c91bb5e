"""What publishing writes: documented rows, nothing private, and never less than was there."""

import contextlib
import json
import os
import re
import shutil
from collections import Counter
from pathlib import Path

import pytest
from pyarrow import parquet

from benchkit.journal import PublishError, read_manifest
from benchkit.published.as_run import suite_results
from benchkit.published.rows import COLUMNS
from benchkit.published.stored import open_folder
from benchkit.published.submission import check_submission
from benchkit.published.transaction import pendings
from benchkit.published.write import publish

from .conftest import RIDGE, SUITE, as_by_other_code, run


def test_rows_and_index_say_what_the_run_measured(first):
    results, folder = first
    stored = open_folder(folder)
    rows = {row["trial"]: row for row in stored.all_rows()}
    assert len(rows) == len(results.records) == 12
    for record in results.records:
        row = rows[record["trial"]]
        same = ("status", "repetition", "algorithm", "params", "axis_value", "metrics", "n_test", "fit_seconds")
        assert {name: row[name] for name in same} == {name: record[name] for name in same}
        # The two values of C, and the score of each; more repetitions do not lose them.
        [stage] = record["tuning"] or [None]
        told = row.get("candidates")
        if stage is None:
            assert told is None
        else:
            assert told == [{name: stage[name] for name in ("metric", "judged_on", "params", "values", "scores")}]
            assert told[0]["values"] == [[0.1], [1]]
            assert len(told[0]["scores"]) == 2
    table = parquet.read_table(folder / "tiny" / "default" / "svm.parquet")
    assert set(table.column_names) == {*COLUMNS, "metrics.error", "tested", "wrong"}
    (contribution,) = (each for each in stored.index["contributions"].values() if each["method"] == "svm")
    assert contribution["tuned"]["C"].keys() <= {"0.1", "1"}
    assert contribution["versions"]["scikit-learn"]
    (design,) = stored.index["designs"].values()
    assert design["question"]["split"]["test"] == 60
    assert all(file["bytes"] < 2**20 for file in stored.index["files"])
    assert check_submission(folder) == []


def test_what_an_earlier_version_published_asks_the_same(first, tmp_path):
    """Its index and its manifests have other words for a question."""
    results, folder = first
    now = open_folder(folder).index
    said = json.loads((folder / "index.json").read_text())
    said["benchkit_results"] = 1
    said["designs"] = {key: in_old_words(design, "asked") for key, design in said["designs"].items()}
    for each in said["contributions"].values():
        each["methods"] = {key: in_old_words(method, "entry") for key, method in each["methods"].items()}
    old = shutil.copytree(folder, tmp_path / "old")
    (old / "index.json").write_text(json.dumps(said))
    assert open_folder(old).index == now
    manifest = json.loads((results.folder / "manifest.json").read_text())
    content = manifest["content"]
    content["designs"] = {key: in_old_words(design, "asked") for key, design in content["designs"].items()}
    content["methods"] = {key: in_old_words(method, "entry") for key, method in content["methods"].items()}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    assert read_manifest(tmp_path)["content"] == read_manifest(results.folder)["content"]


def in_old_words(said, word):
    return {word if key == "question" else key: value for key, value in said.items()}


def test_the_crate_lists_every_file_with_its_digest(first):
    _, folder = first
    graph = {each["@id"]: each for each in json.loads((folder / "ro-crate-metadata.json").read_text())["@graph"]}
    for file in open_folder(folder).index["files"]:
        assert graph[file["path"]]["sha256"] == file["sha256"]
    assert {part["@id"] for part in graph["./"]["hasPart"]} <= graph.keys()
    assert graph["./"]["license"] == [{"@id": "https://spdx.org/licenses/CC-BY-4.0"}]


def test_publishing_again_adds_what_is_new_and_keeps_the_rest(first, published, tmp_path):
    results, _ = first
    before = (published / "index.json").read_bytes()
    again = publish([results.folder], published)
    assert (again.added, again.known, again.files) == (0, 12, [])
    assert (published / "index.json").read_bytes() == before
    more = run(tmp_path / "more", {**SUITE, "split": {**SUITE["split"], "repetitions": 4}})
    told = publish([more.folder], published, by="Somebody")
    assert (told.added, told.known, told.conflicts) == (4, 12, [])
    stored = open_folder(published)
    assert len(stored.all_rows()) == 16
    assert all(row.get("candidates") for row in stored.all_rows() if row["algorithm"] == "svm")
    assert {each["by"] for each in stored.index["contributions"].values()} == {"", "Somebody"}


def test_rows_that_disagree_are_kept_and_named(first, published, tmp_path):
    results, _ = first
    shutil.copytree(results.folder.parent, tmp_path / "runs" / "tiny")
    journal = tmp_path / "runs" / "tiny" / "trials.jsonl"
    other = "20200101-000000-000000"
    shutil.move(tmp_path / "runs" / "tiny" / results.folder.name, tmp_path / "runs" / "tiny" / other)
    text = journal.read_text().replace(results.folder.name, other)
    journal.write_text(re.sub(r'"error": 0\.\d+', '"error": 0.123', text, count=1))
    manifest = tmp_path / "runs" / "tiny" / other / "manifest.json"
    manifest.write_text(manifest.read_text().replace(results.folder.name, other))
    told = publish([tmp_path / "runs" / "tiny" / other], published)
    assert (told.added, told.known) == (1, 11)
    assert len(told.conflicts) == 1
    assert "0.123" in told.conflicts[0]
    stored = open_folder(published)
    assert [each["text"] for each in stored.index["conflicts"]] == told.conflicts
    assert len(stored.all_rows()) == 13


def test_new_rows_replace_what_they_answer_anew_and_nothing_else(first, published, tmp_path):
    # As another code would have it: other errors, of the methods that ran again.
    more = run(tmp_path / "more", {**SUITE, "split": {**SUITE["split"], "repetitions": 4}})
    publish([more.folder], published, by="Somebody")
    again = run(tmp_path / "again", {**SUITE, "algorithms": SUITE["algorithms"][:1], "expect": []})
    as_by_other_code(again)
    told = publish([again.folder], published, replace=True)
    assert (told.added, told.known, told.replaced) == (6, 0, 6)
    stored = open_folder(published)
    errors = {}
    for row in stored.all_rows():
        by = stored.index["contributions"][row["contribution"]]["by"]
        errors.setdefault((by, row["algorithm"]), []).append(row["metrics"]["error"])
    assert {key: len(values) for key, values in errors.items()} == {
        ("", "svm"): 6,
        ("", "constant"): 6,
        ("Somebody", "svm"): 2,
        ("Somebody", "constant"): 2,
    }
    assert set(errors["", "svm"]) == {0.123}
    assert 0.123 not in {*errors["", "constant"], *errors["Somebody", "svm"]}
    contributions = stored.index["contributions"]
    assert {row["contribution"] for row in stored.all_rows()} == contributions.keys()
    assert {each["suite_spec"] for each in contributions.values()} == stored.index["suites"].keys()
    assert {row["design"] for row in stored.all_rows()} == stored.index["designs"].keys()
    assert check_submission(published) == []


def test_what_a_suite_tunes_otherwise_now_replaces_what_it_had_then(first, published, tmp_path):
    other = {**SUITE["algorithms"][0], "tune": {"grid": {"C": [0.5, 2]}}}
    again = run(tmp_path / "again", {**SUITE, "algorithms": [other, *SUITE["algorithms"][1:]], "expect": []})
    told = publish([again.folder], published, replace=True)
    assert (told.added, told.replaced) == (6, 6)
    stored = open_folder(published)
    own = [each for each in stored.index["contributions"].values() if each["method"] == "svm" and not each["by"]]
    grids = [method["question"]["tune"][0]["grid"] for each in own for method in each["methods"].values()]
    assert grids == [{"C": [0.5, 2]}]
    assert check_submission(published) == []


def test_a_part_that_is_replaced_leaves_the_rest_of_its_run(first, published, tmp_path):
    part = run(tmp_path / "part", {**SUITE, "split": {**SUITE["split"], "repetitions": 1}, "expect": []})
    as_by_other_code(part)
    told = publish([part.folder], published, replace=True)
    assert (told.added, told.replaced) == (4, 4)
    stored = open_folder(published)
    assert sorted(each["rows"] for each in stored.index["contributions"].values()) == [2, 2, 4, 4]
    svm = [each for each in stored.index["contributions"].values() if each["method"] == "svm"]
    assert [sum(each["tuned"]["C"].values()) for each in svm] == [each["rows"] for each in svm]
    assert check_submission(published) == []


def test_the_same_rows_replace_nothing_and_keep_where_they_were_made(first, published, tmp_path):
    before = (published / "index.json").read_text()
    again = run(tmp_path / "again", {**SUITE, "expect": []})
    told = publish([again.folder], published, replace=True)
    assert (told.added, told.known, told.replaced) == (0, 12, 0)
    assert (published / "index.json").read_text() == before


def test_designs_that_no_row_asks_any_more_are_forgotten(first, published, tmp_path, monkeypatch):
    before = set(open_folder(published).index["designs"])
    monkeypatch.setattr("benchkit.trial.identity.PROTOCOL", 0)  # drawn otherwise
    again = run(tmp_path / "again", {**SUITE, "expect": []})
    as_by_other_code(again)
    assert publish([again.folder], published, replace=True).replaced == 12
    after = open_folder(published)
    assert not before & set(after.index["designs"])
    assert {row["design"] for row in after.all_rows()} == after.index["designs"].keys()


@pytest.mark.parametrize("replace", [False, True])
def test_rows_are_known_by_what_they_answer_also_where_their_trial_has_another_id(replace, first, published, tmp_path):
    shutil.copytree(first[0].folder.parent, tmp_path / "runs" / "tiny")
    run_of_first = tmp_path / "runs" / "tiny" / first[0].folder.name
    # As by a version whose code differs in what decides no outcome.
    for path in (run_of_first / "manifest.json", run_of_first.parent / "trials.jsonl"):
        text = path.read_text()
        for record in first[0].records:
            text = text.replace(record["trial"], record["trial"][::-1])
        path.write_text(text)
    told = publish([run_of_first], published, replace=replace)
    assert (told.added, told.known, told.replaced) == (0, 12, 0)


def test_rows_that_tell_less_replace_nothing(tmp_path):
    both = run(tmp_path / "both", {**SUITE, "metrics": ["error", "accuracy"], "expect": []})
    publish([both.folder], tmp_path / "results")
    one = run(tmp_path / "one", {**SUITE, "metrics": ["error"], "expect": []})
    assert publish([one.folder], tmp_path / "results", replace=True).replaced == 0
    rows = open_folder(tmp_path / "results").all_rows()
    assert sum(row["metrics"]["accuracy"] is not None for row in rows) == 12


def test_runs_that_are_published_together_do_not_replace_each_other(tmp_path):
    one, two = (run(tmp_path / name, {**SUITE, "expect": []}) for name in ("one", "two"))
    as_by_other_code(two)
    told = publish([one.folder, two.folder], tmp_path / "results", replace=True)
    assert (told.added, told.replaced, len(told.conflicts)) == (24, 0, 12)


def test_a_method_of_a_plugin_file_is_replaced_when_its_code_changed(tmp_path):
    plugin = tmp_path / "ridge.py"
    plugin.write_text(RIDGE)
    suite = {**SUITE, "algorithms": ["ridge"], "expect": [], "plugins": [str(plugin)]}
    publish([run(tmp_path / "one", suite).folder], tmp_path / "results")
    plugin.write_text(RIDGE.replace("grid=", "defaults={'max_iter': 50}, grid="))
    again = run(tmp_path / "two", suite)
    as_by_other_code(again)
    told = publish([again.folder], tmp_path / "results", replace=True)
    assert (told.added, told.replaced) == (6, 6)
    assert {row["metrics"]["error"] for row in open_folder(tmp_path / "results").all_rows()} == {0.123}


def test_more_rows_of_a_run_do_not_take_the_name_of_who_published_the_first(first, tmp_path):
    results, _ = first
    shutil.copytree(results.folder.parent, tmp_path / "runs" / "tiny")
    folder = tmp_path / "runs" / "tiny" / results.folder.name
    journal = folder.parent / "trials.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(lines[:8]))
    publish([folder], tmp_path / "results", by="Alice", licence="CC-BY-4.0")
    journal.write_text("".join(lines))
    publish([folder], tmp_path / "results", by="Bob", licence="CC0-1.0")
    index = open_folder(tmp_path / "results").index
    held = Counter()
    for each in index["contributions"].values():
        held[each["by"], each["licence"]] += each["rows"]
    assert held == {("Alice", "CC-BY-4.0"): 8, ("Bob", "CC0-1.0"): 4}


def test_conflicts_are_forgotten_with_the_rows_that_they_are_about(first, tmp_path):
    own, carols = (run(tmp_path / name, {**SUITE, "expect": []}) for name in ("own", "carols"))
    as_by_other_code(own, "0.111")
    as_by_other_code(carols, "0.222")
    folder = tmp_path / "results"
    publish([first[0].folder], folder)
    publish([carols.folder], folder, by="Carol")
    assert len(open_folder(folder).index["conflicts"]) == 12
    told = publish([own.folder], folder, replace=True)
    kept = [each["text"] for each in open_folder(folder).index["conflicts"]]
    assert (told.replaced, len(told.conflicts)) == (12, 12)
    assert sorted(kept) == sorted(told.conflicts)
    assert all("0.111" in text and "0.222" in text for text in kept)


@contextlib.contextmanager
def killed_after(monkeypatch, files):
    """Let a process end once it put so many files in place."""
    done = []

    def replace(self, target):
        if len(done) == files:
            raise KeyboardInterrupt
        done.append(target)
        return os.rename(self, target)

    with monkeypatch.context() as patch, contextlib.suppress(KeyboardInterrupt):
        patch.setattr(Path, "replace", replace)
        yield


@pytest.mark.parametrize("written", range(6))
def test_a_process_that_ends_while_it_publishes_leaves_the_old_rows_or_the_new_ones(
    written, first, published, tmp_path, monkeypatch
):
    again = run(tmp_path / "again", {**SUITE, "expect": []})
    as_by_other_code(again)
    with killed_after(monkeypatch, written):
        publish([again.folder], published, replace=True)
    told = publish([again.folder], published, replace=True)  # puts the rest in place first
    # The first file that is put in place is the index under another name: from then on the change counts.
    assert (told.added, told.known) == ((12, 0) if written == 0 else (0, 12))
    assert {row["metrics"]["error"] for row in open_folder(published).all_rows()} == {0.123}
    assert not list(published.rglob("*.partial"))
    assert check_submission(published) == []


def test_a_process_that_ends_before_all_is_written_changes_nothing(first, published, tmp_path, monkeypatch):
    before = (published / "index.json").read_text()
    again = run(tmp_path / "again", {**SUITE, "expect": []})
    as_by_other_code(again)

    def write(self, content):
        if self.name == "index.json.partial":
            with self.open("wb") as file:
                file.write(content[:100])
            raise KeyboardInterrupt
        with self.open("wb") as file:
            file.write(content)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", write)
        with pytest.raises(KeyboardInterrupt):
            publish([again.folder], published, replace=True)
    assert (published / "index.json").read_text() == before
    assert len(open_folder(published).all_rows()) == 12
    assert not list(published.rglob("*.partial"))
    assert publish([first[0].folder], published).known == 12
    assert not list(published.rglob("*.partial"))


def test_a_change_that_was_begun_on_another_folder_is_forgotten(first, published, tmp_path, monkeypatch):
    again = run(tmp_path / "again", {**SUITE, "expect": []})
    as_by_other_code(again)
    with killed_after(monkeypatch, 1):
        publish([again.folder], published, replace=True)
    assert len(pendings(published)) == 1
    # As when a newer state is checked out over it.
    shutil.copytree(published, tmp_path / "elsewhere", ignore=shutil.ignore_patterns("*.partial"))
    more = run(tmp_path / "more", {**SUITE, "name": "other", "expect": []})
    publish([more.folder], tmp_path / "elsewhere")
    shutil.copytree(tmp_path / "elsewhere", published, dirs_exist_ok=True)
    assert publish([first[0].folder], published).known == 12
    stored = open_folder(published)
    assert {each["suite"] for each in stored.index["contributions"].values()} == {"tiny", "other"}
    assert len(stored.all_rows()) == 24
    assert not pendings(published)


@pytest.mark.parametrize("content", ["{}", "not JSON"])
def test_a_change_that_is_none_is_forgotten(content, first, published, tmp_path, monkeypatch):
    again = run(tmp_path / "again", {**SUITE, "expect": []})
    as_by_other_code(again)
    with killed_after(monkeypatch, 1):
        publish([again.folder], published, replace=True)
    [pending] = pendings(published)
    pending.write_text(content)
    assert publish([first[0].folder], published).known == 12
    assert len(open_folder(published).all_rows()) == 12


def test_whoever_reads_a_folder_that_is_half_changed_is_told_what_to_do(first, published, tmp_path, monkeypatch):
    again = run(tmp_path / "again", {**SUITE, "expect": []})
    as_by_other_code(again)
    with killed_after(monkeypatch, 2):
        publish([again.folder], published, replace=True)
    with pytest.raises(PublishError, match="publishing ended half-way here: 'benchkit publish' again ends it"):
        open_folder(published).all_rows()
    assert any("the index does not list it" in problem for problem in check_submission(published))


def test_a_folder_may_be_a_link(first, published, tmp_path):
    (published / "tiny").rename(tmp_path / "elsewhere")
    (published / "tiny").symlink_to(tmp_path / "elsewhere")
    again = run(tmp_path / "again", {**SUITE, "expect": []})
    as_by_other_code(again)
    assert publish([again.folder], published, replace=True).replaced == 12
    assert {row["metrics"]["error"] for row in open_folder(published).all_rows()} == {0.123}


def test_nothing_is_written_where_a_file_of_the_index_is_gone(first, published, tmp_path):
    again = run(tmp_path / "again", {**SUITE, "algorithms": SUITE["algorithms"][:1], "expect": []})
    as_by_other_code(again)
    constant = published / "tiny" / "default" / "constant.parquet"
    content = constant.read_bytes()
    constant.unlink()
    with pytest.raises(PublishError, match="constant.parquet"):
        publish([again.folder], published, replace=True)
    constant.write_bytes(content)
    assert 0.123 not in {row["metrics"]["error"] for row in open_folder(published).all_rows()}


def test_files_of_one_name_are_data_sets_of_their_own(tmp_path):
    for folder, add in (("easy", 0), ("noise", 3)):
        lines = [f"{n % 7},{n % 2 if not add else (n * n + n // 3) % 2},{n % 2}" for n in range(240)]
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "data.csv").write_text("a,b,target\n" + "\n".join(lines) + "\n")
    datasets = [{"name": "csv", "label": name, "path": str(tmp_path / name / "data.csv")} for name in ("easy", "noise")]
    suite = {**SUITE, "datasets": datasets, "adversaries": [], "expect": [], "preprocess": []}
    results = run(tmp_path / "both", suite)
    assert results.ran == 12
    errors = {}
    for row in results.records:
        errors.setdefault((row["dataset"], row["algorithm"]), []).append(row["metrics"]["error"])
    assert max(errors["easy", "svm"]) == 0
    assert min(errors["noise", "svm"]) > 0
    publish([results.folder], tmp_path / "results")
    page = suite_results(open_folder(tmp_path / "results"), "tiny", "default")
    assert len(page.records) == 12
    only = run(tmp_path / "easy", {**suite, "datasets": datasets[:1]})
    as_by_other_code(only)
    publish([only.folder], tmp_path / "results", replace=True)
    kept = [row for row in open_folder(tmp_path / "results").all_rows() if row["dataset"] == "noise"]
    assert sorted(row["metrics"]["error"] for row in kept if row["algorithm"] == "svm") == sorted(
        errors["noise", "svm"]
    )


def test_what_did_not_end_ok_replaces_nothing(first, published, tmp_path):
    again = run(tmp_path / "again", {**SUITE, "expect": []})
    journal = again.folder.parent / "trials.jsonl"
    journal.write_text(journal.read_text().replace('"status": "ok"', '"status": "failed"'))
    told = publish([again.folder], published, replace=True)
    assert (told.replaced, told.added) == (0, 12)
    assert sum(row["status"] == "ok" for row in open_folder(published).all_rows()) == 12


def test_nothing_private_is_published(tmp_path, monkeypatch):
    planted = {
        "user": "wilhelmine-q",
        "host": "secret-laptop-17",
        "token": "ghp_" + "a1B2" * 9,
        "environment": "correct-horse-battery-9921",
        "folder": str(tmp_path),
    }
    monkeypatch.setenv("LOGNAME", planted["user"])
    monkeypatch.setenv("MY_SERVICE_TOKEN", planted["environment"])
    monkeypatch.setattr("platform.node", lambda: planted["host"])
    data = tmp_path / "home" / planted["user"] / "wine.csv"
    data.parent.mkdir(parents=True)
    lines = [f"{number % 7},{number % 5},{number % 2}" for number in range(60)]
    data.write_text("a,b,target\n" + "\n".join(lines) + "\n")
    plugin = data.parent / "failing.py"
    plugin.write_text(
        "import benchkit\nfrom sklearn.linear_model import RidgeClassifier\nbenchkit_api = 1\n"
        "class Failing(RidgeClassifier):\n"
        f"    def fit(self, X, y):\n        raise ValueError({f'no {data} for ' + planted['token']!r})\n"
        "@benchkit.hookimpl\ndef benchkit_algorithms():\n"
        "    return [benchkit.Algorithm(name='failing', make=Failing, tasks=('classification',))]\n"
    )
    suite = {
        "name": "mine",
        "title": f"Data of {planted['user']} at {data} with {planted['token']}",
        "description": f"on {planted['host']}: {planted['environment']}, http://me:{planted['environment']}@host/x",
        "datasets": [{"name": "csv", "label": "wine", "params": {"path": str(data), "target": "target"}}],
        "split": {"repetitions": 2, "train": 0.5, "test": 0.5},
        "algorithms": ["constant", {"name": "failing"}],
    }
    results = run(tmp_path / "work", suite, plugins=[plugin])
    assert results.statuses == {"ok": 2, "failed": 2}
    publish([results.folder], tmp_path / "out")
    texts = [path.read_text() for path in (tmp_path / "out").rglob("*.json")]
    texts += [str(parquet.read_table(path).to_pydict()) for path in (tmp_path / "out").rglob("*.parquet")]
    texts += [path.read_bytes().decode("latin-1") for path in (tmp_path / "out").rglob("*.parquet")]
    whole = "\n".join(texts)
    assert {name for name, text in planted.items() if text in whole} == set()
    assert str(data.parent) not in whole
    assert os.getcwd() not in whole
    assert "wine.csv" in whole  # the file's name is what the question needs


def test_a_run_of_an_earlier_version_is_refused_with_what_to_do(first, tmp_path):

    results, _ = first
    shutil.copytree(results.folder.parent, tmp_path / "runs" / "tiny")
    manifest = next((tmp_path / "runs" / "tiny").glob("*/manifest.json"))
    content = json.loads(manifest.read_text())
    del content["content"]
    manifest.write_text(json.dumps(content))
    with pytest.raises(PublishError, match="'benchkit run' the suite again"):
        publish([manifest.parent], tmp_path / "out")


def test_rows_that_another_suite_measured_say_where_and_how(tmp_path):
    measured = run(tmp_path)
    reusing = run(tmp_path, {**SUITE, "name": "sharing", "expect": []})
    assert (reusing.ran, reusing.reused) == (0, len(measured.records))
    publish([reusing.folder], tmp_path / "results")
    contributions = open_folder(tmp_path / "results").index["contributions"].values()
    assert {each["run"] for each in contributions} == {measured.folder.name}
    for each in contributions:
        assert each["started"]
        assert each["python"]
        assert each["machine"]["processors"]
        assert each["benchkit"]
