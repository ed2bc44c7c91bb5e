"""What a run was made of, noted once: sources, versions, machine, the suite as resolved."""

from __future__ import annotations

import os
import platform
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_info

from benchkit.conduct.planning import Planned
from benchkit.journal import write_manifest
from benchkit.suite import yaml_text
from benchkit.suite.attack_order import attack_order
from benchkit.trial.installed import installed_versions

_SECONDS_FOR_GIT = 10


def command_line() -> str:
    """How this process was called."""
    return shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]])


def write_provenance(planned: Planned, folder: Path, run_id: str, started: str) -> None:
    """Write a run's manifest, the suite as resolved, and what its checkout had not committed.

    Raises
    ------
    OSError
    """
    suite = planned.loaded.suite
    resolved = suite.model_dump(mode="json", exclude_defaults=True)
    place = planned.loaded.source.path.resolve()
    source, uncommitted = checkout(place.parent)
    if uncommitted:
        (folder / "uncommitted.diff").write_text(uncommitted, encoding="utf-8")
    # By this file alone the run can be repeated, from anywhere.
    alone = {**resolved, "plugins": list(planned.plugins)} if planned.plugins else resolved
    text = yaml_text.write(alone)
    (folder / "suite.yaml").write_text(text, encoding="utf-8")
    manifest = {
        "run": run_id,
        "suite": suite.name,
        "title": suite.title,
        "profile": planned.loaded.profile,
        "started": started,
        "command": command_line(),
        "folder": os.getcwd(),
        "suite_path": str(place),
        "source": source,
        "environment": environment(),
        "attack_order": attack_order(suite, planned.registry),
        "suite_as_run": resolved,
        "plugins": list(planned.plugins),
        "shard": str(planned.shard),
        "reused": len(planned.reused),
        "ingredients": planned.fingerprints.ingredients,
        "trials": list(planned.trials),
        "positions": [planned.positions[trial_id] for trial_id in planned.trials],
    }
    write_manifest(folder, manifest)


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
            for library in threadpool_info()
        ],
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
        found = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SECONDS_FOR_GIT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return found.stdout if found.returncode == 0 else None
