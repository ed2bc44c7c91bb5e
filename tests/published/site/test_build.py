"""The site: every link leads somewhere, nothing is fetched, names do nothing, and undecided is said."""

import hashlib
import io
import json
import re
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser

import pandas as pd
import pyarrow as pa
import pytest
import yaml
from pyarrow import parquet

import benchkit
from benchkit.journal import PublishError
from benchkit.plugin.declarations import ReportCell
from benchkit.plugin.manager import registry
from benchkit.published.site.build import build_site
from benchkit.published.site.cases import cases_of, told_apart
from benchkit.published.site.kinds import facts_of, kinds_of, share_of
from benchkit.published.site.methods import method_pages
from benchkit.published.site.numbers import files_of_gaps
from benchkit.published.site.pieces import table
from benchkit.published.site.shell import page_name
from benchkit.published.site.short_labels import identity_of, short_labels
from benchkit.published.site.shown import shown_suites
from benchkit.published.site.table_files import as_csv
from benchkit.published.site.versus import versus_page
from benchkit.published.stored import open_stored
from benchkit.published.write import publish
from benchkit.statistics.estimate import estimate
from benchkit.statistics.holm import holm
from benchkit.statistics.sampling import Sample

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
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
    assert any(address.startswith("paper/Other-suites") for address in site)
    assert "adversary/greedy-delete.html" in site
    assert {"versus.html", "changes.html", "checked.html", "adversaries.html"} <= site.keys()


def test_every_link_leads_to_a_page_or_a_place_on_it(parsed):
    for address, page in parsed.items():
        base = address.rpartition("/")[0]
        for link in page.links:
            target, _, place = link.partition("#")
            whole = re.sub(r"[^/]+/\.\./", "", f"{base}/{target}" if base else target) if target else address
            if not whole.endswith((".csv", ".parquet")):
                assert whole in parsed, f"{address} -> {link}"
            # What a page's script reads of its address is a question, and no place.
            assert not place or "=" in place or place in parsed[whole].ids, f"{address} -> {link}"


def test_nothing_is_loaded_and_names_do_nothing(site, parsed):
    for address, page in parsed.items():
        assert page.loaded == [], address
        assert "default-src 'none'" in site[address]
        assert 'alert("x")</script>' not in site[address], address
        scripts = 1 + (address in ("search.html", "suite/both.html", "index.html", "versus.html"))
        assert page.scripts == scripts + ('class="read"' in site[address]), address


@pytest.fixture(scope="module")
def cases(published):
    return cases_of(shown_suites(open_stored(published[1])))


def test_a_case_stands_in_the_page_with_what_its_filters_ask(site, cases):
    data = json.loads(re.search(r'id="cases">(.*?)</script>', site["index.html"], re.DOTALL)[1])
    assert len(data["cases"]) == len(cases) == 2
    breast = next(case for case in data["cases"] if case["title"].startswith("breast"))
    assert breast["tags"]["kind"] == ["worst"]
    assert breast["tags"]["share"] == ["s20"]  # 2 of 10 features
    assert breast["tags"]["values"] == ["numbers"]
    tiers = [answer[4] for answer in breast["answers"]]
    assert tiers == sorted(tiers)
    assert tiers[0] == 1
    assert {name for name, _, _ in data["filters"]} == set(breast["tags"])


def test_tiers_rest_on_the_comparisons_of_a_run(cases):
    """Another route: each method as the reference of a run's own comparisons, whose p-values Holm adjusts together."""
    from benchkit.report.statistics.comparisons import compare

    for case in cases:
        points = case.grid.column(case.grid.columns[-1])
        above, gaps = told_apart(points, case.grid.greater_is_better)
        names = [point.algorithm for point in points]
        tests = {}
        for name in names:
            for each in compare(points, {case.grid.metric: False}, name):
                tests[frozenset((name, each.algorithm))] = each
        adjusted = dict(zip(tests, holm([each.p for each in tests.values()]), strict=True))
        for gap in gaps:
            expected = adjusted[frozenset((gap.first, gap.second))] < 0.05
            assert (gap.told != 0) == expected
            better = (gap.difference.mean < 0) == (gap.told > 0)
            assert not expected or better
        assert above.sum() == case.decided


def test_methods_are_told_apart_by_what_differs():
    made = [("lp", {}, []), ("lp", {"C": 30}, []), ("svm", {}, ["clean"]), ("svm", {}, ["corrupted"])]
    entries = [
        {"name": name, "params": params, "tune": [{"data": way, "grid": "x"} for way in ways]}
        for name, params, ways in made
    ]
    names = short_labels(map(identity_of, entries))
    assert [names[identity_of(entry)] for entry in entries] == [
        "lp",
        "lp, C = 30",
        "svm",
        "svm, tuned on corrupted rows",
    ]
    other = {**entries[2], "tune": [{"data": "clean", "grid": "y"}]}
    assert identity_of(other) == identity_of(entries[2])


def test_what_data_is_like_comes_from_its_declaration():
    known = registry()
    german = facts_of("german", {"encoding": "one-hot"}, 1000, "error", known)
    assert (german.columns, german.categories, german.classes, german.balance) == (61, True, "two", 0.3)
    assert facts_of("redundant-features", {"n_features": 50}, 100, "error", known).columns == 50
    absent = facts_of("never heard of", {}, None, "error", known)
    assert (absent.columns, absent.categories, absent.classes) == (None, None, "unknown")
    assert facts_of("never heard of", {}, None, "mean-squared-error", known).classes == "numbers"
    assert [share_of("value", 2, "amount", 10), share_of("fraction", 0.3, "amount", None)] == [0.2, 0.3]
    assert share_of("sd", 1.0, "amount", 10) is None


def test_what_is_lost_is_what_plugins_declare():
    known = registry()
    methods = {"svm", "lp"}
    assert kinds_of("greedy-delete", methods, known) == ["worst"]
    assert kinds_of("missing-at-random", methods, known) == ["training"]
    assert kinds_of("greedy-corrupt", methods, known) == ["corrupted"]
    assert kinds_of("corrupt-responses", {"roofs", "grafting", "lasso"}, known) == ["outliers", "streaming"]
    assert kinds_of("not installed here", {"not", "installed"}, known) == ["corrupted"]


def test_a_claim_stands_beside_the_papers_number(site):
    paper = next(text for address, text in site.items() if address.startswith("paper/"))
    assert re.search(r"supported.*SVM beats chance.*DSX10 4\.1.*0\.03", paper, re.DOTALL)
    assert "contradicted" in paper


def test_numbers_lie_beside_the_pages(published, tmp_path):
    pages = build_site(published[1], tmp_path / "site")
    table = parquet.read_table(tmp_path / "site" / "suite" / "both.parquet").to_pandas()
    assert set(table["method"]) >= {"svm", "constant"}
    assert len((tmp_path / "site" / "suite" / "both.csv").read_text().splitlines()) == len(table) + 1
    cases = parquet.read_table(tmp_path / "site" / "cases.parquet").to_pandas()
    assert cases.groupby("case")["tier"].min().eq(1).all()
    assert all(path.stat().st_size < 1_500_000 for path in pages)
    assert "pd.read_parquet(&#34;both.parquet&#34;)" in (tmp_path / "site" / "suite" / "both.html").read_text() or (
        "pd.read_parquet(&quot;both.parquet&quot;)" in (tmp_path / "site" / "suite" / "both.html").read_text()
    )


def test_pairs_are_decided_for_the_better_of_two(published, tmp_path):
    build_site(published[1], tmp_path / "site")
    means = pd.read_parquet(tmp_path / "site" / "cases.parquet").set_index(
        ["suite", "case", "where", "metric", "method"]
    )
    pairs = pd.read_parquet(tmp_path / "site" / "pairs.parquet")
    decided = pairs[pairs["decided_for"] != ""]
    assert len(decided)
    for pair in decided.itertuples():
        place = (pair.suite, pair.case, pair.where, pair.metric)
        first, second = (means.loc[(*place, name), "mean"] for name in (pair.first, pair.second))
        assert pair.difference == pytest.approx(first - second)
        assert pair.low <= pair.difference <= pair.high
        assert pair.metric in ("error", "mean-absolute-error")  # less is better
        assert pair.decided_for == (pair.first if first < second else pair.second)


def test_the_interval_of_a_pair_ends_where_differences_of_the_metric_do(cases):
    case = next(case for case in cases if case.grid.metric == "error" and case.gaps)
    wide = estimate(Sample([0.9, -0.8, 0.95], 0.0))
    assert wide.interval()[1] > 1
    told = replace(case, gaps=[replace(case.gaps[0], difference=wide)])
    pairs = pd.read_parquet(io.BytesIO(files_of_gaps([told])["pairs.parquet"]))
    assert [tuple(pair) for pair in pairs[["low", "high"]].to_numpy()] == [(-1, 1)]
    (lying,) = re.findall(r'id="gaps">(.*?)</script>', versus_page([told]))
    assert json.loads(lying)["cases"][0][5][0][3:5] == [-1, 1]


def test_under_each_table_is_its_file_and_the_line_that_reads_it(published, tmp_path):
    pages = build_site(published[1], tmp_path / "site")
    seen = 0
    for path in pages:
        text = path.read_text()
        lines = re.findall(r'data-file="([^"]+)"', text)
        assert len(lines) == text.count('<table class="sortable'), path
        for file in lines:
            frame = pd.read_csv(path.parent / file)
            assert f"pd.read_csv(&quot;{file}&quot;)" in text
            assert len(frame.columns) > 1
            seen += 1
    assert seen > 20
    standings = pd.read_csv(next((tmp_path / "site" / "data").glob("breast-1.csv")))
    assert {"mean over axis", "mean over axis low", "mean over axis high", "trials run again"} <= set(standings.columns)
    assert standings["mean over axis"].between(standings["mean over axis low"], standings["mean over axis high"]).all()


def test_a_table_as_csv_has_numbers_with_all_digits_and_no_formulas():
    cells = [
        ["=1+1", ReportCell("0.12 [0.10, 0.14], undecided", 0.123456), ReportCell("1,234", 1234.5)],
        ["b, c", ReportCell("0.5", 0.51), ReportCell("3 of 4", 3)],
    ]
    text = as_csv(table(["method", "error [95 %]", "n"], cells)).decode()
    assert text.splitlines() == [
        "method,error,error low,error high,error note,n",
        "'=1+1,0.123456,0.10,0.14,undecided,1234.5",
        '"b, c",0.51,,,,3 of 4',
    ]
    spread = as_csv(table(["method", "0"], [["a", ReportCell("0.373 ±0.001*", 0.37324)]])).decode()
    assert spread == "method,0,0 spread,0 note\na,0.37324,0.001,*\n"


def test_rows_tell_which_of_their_trials_were_run_again(published, tmp_path):
    """Two trials of one cell were; the marks stand in tables, on the front page and in the files."""
    shutil.copytree(published[1], tmp_path / "results")
    index = json.loads((tmp_path / "results" / "index.json").read_text())
    path = next((tmp_path / "results").rglob("svm.parquet"))
    rows = parquet.read_table(path).to_pylist()
    chosen = [row for row in rows if row["budget"] == 2 and row["dataset"] == "breast"][:2]
    known = {"date": "2026-01-01", "seed": 1, "share": 0.1, "rows": 2, "agree": 2, "differ": 0, "not_run": 0}
    index["rechecks"] = [{**known, "audit_failures": 0, "trials": [row["trial"] for row in chosen]}]
    (tmp_path / "results" / "index.json").write_text(json.dumps(index))
    build_site(tmp_path / "results", tmp_path / "site")
    cases = pd.read_parquet(tmp_path / "site" / "cases.parquet")
    svm = cases[(cases["method"] == "svm") & cases["case"].str.startswith("breast")]
    assert (svm["run_again"].tolist(), svm["trials"].tolist()) == ([2], [4])
    assert cases["run_again"].sum() == 2
    standings = (tmp_path / "site" / "data" / "breast.html").read_text()
    assert ">2 of 8</td>" in standings
    points = pd.read_parquet(tmp_path / "site" / "suite" / "both.parquet")
    assert points.loc[points["run_again"] > 0, ["method", "budget"]].drop_duplicates().values.tolist() == [["svm", 2.0]]
    assert not points["reduced_size"].any()


def test_a_method_has_the_claims_about_it(site):
    told = site["method/svm.html"]
    assert re.search(r"2 claims:.*SVM beats chance.*it does not", told, re.DOTALL)
    assert "SVM beats chance" not in site["data/breast.html"]


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium")
def test_the_same_address_gives_the_same_view(site, tmp_path):
    """What was chosen is in the address; another choice and that address again show what was shown before."""
    probe = """<script>
      const choose = (name, value) => { const field = document.getElementById(name); field.value = value;
        field.dispatchEvent(new Event("change")); };
      const view = () => document.querySelector("main").textContent;
      choose("f-kind", "worst"); choose("f-share", "s20"); choose("f-values", "numbers");
      document.querySelector(".chip").click();
      const wanted = location.hash, before = view();
      choose("f-share", "s5"); choose("f-kind", "random");
      const between = view();
      addEventListener("hashchange", () => {
        document.body.dataset.address = location.hash;
        document.body.dataset.same = view() === before && location.hash === wanted && between !== before;
      });
      location.hash = wanted;
    </script></body>"""
    (tmp_path / "index.html").write_text(site["index.html"].replace("</body>", probe))
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    address = (tmp_path / "index.html").as_uri()
    found = subprocess.run(
        [*command, "--virtual-time-budget=3000", "--dump-dom", address],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    ).stdout
    assert 'data-same="true"' in found
    told = re.search(r'data-address="([^"]*)"', found)[1]
    assert all(part in told for part in ("kind=worst", "share=s20", "values=numbers", "case="))


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
        entry = {"question": {"name": "svm", "params": {}, "tune": {}}}
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
