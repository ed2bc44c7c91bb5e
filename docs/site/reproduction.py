"""Write REPRODUCTION.md: the findings, and every claim of the five papers judged by the newest runs.

    python docs/site/reproduction.py runs-at-paper-size runs-of-quick

looks into these folders, in their order, for a run of every suite of `papers`, judges today's claims by it, and writes
docs/REPRODUCTION.md below the sentences of docs/site/findings.txt. Numbers that a paper prints for a
size that a profile does not have are not among that profile's claims.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from benchkit.report.formats.reproduction import reproduction
from benchkit.report.results import Results, join_results, load_results
from benchkit.suite.load import load, load_collection

HERE = Path(__file__).parent
PAGE = HERE.parent / "REPRODUCTION.md"


def newest(folders: list[Path], suite: str) -> Results | None:
    """The newest run of a suite in the first folder that has one."""
    for folder in folders:
        if (folder / suite).is_dir():
            return load_results(folder / suite)
    return None


def judged_by_today(folders: list[Path]) -> list[Results]:
    """A run of every suite of the papers, with the claims that the suites make today."""
    members = []
    for loaded in load_collection("papers").suites:
        results = newest(folders, loaded.suite.name)
        if results is None:
            print(f"not run: {loaded.suite.name}")
            continue
        claims = load(loaded.suite.name, results.manifest["profile"]).suite.expect
        members.append(replace(results, expectations=[claim.model_dump() for claim in claims]))
    return members


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", type=Path, nargs="+")
    members = judged_by_today(parser.parse_args().runs)
    whole = join_results("papers", "Which claims of the five papers hold", members[0].folder, members)
    findings = (HERE / "findings.txt").read_text(encoding="utf-8")
    PAGE.write_text(reproduction(whole, findings), encoding="utf-8")


if __name__ == "__main__":
    main()
