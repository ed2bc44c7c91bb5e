"""The site: every link leads somewhere, nothing is fetched, names do nothing, and undecided is said."""

import hashlib
import io
import json
import re
from html.parser import HTMLParser

import pyarrow as pa
import pytest
import yaml
from pyarrow import parquet

import benchkit
from benchkit.journal import PublishError
from benchkit.published.site.build import build_site
from benchkit.published.site.pages import method_pages, paper_of
from benchkit.published.site.panels import panels_of
from benchkit.published.site.shell import page_name
from benchkit.published.write import publish
from benchkit.report.answers import lead
from benchkit.report.claims.verdict import Verdict
from benchkit.statistics.sampling import ROWS

EVIL = '<script>alert("x")</script> & ="1+1"'


class Addresses(HTMLParser):
    """What a page links to, what a browser would load with it, and the ids on it."""

    def __init__(self):
        super().__init__()
        self.links, self.loaded, self.scripts, self.ids = [], [], 0, []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.ids += [given["id"]] if "id" in given else []
        if tag == "a":
            self.links.append(given.get("href") or "")
        if "src" in given or (tag == "link" and given.get("href") != "data:,"):
            self.loaded.append(given)
        self.scripts += tag == "script"


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """Two data sets, a group of one of them, and a method whose name is HTML."""
    home = tmp_path_factory.mktemp("published")
    suite = {
        "name": "both",
        "title": "Two data sets <b>",
        "datasets": ["breast", {"name": "digits", "pair": [4, 7], "preprocess": [], "group": "pairs"}],
        "split": {"repetitions": 4, "train": 60, "validation": 60, "test": 60},
        "algorithms": [{"name": "svm", "params": {"C": 0.1}}, {"name": "logistic-regression"}, "constant"],
        "adversaries": [{"name": "greedy-delete", "budgets": [0, 2]}],
        "seed": 7,
        "expect": [
            {
                "claim": "SVM beats chance",
                "source": "DSX10 4.1",
                "paper": "0.03",
                "order": ["svm", "constant"],
                "at": [0],
            },
            {"claim": "it does not", "source": "GR06 fig. 1", "order": ["constant", "svm"], "at": [0]},
        ],
    }
    (home / "suite.yaml").write_text(yaml.safe_dump(suite, sort_keys=False))
    results = benchkit.run(str(home / "suite.yaml"), out=home / "runs", executor="inline", tracking=False)
    publish([results.folder], home / "results")
    rename(home / "results", "logistic-regression", EVIL)
    return results, home / "results"


def rename(folder, method, name):
    """Give a method's rows another label, as somebody malicious would."""
    path = next(folder.rglob(f"{method}.parquet"))
    table = parquet.read_table(path)
    place = table.column_names.index("algorithm")
    column = pa.array([name] * len(table), pa.string())
    sink = io.BytesIO()
    parquet.write_table(table.set_column(place, table.schema.field(place), column), sink)
    path.write_bytes(sink.getvalue())
    index = json.loads((folder / "index.json").read_text())
    for file in index["files"]:
        if file["path"].endswith(f"{method}.parquet"):
            file |= {"sha256": hashlib.sha256(sink.getvalue()).hexdigest(), "method": name}
    for contribution in index["contributions"].values():
        if contribution["method"] == method:
            contribution |= {"method": name, "by": EVIL}
    (folder / "index.json").write_text(json.dumps(index))


@pytest.fixture(scope="module")
def site(published, tmp_path_factory):
    """The pages by address."""
    folder = tmp_path_factory.mktemp("site") / "site"
    pages = build_site(published[1], folder)
    return {path.relative_to(folder).as_posix(): path.read_text() for path in pages}


@pytest.fixture(scope="module")
def parsed(site):
    pages = {}
    for address, text in site.items():
        pages[address] = Addresses()
        pages[address].feed(text)
    return pages


def test_there_is_a_page_for_everything(site):
    assert {"index.html", "suites.html", "methods.html", "data.html", "papers.html", "search.html"} <= site.keys()
    assert {"suite/both.html", "method/svm.html", "data/breast.html", "data/digits.html"} <= site.keys()
    assert {"paper/DSX10.html", "paper/GR06.html"} <= site.keys()


def test_every_link_leads_to_a_page_or_a_place_on_it(parsed):
    for address, page in parsed.items():
        base = address.rpartition("/")[0]
        for link in page.links:
            target, _, place = link.partition("#")
            whole = re.sub(r"[^/]+/\.\./", "", f"{base}/{target}" if base else target) if target else address
            assert whole in parsed, f"{address} -> {link}"
            assert not place or place in parsed[whole].ids, f"{address} -> {link}"


def test_nothing_is_loaded_and_names_do_nothing(site, parsed):
    for address, page in parsed.items():
        assert page.loaded == [], address
        assert "default-src 'none'" in site[address]
        assert 'alert("x")</script>' not in site[address], address
        scripts = {"search.html": 2, "suite/both.html": 2}
        assert page.scripts == scripts.get(address, 1), address


def test_the_front_says_who_leads_and_whether_that_is_decided(site, published):
    from benchkit.report.analysis import Analysis

    analysis = Analysis(published[0])
    panels = panels_of(analysis, "default")
    decided = 0
    for panel in panels:
        # An independent route: the one-line answer of a run's own report.
        leading = lead(panel.grid, ROWS)
        assert (panel.leader.method, panel.is_decided) == (leading.best, leading.decided)
        decided += leading.decided
    assert f"decided on {decided}, undecided on {len(panels) - decided}" in site["index.html"]
    assert "At test time: feature noise" in site["index.html"]


def test_who_leads_more_often_stands_further_up(site):
    (table,) = re.findall(r"<table[^>]*>.*?leads, decided.*?</table>", site["index.html"], re.DOTALL)[:1]
    numbers = [[float(x) for x in re.findall(r'data-order="([-\d.]+)"', row)[:2]] for row in table.split("<tr>")[2:]]
    assert len(numbers) > 1
    assert numbers == sorted(numbers, key=lambda row: (-row[0], -sum(row)))


def test_a_claim_stands_beside_the_papers_number(site):
    assert re.search(r"supported.*SVM beats chance.*DSX10 4\.1.*0\.03", site["paper/DSX10.html"], re.DOTALL)
    assert "contradicted" in site["paper/GR06.html"]
    claimed = [("Dekel, Shamir & Xiao 2010, section 4", False), ("DSX10 4.2", False), ("DSX10 4.2", True)]
    papers = [paper_of(Verdict("", source, "undecided", "", "", control=ours)) for source, ours in claimed]
    assert papers == ["Dekel", "DSX10", "Controls"]


def test_addresses_stay_and_differ():
    assert page_name("lp") == "lp.html"
    names = ["a b", "a-b", "a/b", "../a", "", "ä", "a" * 300]
    assert len({page_name(name) for name in names}) == len(names)
    assert all(re.fullmatch(r"[A-Za-z0-9][\w.-]*\.html", page_name(name)) for name in names)


def test_a_folder_of_other_files_is_not_replaced(published, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("years of work")
    with pytest.raises(PublishError, match="no site of benchkit's"):
        build_site(published[1], tmp_path / "mine")
    build_site(published[1], tmp_path / "new")
    build_site(published[1], tmp_path / "new")  # a site is
    assert (tmp_path / "new" / "index.html").is_file()


def test_a_method_without_a_whole_repetition_of_a_group_has_no_place_there(tmp_path):
    suite = {
        "name": "pairs",
        "datasets": [{"name": "digits", "pair": pair, "group": "pairs"} for pair in ([4, 7], [3, 8])],
        "split": {"repetitions": 4, "train": 60, "validation": 60, "test": 60},
        "algorithms": [{"name": "svm", "params": {"C": 0.1}}, "constant"],
    }
    (tmp_path / "suite.yaml").write_text(yaml.safe_dump(suite, sort_keys=False))
    results = benchkit.run(str(tmp_path / "suite.yaml"), out=tmp_path / "runs", executor="inline", tracking=False)
    journal = results.folder.parent / "trials.jsonl"
    rows = [json.loads(line) for line in journal.read_text().splitlines()]
    for row in rows:
        if row["algorithm"] == "svm" and (row["repetition"] < 2) == (row["dataset_params"]["pair"] == [3, 8]):
            row |= {"status": "failed", "metrics": {}, "error_type": "ValueError"}
    journal.write_text("".join(json.dumps(row) + "\n" for row in rows))
    publish([results.folder], tmp_path / "results")
    pages = build_site(tmp_path / "results", tmp_path / "site")
    assert any("pairs" in page.name for page in pages)


class OfMany:
    """Published parts of one method by two versions of the code; no rows."""

    def __init__(self, count):
        entry = {"entry": {"name": "svm", "params": {}, "tune": {}}}
        known = {"method": "svm", "profile": "paper", "file": "f", "rows": 3, "published": "2026-01-01", "by": ""}
        known |= {"licence": "CC0", "benchkit": "1", "python": "3", "versions": {}, "uncommitted_changes": []}
        known |= {"machine": {"cpu": "a processor"}, "warnings": [], "tuned": {}, "methods": {"x": entry}}
        parts = {str(i): known | {"suite": f"suite-{i}", "commit": "ab"[i % 2]} for i in range(count)}
        self.index = {"contributions": parts}

    def rows(self, file):
        return []


def test_long_tables_of_a_method_are_folded_and_a_code_is_said_once():
    long = method_pages([], OfMany(30))["method/svm.html"]
    assert "<details><summary>30 published parts</summary>" in long
    assert "<details open><summary>2 versions of the code</summary>" in long
    assert long.count("commit a") == 1
    short = method_pages([], OfMany(2))["method/svm.html"]
    assert "<details open><summary>2 published parts</summary>" in short
