"""How results/ came to be folders of published runs: ``python docs/site/convert_results.py OLD_RESULTS NEW_FOLDER``.

It was run once, with the code of commit 16c0e961 on PYTHONPATH, whose `benchkit.published` reads the format before
(an index, and a file for each suite, profile and method); what writes the new one is taken from this checkout. Of a
suite and profile all rows that answer its newest text become one published run, those of other suites among them marked
as theirs; rows of earlier texts, and what newer rows displaced, become runs of their own.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import benchkit
from benchkit.published import as_run
from benchkit.published.losses import key_of
from benchkit.published.stored import open_folder

ROOT = Path(__file__).parents[2]
OF_ORIGIN = ("started", "published", "machine", "python", "benchkit", "versions", "commit", "uncommitted_changes")
OF_SUITE = ("greater_is_better", "ranges", "attack_order", "feature_values")


def main(old: Path, new: Path) -> None:
    """Convert all, and print what became of each suite and profile."""
    stored = open_folder(old)
    runs = {}
    for suite, profile in sorted({(each["suite"], each["profile"]) for each in stored.index["contributions"].values()}):
        runs |= runs_of(stored, suite, profile)
    for name in [name for name in sys.modules if name.startswith("benchkit.published")]:
        del sys.modules[name]
    benchkit.__path__.insert(0, str(ROOT / "benchkit"))
    from benchkit.journal.manifest import write_manifest
    from benchkit.published.losses import RowLosses
    from benchkit.published.rows import FILE, write_rows
    from benchkit.published.write import write_sums

    for name, (manifest, rows, losses) in runs.items():
        folder = new / name
        folder.mkdir(parents=True)
        write_rows(folder / FILE, rows, {trial: RowLosses(**vars(kept)) for trial, kept in losses.items()})
        write_manifest(folder, manifest)
    write_sums(new)


def runs_of(stored: Any, suite: str, profile: str) -> dict[str, tuple[dict[str, Any], list[Any], dict[str, Any]]]:
    """Manifest, rows and losses of the runs that a suite and profile become, by name."""
    contributions = stored.index["contributions"]
    mine = {key: each for key, each in contributions.items() if (each["suite"], each["profile"]) == (suite, profile)}
    made = as_run._of_suite(stored, suite, profile, False)
    chosen, taken = [], set()
    for trial, row in made.rows.items():
        before = made.published[trial]
        taken.add(key_of(before))
        measured = {name: before[name] for name in as_run.MEASURED}
        chosen.append(({**row, **measured, "run": contributions[before["contribution"]]["run"]}, before))
    rest = defaultdict(list)
    for path in dict.fromkeys(each["file"] for each in mine.values()):
        for row in stored.rows(path):
            if row["contribution"] in mine and key_of(row) not in taken:
                rest[mine[row["contribution"]]["suite_spec"]].append((row, row))
    base = next(
        each
        for each in mine.values()
        if stored.index["suites"][each["suite_spec"]]["as_run"] == made.manifest["suite_as_run"]
    )
    parts = {f"{suite}/{profile}": (base, chosen)}
    for place, (spec, members) in enumerate(rest.items(), start=1):
        first = next(each for each in mine.values() if each["suite_spec"] == spec)
        parts[f"{suite}/before-{profile}-{place}"] = first, members
    found = {name: one_run(stored, *part, profile) for name, part in parts.items()}
    for name in list(found)[1:]:  # displaced by what began later, or comes later by its name
        found[name][0]["started"] = min(each["started"] for each in found[name][0]["origins"].values())
    print(f"{suite} {profile}: {[len(members) for _, members in parts.values()]} rows", flush=True)
    return found


def one_run(stored: Any, base: dict[str, Any], members: list[Any], profile: str) -> Any:
    """A published run of these rows."""
    index, spec = stored.index, stored.index["suites"][base["suite_spec"]]
    contributions = {key: index["contributions"][key] for key in {before["contribution"] for _, before in members}}
    origins = {each["run"]: {name: each[name] for name in OF_ORIGIN} for each in [*contributions.values(), base]}
    for each in contributions.values():
        origins[each["run"]]["versions"] = {**origins[each["run"]]["versions"], **each["versions"]}
    manifest = {
        "benchkit_results": 3,
        "by": base["by"],
        "licence": base["licence"],
        "suite": spec["suite"],
        "title": spec["title"],
        "run": base["run"],
        "profile": profile,
        "started": max(origin["started"] for origin in origins.values()),
        "environment": as_run._environment(base),
        "source": {"commit": base["commit"] or "unknown", "changed_files": []},
        "origins": dict(sorted(origins.items())),
        "suite_as_run": spec["as_run"],
        **{name: spec[name] for name in OF_SUITE},
        "content": {
            "designs": {row["design"]: index["designs"][row["design"]] for row, _ in members},
            "methods": {
                row["method"]: contributions[before["contribution"]]["methods"][row["method"]]
                for row, before in members
            },
            "places": {},
        },
        "trials": [],
    }
    losses = {
        row["trial"]: kept
        for row, before in members
        if (kept := stored.losses(contributions[before["contribution"]]["file"]).get(key_of(before))) is not None
    }
    return manifest, [row for row, _ in members], losses


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
