"""Write REPRODUCTION.md, the findings, and a page for each paper: its claims judged by the published results.

    BENCHKIT_DATA=FOLDER python docs/site/reproduction.py results

takes the rows of every suite of `papers` at the paper's size, or at another where these are not published, judges
today's claims by them, and writes docs/reproduction/ and docs/REPRODUCTION.md, which opens with the sentences of
docs/site/findings.yaml; their numbers it computes from the same rows.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import get_args

from findings import findings
from one_suite import BEYOND, TABFSBENCH, judged, published_profile, rows_of
from reproduction_page import CLAIMS, Paper, PaperSize, front, kind_of, knowledge, paper_page
from tabfs import PROTOCOLS
from tabfs import findings as over_tables
from tabfs_rows import Rows
from tabfs_statistics import TABLE_CLAIMS

from benchkit.plugin.declarations import ReportTable
from benchkit.plugin.manager import registry
from benchkit.report.claims.verdict import Outcome, Verdict
from benchkit.report.results import Results
from benchkit.suite.claims import Claim
from benchkit.suite.expand import expand
from benchkit.suite.load import load, load_collection
from benchkit.suite.schema import AlgorithmEntry
from benchkit_results.stored import Stored, open_stored

HERE = Path(__file__).parent
PAGE = HERE.parent / "REPRODUCTION.md"
PAPERS = {
    "ds08": "Dekel & Shamir 2008: learning to classify with missing and corrupted features",
    "dsx10": "Dekel, Shamir & Xiao 2010: learning to classify with missing and corrupted features",
    "gr06": "Globerson & Roweis 2006: nightmare at test time",
    "dhs08": "Dick, Haider & Scheffer 2008: learning from incomplete data with infinite imputations",
    "roofs": "Zhang et al.: robust regression via online feature selection",
    "tabfs": "TabFSBench, claim by claim",
    "beyond": "What the papers did not ask",
}
"""Of the beginnings of suites' names the titles of their pages; the last is that of all other suites."""


def paper_sizes() -> dict[str, PaperSize]:
    """How many trials each suite of the papers has at the paper's size, and how many hours that takes."""
    sizes = {}
    for loaded in [*load_collection("papers", "paper").suites, *(load(name, "paper") for name in TABFSBENCH)]:
        trials = expand(loaded, registry(()))
        absent = {entry.display_name for entry in loaded.suite.datasets if entry.optional}
        there = sum(trial.dataset.label not in absent for trial in trials)
        sizes[loaded.suite.name] = PaperSize(there, loaded.suite.hours)
    return sizes


def judged_by_today(stored: Stored) -> list[Results]:
    """The rows of every suite of the papers and beyond with the claims that it makes today."""
    names = [*(loaded.suite.name for loaded in load_collection("papers", "paper").suites), *BEYOND]
    profiles = {name: published_profile(stored, name) for name in names}
    return [judged(stored, name, profile) for name, profile in profiles.items() if profile is not None]


def what_methods_are_told() -> dict[str, ReportTable]:
    """What each suite of the papers tells its methods and lets them tune, today."""
    tables = {
        each.suite.name: knowledge(each.suite, registry(each.plugins))
        for each in load_collection("papers", "paper").suites
    }
    return {name: table for name, table in tables.items() if table is not None}


def notes_on(results: Results) -> list[str]:
    """On whose rows a suite is judged, and which of its methods it tunes otherwise today."""
    joined = Counter(row["published_with"] for row in results.rows if row.get("published_with"))
    shares = ", ".join(f"{count} of {suite}" for suite, count in sorted(joined.items()))
    notes = (
        [f"Of its {len(results.rows)} rows {shares} answer the same questions and stand among them."] if shares else []
    )
    today = _entries(load(results.suite, str(results.manifest["profile"])).suite.algorithms)
    ran = _entries([AlgorithmEntry.model_validate(each) for each in results.manifest["suite_as_run"]["algorithms"]])
    changed = [label for label, entries in today.items() if label in ran and ran[label] != entries]
    if changed:
        notes.append(
            f"The rows of {', '.join(changed)} are of an earlier text of the suite, which gave them other parameters "
            "or another grid: what is said of these methods is said of that, until they are run again."
        )
    return notes


def _apart(papers: Iterable[Paper]) -> str:
    """The claims of the five papers and those of TabFSBench, each by themselves."""
    counts: dict[bool, Counter[str]] = {False: Counter(), True: Counter()}
    for paper in papers:
        counts[bool(paper.over_tables)].update(
            verdict.outcome for verdict in paper.verdicts() if kind_of(verdict) == CLAIMS
        )
    five, sixth = counts[False], counts[True]
    return (
        f"Of the five papers' {five.total()} claims {five['supported']} are supported, {five['contradicted']} "
        f"contradicted and {five['undecided']} undecided; of TabFSBench's {sixth.total()}, judged over tables at its "
        f"protocol and at ours, {sixth['supported']}, {sixth['contradicted']} and {sixth['undecided']}."
    )


def of_tabfsbench(folder: Path) -> list[Verdict]:
    """TabFSBench's claims, those that have a direction, at each protocol; a table is one number."""
    found = over_tables(Rows(folder))
    verdicts = []
    for name, claim in TABLE_CLAIMS.items():
        for protocol, words in PROTOCOLS.items():
            finding = found[f"{name}_{protocol}"]
            if finding.verdict in get_args(Outcome):
                stated = Claim(
                    claim=f"{claim.claim}, {words}",
                    source="TabFSBench, abstract and README",
                    algorithm="all methods",
                    between=(claim.bar, 1),
                )
                verdicts.append(Verdict(stated, finding.verdict, claim.number, str(finding).partition(":")[0]))
    return verdicts


def _entries(algorithms: Iterable[AlgorithmEntry]) -> dict[str, list[object]]:
    """What a suite says of each method, by label, whatever data sets it is for."""
    by_label: dict[str, list[object]] = {}
    for entry in algorithms:
        said = entry.model_dump(include={"name", "params", "tune"})
        if said not in by_label.setdefault(entry.display_name, []):
            by_label[entry.display_name].append(said)
    return by_label


def by_paper(members: Iterable[Results], of_tables: Sequence[Verdict] = ()) -> list[Paper]:
    """The pages, with the suites that each is about, that on TabFSBench with the claims judged over its tables."""
    suites: dict[str, list[Results]] = {key: [] for key in PAPERS}
    for results in members:
        key = results.suite.partition("-")[0]
        suites[key if key in PAPERS else "beyond"].append(results)
    return [
        Paper(f"{key}.md", title, suites[key], of_tables if key == "tabfs" else ()) for key, title in PAPERS.items()
    ]


def main() -> None:
    """Write the pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", help="folder of published results")
    folder = parser.parse_args().results
    stored = open_stored(folder)
    sizes = paper_sizes()
    members = judged_by_today(stored)
    by_suite = {results.suite: results for results in members}
    opening = findings(lambda name: by_suite.get(name) or rows_of(stored, name))
    papers = by_paper(members, of_tabfsbench(Path(folder)))
    text = front("Which claims of the papers hold", f"{opening}\n{_apart(papers)}", papers, sizes)
    PAGE.write_text(text, encoding="utf-8")
    notes = {results.suite: notes_on(results) for results in members}
    told = what_methods_are_told()
    for paper in papers:
        place = PAGE.parent / "reproduction" / paper.file
        place.write_text(paper_page(paper, sizes, told, notes), encoding="utf-8")


if __name__ == "__main__":
    main()
