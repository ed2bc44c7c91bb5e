"""Pages of the dashboard: what they show, that names are text, and that no address leaves the folder."""

import json
import re
from html.parser import HTMLParser

import pytest

from benchkit.dashboard.site import Site

HOSTILE = "<script>alert(1)</script>\"'&"


class Links(HTMLParser):
    """Every address that a page names, and elements that are no part of the frame."""

    def __init__(self, text):
        super().__init__()
        self.addresses, self.scripts = [], 0
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        known = dict(attrs)
        self.addresses += [known[name] for name in ("href", "src", "action") if name in known]
        self.scripts += tag == "script"


def text_of(answer, status=200):
    assert answer.status == status, answer.body
    return answer.body.decode()


def test_every_page_that_the_first_leads_to_is_there_and_nothing_leads_elsewhere(write_run, tmp_path):
    write_run("r1")
    write_run("r2", failed=3, shift=0.01)
    site, waiting, seen = Site(tmp_path), ["/"], set()
    while waiting:
        address = waiting.pop().partition("#")[0]
        if address in seen or address in ("", "data:,"):
            continue
        seen.add(address)
        answer = site.answer(address)
        if address.startswith(("/runs", "/methods")):
            continue  # of a form, which brings fields
        assert answer.status == 200, (address, answer.body)
        if answer.kind.startswith("text/html"):
            found = Links(answer.body.decode()).addresses
            assert all(each.startswith(("/", "#", "data:,")) and not each.startswith("//") for each in found), found
            waiting += found
    assert {"/", "/run/s/r1/", "/run/s/r2/", "/run/s/r2/report.html", "/run/s/r1/manifest.json"} <= seen


def test_the_first_page_tells_trials_failures_and_answers(write_run, tmp_path):
    folder = write_run("r1", failed=3)
    (folder / "tables.md").write_text("# A\n\n- one is best\n- and so on\n")
    text = text_of(Site(tmp_path).answer("/"))
    assert "32 trials" in text
    assert "3 failed" in text
    assert "one is best (and 1 more)" in text


def test_an_answer_ends_in_one_period(write_run, tmp_path):
    (write_run("r1") / "tables.md").write_text("# A\n\n- Use one.\n- two is as good\n")
    text = text_of(Site(tmp_path).answer("/run/s/r1/"))
    assert "Use one.</p>" in text
    assert "two is as good.</p>" in text


def test_a_suite_can_be_asked_for_alone(write_run, tmp_path):
    write_run("r1")
    write_run("r2", "other")
    assert "/run/s/r1/" not in text_of(Site(tmp_path).answer("/?suite=other"))
    assert "/run/s/r1/" in text_of(Site(tmp_path).answer("/"))


def test_failures_are_told_with_their_reasons(write_run, tmp_path):
    write_run("r1", failed=3)
    text = text_of(Site(tmp_path).answer("/run/s/r1/"))
    assert "Trials that did not end ok" in text
    assert "no &lt;luck&gt;" in text


def test_two_methods_are_told_apart_by_their_paired_difference(write_run, tmp_path):
    write_run("r1")
    text = text_of(Site(tmp_path).answer("/methods?run=s/r1&a=one&b=two"))
    assert "one minus two" in text
    assert re.search(r'class="significant"[^>]*>-0\.300<', text), text[-3000:]


def test_two_runs_are_compared_on_the_trials_that_they_share(write_run, tmp_path):
    write_run("r1")
    write_run("r2", shift=0.01)
    text = text_of(Site(tmp_path).answer("/runs?a=s/r1&b=s/r2"))
    assert "error: 4 cells, 4 differ, 4 significantly" in text
    assert "+0.045" in text  # the mean of 0.01 (1 + r) for r below 8
    back = text_of(Site(tmp_path).answer("/runs?a=s/r2&b=s/r1"))
    assert "-0.045" in back


def test_of_runs_that_drew_other_rows_only_means_are_shown(write_run, tmp_path):
    write_run("r1")
    suite = {"name": "s", "seed": 2, "datasets": [{"name": "d"}], "metrics": ["error"]}
    write_run("r2", shift=0.01, suite_as_run=suite)
    text = text_of(Site(tmp_path).answer("/runs?a=s/r1&b=s/r2"))
    assert "seed of the suites differ" in text
    assert "p (Holm)" not in text


def test_hostile_names_are_text(write_run, tmp_path):
    folder = write_run("r1", methods=(HOSTILE, "two"), title=HOSTILE, command=HOSTILE, profile=HOSTILE)
    write_run("r2", methods=(HOSTILE, "two"), title=HOSTILE, shift=0.01)
    (folder / "tables.md").write_text(f"# t\n\n- {HOSTILE}\n")
    site = Site(tmp_path)
    named = f"/methods?run=s/r1&a={HOSTILE.replace('&', '%26')}&b=two".replace(" ", "+")
    for address in ("/", "/run/s/r1/", "/runs?a=s/r1&b=s/r2", named, f"/{HOSTILE}", f"/?suite={HOSTILE}"):
        text = site.answer(address).body.decode()
        assert "<script>alert" not in text, address
        assert Links(text).scripts <= 2, address  # the frame's, and the data of its curves


@pytest.mark.parametrize(
    "address",
    [
        "/run/../../etc/",
        "/run/s/../secret.txt",
        "/run/s/r1/../../../secret.txt",
        "/run/s/r1/%2e%2e%2f%2e%2e%2fsecret.txt",
        "/run/s%2f..%2f../r1/",
        "/run/s/r1/trials.jsonl",
        "/run/s/r1/.lock",
        "/run/s/linked/",
        "/run/s/r1/points.csv",
        "/run/s/%00/",
        "/run/s/r1\\..\\/",
        "/runs?a=../../etc&b=s/r1",
        "/runs?a=s&b=s/r1",
        "/runs?a=s/r1",
        "/methods?run=/etc/passwd&a=one&b=two",
        "/methods?run=s/r1&a=one&b=one",
        "/file:///etc/passwd",
        "//elsewhere/run",
        "/mlflow",
        "/" + "a" * 5000,
        "/\ud800",
    ],
)
def test_addresses_that_stand_for_nothing_here_are_refused(write_run, tmp_path, address):
    (tmp_path / "secret.txt").write_text("the secret")
    folder = write_run("r1")
    (folder.parent / "linked").symlink_to("/etc")
    (folder / "points.csv").symlink_to(tmp_path.parent)
    answer = Site(tmp_path).answer(address)
    assert answer.status in (400, 404)
    assert b"the secret" not in answer.body


def test_a_link_to_a_file_outside_is_refused(write_run, tmp_path):
    (tmp_path.parent / "secret.txt").write_text("the secret")
    folder = write_run("r1")
    (folder / "points.csv").symlink_to(tmp_path.parent / "secret.txt")
    answer = Site(tmp_path).answer("/run/s/r1/points.csv")
    assert answer.status == 404
    assert b"the secret" not in answer.body


def test_a_method_that_there_is_not_is_said_in_one_line(write_run, tmp_path):
    write_run("r1")
    assert "onne" in text_of(Site(tmp_path).answer("/methods?run=s/r1&a=onne&b=two"), 400)


def test_nothing_is_written(write_run, tmp_path):
    write_run("r1")
    write_run("r2", failed=1)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    for address in ("/", "/run/s/r1/", "/run/s/r1/report.html", "/runs?a=s/r1&b=s/r2", "/methods?run=s/r1&a=one&b=two"):
        assert Site(tmp_path).answer(address).status == 200
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


def test_the_tracker_is_started_by_the_reader_alone(write_run, tmp_path):
    write_run("r1")
    places = iter([None, "http://127.0.0.1:1/#/experiments"])
    site = Site(tmp_path, lambda: next(places))
    assert 'href="/mlflow"' in text_of(site.answer("/"))
    for address in ("/mlflow", "//mlflow", "/%6dlflow"):
        assert site.answer(address, by_reader=False).status == 404
    assert site.answer("/mlflow").again == 1
    there = site.answer("/mlflow")
    assert (there.status, there.location) == (303, "http://127.0.0.1:1/#/experiments")


def test_a_page_of_a_run_that_goes_on_loads_itself_again(write_run, tmp_path):
    from filelock import FileLock

    folder = write_run("r1", missing=5)
    site = Site(tmp_path)
    assert site.answer("/").again is None
    with FileLock(folder.parent / ".lock"):
        assert site.answer("/").again
        page = site.answer("/run/s/r1/")
        assert page.again
        assert "27 of 32" in page.body.decode()
        assert "So far" in page.body.decode()
        assert site.answer("/run/s/r1/report.html").again


def test_the_run_s_own_page_is_sent_as_it_is(write_run, tmp_path):
    folder = write_run("r1")
    (folder / "report.html").write_text("<p>as it is</p>")
    assert site_body(tmp_path, "/run/s/r1/report.html") == "<p>as it is</p>"
    manifest = site_body(tmp_path, "/run/s/r1/manifest.json")
    assert json.loads(manifest)["run"] == "r1"


def site_body(out, address):
    return text_of(Site(out).answer(address))
