"""What is known of runs: how far they have come, whether they go on, what they answer."""

import json

from filelock import FileLock
from hypothesis import given
from hypothesis import strategies as st

from benchkit.dashboard.runs import Runs
from benchkit.report.neutral import markdown_text, printable, read_markdown


def test_runs_come_newest_first_with_their_trials_and_failures(write_run, tmp_path):
    write_run("r1")
    write_run("r2", failed=3)
    write_run("r3", "other")
    found = [(each.suite, each.run, each.state, each.done, each.planned, each.failed) for each in Runs(tmp_path).all()]
    assert found == [
        ("other", "r3", "ended", 32, 32, 0),
        ("s", "r2", "ended", 32, 32, 3),
        ("s", "r1", "ended", 32, 32, 0),
    ]


def test_a_run_is_running_while_a_process_holds_the_journal_and_grows(write_run, tmp_path):
    folder = write_run("r1", missing=4)
    runs = Runs(tmp_path)
    assert runs.one("s", "r1").state == "stopped"
    with FileLock(folder.parent / ".lock"):
        entry = runs.one("s", "r1")
        assert (entry.state, entry.done, entry.planned) == ("running", 28, 32)
        last = json.loads((folder.parent / "trials.jsonl").read_text().splitlines()[-1])
        with (folder.parent / "trials.jsonl").open("a") as journal:
            journal.write(json.dumps(last | {"trial": "two-1.0-7"}) + "\n" + '{"trial": "torn')
        assert runs.one("s", "r1").done == 29


def test_an_earlier_run_that_was_stopped_does_not_run_though_a_later_one_does(write_run, tmp_path):
    folder = write_run("r1", missing=4)
    write_run("r2", missing=4)
    with FileLock(folder.parent / ".lock"):
        assert [each.state for each in Runs(tmp_path).all()] == ["running", "stopped"]


def test_reused_records_count(write_run, tmp_path):
    write_run("r1", failed=1)
    trials = json.loads((tmp_path / "s/r1/manifest.json").read_text())["trials"]
    write_run("r2", reused_from={"r1": trials})
    lines = (tmp_path / "s/trials.jsonl").read_text().splitlines()
    (tmp_path / "s/trials.jsonl").write_text("\n".join(lines[:32]) + "\n")  # as if the second had run nothing
    entry = Runs(tmp_path).one("s", "r2")
    assert (entry.done, entry.failed) == (32, 1)


def test_the_answer_is_the_list_that_the_tables_begin_with(write_run, tmp_path):
    folder = write_run("r1")
    lines = ["under a <b> is best: 0.1 [0.0, 0.2]", "a | b & c"]
    text = "\n".join(["# Title", "", *(f"- {markdown_text(line)}" for line in lines), "", "## Table", "- no answer"])
    (folder / "tables.md").write_text(text)
    assert list(Runs(tmp_path).one("s", "r1").answers) == lines


@given(st.text())
def test_markdown_of_a_text_is_read_as_that_text(text):
    assert read_markdown(markdown_text(text)) == printable(text).replace("\n", " ").replace("\r", " ")


def test_a_damaged_manifest_is_a_run_that_says_so(write_run, tmp_path):
    folder = write_run("r1")
    write_run("r2")
    (folder / "manifest.json").write_text('{"suite": 3}')
    states = {each.run: each for each in Runs(tmp_path).all()}
    assert states["r2"].state == "ended"
    assert states["r1"].state == "unreadable"
    assert "not a manifest" in states["r1"].wrong


def test_a_collection_is_the_sum_of_its_suites(write_run, tmp_path):
    write_run("r1", failed=2)
    write_run("r2", "other")
    group = tmp_path / "both" / "r3"
    group.mkdir(parents=True)
    said = {"collection": "both", "title": "Both", "runs": {"s": "r1", "other": "r2"}}
    (group / "collection.json").write_text(json.dumps(said))
    entry = Runs(tmp_path).one("both", "r3")
    assert (entry.done, entry.failed, entry.members) == (64, 2, (("s", "r1"), ("other", "r2")))


def test_a_link_that_leads_out_of_the_folder_is_no_run(write_run, tmp_path):
    outside = write_run("r1")
    inside = tmp_path / "out"
    (inside / "s").mkdir(parents=True)
    (inside / "s" / "r1").symlink_to(outside)
    assert Runs(inside).all() == []
