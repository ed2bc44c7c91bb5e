"""What a run was made of, noted once: sources, versions, machine, the suite as resolved."""

import json
import math
import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_info

from benchkit.errors import JournalError
from benchkit.identity.fingerprints import describe_designs
from benchkit.identity.sources import installed
from benchkit.journal.manifest import Manifest, plugin_digests, read_manifest, seal, write_manifest
from benchkit.plugin.spec import Run
from benchkit.report.stored_results import results_by_records
from benchkit.session.plan import Plan
from benchkit.suite import yaml_text
from benchkit.suite.names import values_name
from benchkit.suite.whole_suite import describe_adversaries
from benchkit.trial.record import Record


def command_line() -> str:
    """How this process was called."""
    return shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]])


def write_provenance(plan: Plan, folder: Path, started: str) -> Manifest:
    """Write what a run is made of into its folder: manifest, suite as resolved, what its checkout had not committed."""
    place = plan.loaded.source.path.resolve()
    origin, uncommitted = circumstances(place.parent)
    content = describe_designs({**plan.trials, **plan.answered}, plan.fingerprints)  # notes ingredients
    values = {values_name(kinds): kinds for kinds in (trial.dataset.feature_values for trial in plan.trials.values())}
    reused_from: dict[str, list[str]] = {}
    for name, row in plan.done.items():
        reused_from.setdefault(row["run"], []).append(name)
    facts = {
        "run": folder.name,
        **suite_facts(plan),
        "profile": plan.loaded.profile,
        "started": started,
        **origin,
        "folder": os.getcwd(),
        "suite_path": str(place),
        "feature_values": {name: listed for name, listed in values.items() if isinstance(listed, list)},
        "plugins": list(plan.plugins),
        "plugin_digests": plugin_digests(plan.plugins),
        "shard": "{}/{}".format(*plan.request.part),
        "only": plan.request.only,
        "trials_of_suite": plan.trials_of_suite,
        "fresh": plan.request.fresh,
        "until_decided": plan.request.until_decided,
        "complete": False,
        "ingredients": plan.fingerprints.ingredients,
    }
    manifest = {
        **json.loads(json.dumps(facts, default=str)),  # as whoever reads the file has them
        "content": content,
        "reused": len(plan.done),
        "reused_from": reused_from,
        "trials": list(plan.trials),
        "positions": [trial.position for trial in plan.trials.values()],
        **_stands_beside(plan, content["places"]),
    }
    manifest["seal"] = seal(folder, manifest)
    write_suite(folder, manifest)
    if uncommitted:
        (folder / "uncommitted.diff").write_text(uncommitted, encoding="utf-8")
    write_manifest(folder, manifest)
    return manifest


def _stands_beside(plan: Plan, places: dict[str, Any]) -> dict[str, Any]:
    """Where the published rows are that a run stands beside, and of what they answer a trial where the run has none.

    The ``places`` of all other trials that they answer are removed: what published rows hold is not written again.
    """
    if plan.beside is None:
        return {}
    at_place: dict[tuple[str, str, int], str] = {}
    for name, trial in {**plan.trials, **plan.answered}.items():
        at_place.setdefault((places[name][0], str(trial.axis_value), trial.repetition), name)
    alone = plan.answered.keys() & at_place.values()
    for name in plan.answered.keys() - alone:
        del places[name]
    fields = {
        name: json.loads(json.dumps(plan.answered[name].fields, default=str)) for name in plan.answered if name in alone
    }
    against = str(plan.request.against)
    return {"against": str(Path(against).resolve()) if Path(against).is_dir() else against, "answered": fields}


def write_suite(folder: Path, manifest: Manifest) -> None:
    """Write the suite as resolved, with its plugin files: by this file alone the run can be repeated, from anywhere."""
    alone = {"plugins": manifest["plugins"]} if manifest["plugins"] else {}
    (folder / "suite.yaml").write_text(yaml_text.write(manifest["suite_as_run"] | alone), encoding="utf-8")


def suite_facts(plan: Plan) -> dict[str, Any]:
    """The suite as resolved, and what is declared of its metrics, adversaries and methods."""
    suite, known = plan.suite, plan.registry
    # Of data that was not looked at, since nothing of it is left to run, the newest run knows.
    leaks: dict[str, list[str]] = {}
    with suppress(IndexError, JournalError):
        leaks |= read_manifest(plan.store.runs()[-1]).get("leaks", {})
    leaks |= plan.leaks
    labels = {entry.display_name for entry in suite.datasets}
    metrics = {name: known.metrics[name] for name in suite.metrics}
    methods = [(entry, known.algorithms.get(entry.name)) for entry in suite.algorithms]
    return {
        "suite": suite.name,
        "title": suite.title,
        **describe_adversaries(suite, known),
        "greater_is_better": {name: metric.greater_is_better for name, metric in metrics.items()},
        "trivial": {entry.display_name: method.trivial for entry, method in methods if method and method.trivial},
        "shares": {name: metric.share for name, metric in metrics.items() if metric.share},
        "ranges": {  # None where there is no limit: JSON has no infinity
            name: [limit if math.isfinite(limit) else None for limit in metric.range]
            for name, metric in metrics.items()
        },
        "leaks": {label: texts for label, texts in leaks.items() if label in labels and texts},
        "suite_as_run": suite.model_dump(mode="json", exclude_defaults=True),
    }


def session_of(
    folder: Path, manifest: Manifest, planned: Mapping[str, Mapping[str, Any]], reused: Iterable[Record]
) -> Run:
    """A run as listeners are told of it, from its folder and manifest."""
    return Run(
        suite=manifest["suite"],
        title=manifest["title"],
        profile=manifest.get("profile") or "",
        id=manifest.get("run") or folder.name,
        folder=folder,
        out=folder.parent.parent,
        planned=planned,
        metrics=tuple(manifest["suite_as_run"].get("metrics") or ("error",)),
        reused=tuple(reused),
        command=manifest.get("command", ""),
        results=results_by_records(folder, manifest),
    )


def circumstances(folder: Path) -> tuple[dict[str, Any], str]:
    """The command, machine, versions, and commit of a folder's repository, for a manifest; what is not committed."""
    from llvmlite import binding

    cpu = platform.processor() or platform.machine()
    with suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        cpu = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), cpu)
    environment = {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "host": platform.node(),
        "cpu": cpu,
        "processors": os.cpu_count(),
        "memory_mb": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20,
        "blas": [
            {name: library.get(name) for name in ("user_api", "internal_api", "version", "architecture")}
            for library in sorted(threadpool_info(), key=lambda library: str(library["filepath"]))
        ],
        # What LLVM, and numba with it, takes this processor for, or was told to: it decides the order of sums in loops.
        "compiled_for": os.environ.get("NUMBA_CPU_NAME") or str(binding.get_host_cpu_name()),
        "threads_per_worker": 1,
        "versions": dict(sorted(installed()[0].items(), key=lambda item: item[0].lower())),
    }
    source, uncommitted = None, ""
    git: dict[str, Any] = {"capture_output": True, "text": True, "errors": "replace", "check": True, "timeout": 10}
    with suppress(OSError, subprocess.SubprocessError):
        commit, changed, uncommitted = (
            str(subprocess.run(["git", "-C", str(folder), *command.split()], **git).stdout)
            for command in ("rev-parse HEAD", "status --porcelain", "diff HEAD")
        )
        source = {"commit": commit.strip(), "changed_files": changed.splitlines()}
    return {"command": command_line(), "source": source, "environment": environment}, uncommitted
