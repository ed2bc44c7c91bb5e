"""What a run was made of, noted once: sources, versions, machine, the suite as resolved."""

from __future__ import annotations

import json
import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_info

from benchkit.journal import write_manifest
from benchkit.journal.manifest import plugin_digests, seal
from benchkit.session.plan import suite_facts
from benchkit.session.reuse import Reuse
from benchkit.suite import yaml_text
from benchkit.suite.load import Collection
from benchkit.trial.source_code import installed_versions

_SECONDS_FOR_GIT = 10


def command_line() -> str:
    """How this process was called."""
    return shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]])


class Provenance:
    """What a run was made of, written into its folder; kept while the run goes on, for its trials may be many.

    Parameters
    ----------
    reuse : Reuse
    folder : Path
        Of the run; its name is the run's.
    started : str

    Attributes
    ----------
    manifest : dict
        As the run's folder holds it.

    Raises
    ------
    OSError
    """

    def __init__(self, reuse: Reuse, folder: Path, started: str) -> None:
        plan, suite = reuse.plan, reuse.plan.suite
        of_suite = suite_facts(suite, plan.registry)
        resolved = of_suite["suite_as_run"]
        place = plan.loaded.source.path.resolve()
        source, self._uncommitted = checkout(place.parent)
        # By this file alone the run can be repeated, from anywhere.
        alone = {**resolved, "plugins": list(plan.plugins)} if plan.plugins else resolved
        self._suite = yaml_text.write(alone)
        self.folder = folder
        trials = _trials(reuse)  # notes ingredients
        facts = {
            "run": folder.name,
            "suite": suite.name,
            "title": suite.title,
            "profile": plan.loaded.profile,
            "started": started,
            "command": command_line(),
            "folder": os.getcwd(),
            "suite_path": str(place),
            "source": source,
            "environment": environment(),
            **of_suite,
            "feature_values": _listed_values(reuse),
            "plugins": list(plan.plugins),
            "plugin_digests": plugin_digests(plan.plugins),
            "shard": str(plan.request.part),
            "fresh": plan.request.fresh,
            "until_decided": plan.request.until_decided,
            "complete": False,
            "ingredients": plan.fingerprints.ingredients,
        }
        plain = json.loads(json.dumps(facts, default=str))  # as whoever reads the file has them
        self.manifest = {**plain, **trials}
        self.manifest["seal"] = seal(folder, self.manifest)
        self.write()

    def write(self) -> None:
        """Write the manifest, the suite as resolved, and what its checkout had not committed.

        Raises
        ------
        OSError
        """
        if self._uncommitted:
            (self.folder / "uncommitted.diff").write_text(self._uncommitted, encoding="utf-8")
        (self.folder / "suite.yaml").write_text(self._suite, encoding="utf-8")
        write_manifest(self.folder, self.manifest)

    def note(self, **facts: Any) -> None:
        """Write further facts into the manifest.

        Raises
        ------
        OSError
        """
        self.manifest |= facts
        write_manifest(self.folder, self.manifest)


def _listed_values(reuse: Reuse) -> dict[str, list[float]]:
    """The feature values that the suite lists, by the name that records have for them."""
    cells = {id(trial.dataset): trial.dataset for trial in reuse.trials.values()}.values()
    return {cell.values_name: cell.feature_values for cell in cells if isinstance(cell.feature_values, list)}


def _reused_from(reuse: Reuse) -> dict[str, list[str]]:
    """Trials whose records are earlier runs', by run."""
    origins: dict[str, list[str]] = {}
    for trial_id, row in reuse.rows.items():
        origins.setdefault(row["run"], []).append(trial_id)
    return origins


def _trials(reuse: Reuse) -> dict[str, Any]:
    return {
        "content": reuse.plan.content,
        "reused": len(reuse.rows),
        "reused_from": _reused_from(reuse),
        "trials": list(reuse.trials),
        "positions": [reuse.plan.positions[trial_id] for trial_id in reuse.trials],
    }


def describe_group(collection: Collection, suites: Sequence[str], started: str) -> dict[str, Any]:
    """The manifest of a collection's run, before the runs of its suites are known."""
    source, _ = checkout(collection.loaded.source.path.resolve().parent)
    return {
        "collection": collection.name,
        "title": collection.loaded.suite.title,
        "profile": collection.suites[0].profile,
        "started": started,
        "command": command_line(),
        "environment": environment(),
        "source": source,
        "suites": list(suites),
        "runs": {},
    }


def environment() -> dict[str, Any]:
    """The machine and the versions of all installed distributions."""
    return {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "host": platform.node(),
        "cpu": _cpu_model(),
        "processors": os.cpu_count(),
        "memory_mb": _memory_megabytes(),
        "blas": [
            {name: library.get(name) for name in ("user_api", "internal_api", "version", "architecture")}
            for library in sorted(threadpool_info(), key=lambda library: str(library["filepath"]))
        ],
        "compiled_for": compiled_for(),
        "threads_per_worker": 1,
        "versions": dict(sorted(installed_versions().items(), key=lambda item: item[0].lower())),
    }


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def _memory_megabytes() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
    except (OSError, ValueError):
        return None


def checkout(folder: Path) -> tuple[dict[str, Any] | None, str]:
    """Commit of the repository that holds a folder, and the difference from it; None where there is no repository."""
    commit = _git(folder, "rev-parse", "HEAD")
    if commit is None:
        return None, ""
    changed = _git(folder, "status", "--porcelain") or ""
    diff = (_git(folder, "diff", "HEAD") or "") if changed else ""
    return {"commit": commit.strip(), "changed_files": changed.splitlines()}, diff


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        ended = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SECONDS_FOR_GIT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return ended.stdout if ended.returncode == 0 else None


def compiled_for() -> str:
    """What LLVM, and numba with it, takes this processor for, or was told to: it decides the order of sums in loops."""
    from llvmlite import binding

    return os.environ.get("NUMBA_CPU_NAME") or str(binding.get_host_cpu_name())
