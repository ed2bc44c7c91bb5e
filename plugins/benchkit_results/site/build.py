"""Building the site: from a folder of published results to a folder of pages."""

from __future__ import annotations

import json
import shutil
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from benchkit import TRIVIAL_METHODS, Catalogue, PublishError, ReportCell, ReportTable, registry, run_document
from benchkit.document.html import Section, framed, html_table
from benchkit.document.text import interval_text, number
from benchkit_results.site.cases import Case, SuitePage, address, cases_of, suite_pages
from benchkit_results.stored import Stored, open_stored

MARK = ".benchkit-site"
"""A file that marks a folder as a site: such a folder is replaced, any other that holds files is not."""

_MOST_BYTES = 1_000_000
_MOST_NAMES = 4
_LINKS = (("suites.html", "Suites"), ("methods.html", "Methods"), ("data.html", "Data sets"))
_HOME = "../index.html"
_Row = Sequence[ReportCell | str]


def build_site(reference: str | Path, folder: str | Path) -> list[Path]:
    """Write the site of published results.

    Parameters
    ----------
    reference : str or Path
        As for `benchkit_results.stored.open_stored`.
    folder : path
        Is made anew; a folder that holds anything but an earlier site is refused.

    Returns
    -------
    list of Path
        The pages.

    Raises
    ------
    PublishError
    """
    target = Path(folder)
    stored = open_stored(reference)
    if target.is_dir() and any(target.iterdir()) and not (target / MARK).is_file():
        raise PublishError(f"{target}: holds files that are no site of benchkit's; name another folder")
    pages = _pages(stored)
    try:
        if target.is_dir():
            shutil.rmtree(target)
        for place, text in pages.items():
            path = target / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        (target / MARK).write_text("", encoding="utf-8")
    except OSError as error:
        raise PublishError(f"{target}: cannot write here: {error.strerror or error}") from None
    return [target / place for place in pages]


def _pages(stored: Stored) -> dict[str, str]:
    """The pages by their addresses within the site."""
    suites = suite_pages(stored)
    cases = cases_of(suites)
    by_method: dict[str, list[Case]] = defaultdict(list)
    by_data: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        by_data[case.data].append(case)
        for name in dict.fromkeys(case.page.methods[answer.method] for answer in case.answers):
            by_method[name].append(case)
    pages = {"index.html": _front(cases)}
    for suite in suites:
        pages[suite.address] = _suite(suite, [case for case in cases if case.page is suite])
    methods = sorted({name for suite in suites for name in suite.methods.values()})
    data = sorted({q["dataset"]["name"] for suite in suites for q in _questions(suite.run.manifest)})
    for name in methods:
        pages[address("method", name)] = _method(name, by_method[name], suites)
    for name in data:
        pages[address("data", name)] = _data(name, by_data[name], suites)
    known = registry()
    pages["suites.html"] = _list(
        "Suites", ("suite", "title", "rows", "published", "by", "licence"), [_suite_row(suite) for suite in suites]
    )
    pages["methods.html"] = _named("Methods", "method", {name: by_method[name] for name in methods}, known.algorithms)
    pages["data.html"] = _named("Data sets", "data", {name: by_data[name] for name in data}, known.datasets)
    return pages


def _questions(manifest: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [design["question"] for design in manifest["content"]["designs"].values()]


def _suite_row(suite: SuitePage) -> _Row:
    manifest, results = suite.run.manifest, suite.analysis.results
    rows = ReportCell(f"{len(results.rows):,}", len(results.rows))
    published = max((origin["published"] for origin in manifest["origins"].values()), default="-")
    page = ReportCell(suite.name, href=suite.address)
    return [page, results.title, rows, published, manifest["by"] or "-", manifest["licence"]]


def _named(title: str, folder: str, cases: Mapping[str, Sequence[Case]], known: Catalogue[Any]) -> str:
    """The list of methods or data sets, with the number of their cases."""
    rows = [
        [
            ReportCell(name, href=address(folder, name)),
            known[name].summary if name in known else "not installed here",
            ReportCell(str(len(members)), len(members)),
        ]
        for name, members in cases.items()
    ]
    return _list(title, ("name", "what it is", "cases"), rows)


def _front(cases: Sequence[Case]) -> str:
    """The question; all that the page's script shows lies in it, so that nothing is fetched."""
    methods = {label: place for place, label in enumerate(sorted({a.method for case in cases for a in case.answers}))}
    homes = {a.method: address("method", case.page.methods[a.method]) for case in cases for a in case.answers}
    suites = {case.page.address: [case.page.name, case.page.address] for case in cases}
    names = list(cases[0].tags) if cases else []
    told = {
        "names": names,
        "methods": [[label, homes[label]] for label in methods],
        "suites": list(suites.values()),
        "trivial": [place for label, place in methods.items() if label in TRIVIAL_METHODS],
        "cases": [
            [
                list(suites).index(case.page.address),
                f"{case.grid.panel}, {case.where}",
                case.grid.metric,
                list(case.tags.values()),
                [[methods[a.method], a.tier, float(f"{a.mean:.3g}")] for a in case.answers],
            ]
            for case in cases
        ],
    }
    text = json.dumps(told, separators=(",", ":")).replace("<", "\\u003c")
    choices = {name: sorted({case.tags[name] for case in cases}) for name in names}
    selects = "".join(
        f'<label>{escape(name)} <select name="{escape(name)}"><option value="">any</option>'
        + "".join(f"<option>{escape(choice)}</option>" for choice in choices[name])
        + "</select></label> "
        for name in names
    )
    code = files("benchkit_results.site").joinpath("question.js").read_text(encoding="utf-8")
    note = (
        '<p class="note">A tier holds methods that cannot be told apart: nobody of tier 1 is shown to be worse than '
        "another method, by paired differences on new rows, at 95 % for all pairs of a case together (Holm). There are "
        "no ranks, and nothing is averaged over unlike data.</p>"
    )
    form = (
        f'<form id="question">{selects}</form><noscript><p class="caution">The question needs JavaScript; the suites '
        'hold the same results.</p></noscript><div id="answer" role="status"></div>'
        f'{note}<script type="application/json" id="cases">{text}</script><script>{code}</script>'
    )
    links = " · ".join(f'<a href="{place}">{name}</a>' for place, name in _LINKS)
    use = (
        '<pre tabindex="0"><code>benchkit run SUITE --plugin my_method.py --against DIR</code></pre><p>runs '
        "your method alone, and lets these rows stand beside it.</p>"
    )
    sections = [
        Section("The question", form),
        Section("All results", f"<p>{links}</p>"),
        Section("Use these rows", use),
    ]
    return framed("What should I use?", f"{len(cases):,} cases of published results", sections)


def _suite(suite: SuitePage, cases: Sequence[Case]) -> str:
    """The report of the run; its means and cases alone where that is too long for a page."""
    whole = run_document(suite.analysis, suite.analysis.results.manifest).html(_HOME)
    if len(whole.encode()) <= _MOST_BYTES:
        return whole
    results = suite.analysis.results
    return framed(results.title or results.suite, suite.name, [_cases("Cases", cases, "")], _HOME)


def _method(name: str, cases: Sequence[Case], suites: Sequence[SuitePage]) -> str:
    known = registry()
    declared = known.algorithms.get(name)
    facts = {} if declared is None else {"source": declared.reference, "formula": declared.formula}
    rows: list[_Row] = []
    for suite in suites:
        for method in suite.run.manifest["content"]["methods"].values():
            question = method["question"]
            if question["name"] == name:
                rows.append(
                    [
                        ReportCell(suite.name, href=f"../{suite.address}"),
                        *map(json.dumps, (question["params"], question["tune"])),
                    ]
                )
    first = sum(any(a.tier == 1 for a in case.answers if case.page.methods[a.method] == name) for case in cases)
    lead = f"{declared.summary}; " if declared is not None else ""
    sections = [
        Section("What it is", _facts(facts)),
        _cases("Cases", cases, name),
        Section("Parameters", _table(("suite", "parameters", "tuning"), rows)),
    ]
    return framed(name, f"{lead}in the first tier in {first} of {len(cases)} cases", sections, _HOME)


def _data(name: str, cases: Sequence[Case], suites: Sequence[SuitePage]) -> str:
    known = registry()
    facts: dict[str, str] = {}
    if name in known.datasets:
        declared = known.datasets[name]
        facts = {
            "rows x columns": declared.shape,
            "classes or target": declared.classes,
            "source": declared.source,
            "reference": declared.reference,
            "licence": declared.licence,
        }
    uses: dict[str, _Row] = {}
    for suite in suites:
        for question in _questions(suite.run.manifest):
            if question["dataset"]["name"] == name:
                texts = [json.dumps(question[part])[:200] for part in ("seed", "split", "preprocess", "feature_values")]
                row: _Row = [
                    ReportCell(suite.name, href=f"../{suite.address}"),
                    json.dumps(question["dataset"]["params"]),
                    *texts,
                ]
                uses.setdefault(" ".join([suite.name, str(row[1]), *texts]), row)
    header = ("suite", "parameters", "seed", "split", "preprocessing", "feature values")
    sections = [
        Section("What it is", _facts(facts)),
        _cases("Cases", cases, ""),
        Section("How it was used", _table(header, list(uses.values()))),
    ]
    return framed(name, f"{len(cases)} cases", sections, _HOME)


def _cases(title: str, cases: Sequence[Case], name: str) -> Section:
    """A table of cases: the first tier and its best mean, and how one method stands, if it is named."""
    rows: list[_Row] = []
    for case in cases:
        first = [answer for answer in case.answers if answer.tier == 1]
        texts: _Row = [ReportCell(f"{case.grid.panel}, {case.where}", href=f"../{case.page.address}"), case.grid.metric]
        best = [_labels(answer.method for answer in first), number(first[0].mean), str(case.repetitions)]
        for answer in [a for a in case.answers if case.page.methods[a.method] == name] if name else [None]:
            own: list[ReportCell | str] = []
            if answer is not None:
                mean = number(answer.mean) + (f" {interval_text(*answer.interval)}" if answer.interval else "")
                spent = "-" if answer.seconds is None else number(answer.seconds)
                own = [
                    answer.method,
                    ReportCell(mean, answer.mean),
                    ReportCell(str(answer.tier), answer.tier),
                    ReportCell(spent, answer.seconds),
                ]
            rows.append([*texts, *own, *best])
    mine = ("called", "mean [95 %]", "tier", "median fit seconds") if name else ()
    header = ("case", "metric", *mine, "cannot be told from the best", "best mean of them", "repetitions")
    return Section(title, _table(header, rows) if rows else "<p>None that compares methods.</p>")


def _labels(labels: Iterable[str]) -> str:
    names = list(dict.fromkeys(labels))
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return "; ".join(names[:_MOST_NAMES]) + more


def _list(title: str, header: Sequence[str], rows: Sequence[_Row]) -> str:
    return framed(title, f"{len(rows)} of them", [Section(title, _table(header, rows))], "index.html")


def _table(header: Sequence[str], rows: Sequence[_Row]) -> str:
    return str(html_table(ReportTable(columns=header, rows=rows), "left"))


def _facts(facts: Mapping[str, str]) -> str:
    rows = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(text)}</dd></div>" for name, text in facts.items() if text)
    return f"<dl>{rows}</dl>"
