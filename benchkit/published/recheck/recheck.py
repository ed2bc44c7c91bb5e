"""Running a random part of published results again, and saying what came of it."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock

from benchkit.journal import PublishError
from benchkit.published.as_run import suite_results
from benchkit.published.machine import machine_class
from benchkit.published.recheck.arithmetic import Arithmetic, arithmetic_here, arithmetic_of
from benchkit.published.recheck.rerun import Rechecked, rerun
from benchkit.published.recheck.rerun_elsewhere import rerun_elsewhere
from benchkit.published.rows import PublishedRow
from benchkit.published.stored import Stored, open_folder
from benchkit.published.transaction import finish, write_together
from benchkit.published.write import index_contents
from benchkit.session.provenance import environment

SHARE = 0.02
TOLERANCE = 1e-6
_MOST_TOLD = 20


def recheck(
    folder: str | Path,
    *,
    share: float = SHARE,
    tolerance: float = TOLERANCE,
    seed: int | None = None,
    plugins: Sequence[str | Path] = (),
    trust: bool = False,
) -> Rechecked:
    """Run a random part of published rows again, and write what came of it into the index.

    The last bits of a sum are those of the processor's kernels and compiler, and a method that ranks or draws may turn
    on them: rows that were made with others are run with these, in a process of its own; all others run in this one.
    Only code that is installed here, and plugin files that are named, is run: nothing comes from the published files.

    Parameters
    ----------
    folder : path
        Published results.
    share : float, default=0.02
        Of all rows that ended ok; one row at least.
    tolerance : float, default=1e-6
        By how much a metric may differ, relative to the larger of 1 and its value.
    seed : int, optional
        Of the choice of rows; drawn, and written into the index, by default.
    plugins : sequence of path
        Plugin files that declare methods of these rows.
    trust : bool, default=False
        Run also entries of published suites that name a class which is no estimator of scikit-learn's, a file or code.

    Returns
    -------
    Rechecked

    Raises
    ------
    PublishError
    """
    place = Path(folder)
    if not 0 < share <= 1:
        raise PublishError(f"--share {share:g}: expected a share above 0, at most 1")
    stored = open_folder(place)
    drawn = random.SystemRandom().randrange(2**31) if seed is None else seed
    rows = [row for row in stored.all_rows() if row["status"] == "ok"]
    if not rows:
        raise PublishError(f"{place}: no row that ended ok is published")
    chosen = random.Random(drawn).sample(rows, max(1, math.ceil(share * len(rows))))
    here = arithmetic_here()
    told, ran_with = Rechecked(), Counter[str]()
    for wanted, members in _by_arithmetic(stored, chosen, here).items():
        ran_with[str(wanted)] += len(members)
        if wanted == here:
            told.add(rerun(stored, members, plugins, tolerance, trust))
        else:
            told.add(rerun_elsewhere(place, members, wanted, here, plugins, tolerance, trust))
    told.inconsistent = list(_inconsistent(stored))
    entry = {
        "date": datetime.now(UTC).date().isoformat(),
        "share": share,
        "seed": drawn,
        "tolerance": tolerance,
        "rows": len(chosen),
        "agree": told.agree,
        "differ": told.differ,
        "not_run": told.not_run,
        "losses": told.losses,
        "losses_differ": told.losses_differ,
        "largest_difference": told.largest,
        "certificates": told.certificates,
        "certificates_broken": told.broken,
        "audit_failures": len(told.inconsistent),
        "differences": told.differences[:_MOST_TOLD] + told.inconsistent[:_MOST_TOLD],
        "machine": machine_class(environment()),
        "arithmetic": dict(ran_with),
        "trials": sorted(row["trial"] for row in chosen),
    }
    _note(place, entry)
    return told


def _note(folder: Path, entry: Mapping[str, Any]) -> None:
    """Write what came of a recheck into the index, as soon as nobody publishes there."""
    try:
        with FileLock(folder / ".lock"):
            finish(folder)
            index = open_folder(folder).index
            index["rechecks"] = [*index["rechecks"], dict(entry)]
            write_together(folder, index_contents(index))
    except OSError as error:
        raise PublishError(f"{folder}: cannot write what came of it: {error.strerror or error}") from None


def _by_arithmetic(
    stored: Stored, rows: Sequence[PublishedRow], here: Arithmetic
) -> dict[Arithmetic, list[PublishedRow]]:
    """Rows by how they are to be run."""
    contributions = stored.index["contributions"]
    members: dict[Arithmetic, list[PublishedRow]] = {}
    for row in rows:
        made_with = arithmetic_of(contributions[row["contribution"]]["machine"])
        members.setdefault(made_with.chosen_here(here), []).append(row)
    return members


def _inconsistent(stored: Stored) -> Iterator[str]:
    """The consistency check of every published suite, over all of its rows."""
    pairs = dict.fromkeys((each["suite"], each["profile"]) for each in stored.index["contributions"].values())
    for suite, profile in pairs:
        results = suite_results(stored, suite, profile)
        yield from (f"{suite} ({profile}): {failure}" for failure in results.inconsistencies())
