"""Why each trial of a plan is run, or is not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from benchkit.journal import JournalError, Record, read_manifest
from benchkit.session.plan import Plan
from benchkit.session.reuse import Reuse
from benchkit.suite.names import NO_ADVERSARY
from benchkit.suite.trial import Trial
from benchkit.trial.identity import tunes_by_first

_HASH = 64  # characters of a sha256; versions are shorter


@dataclass(frozen=True)
class Explanation:
    """How many trials of a combination are run, or reused, for the same reason."""

    dataset: str
    algorithm: str
    adversary: str
    trials: int
    reason: str


@dataclass(frozen=True)
class Combination:
    """How many trials a combination has, and how many of them are reused."""

    dataset: str
    algorithm: str
    adversary: str
    trials: int
    reused: int


def combinations(reuse: Reuse) -> list[Combination]:
    """The plan in numbers, per dataset, algorithm and adversary."""
    counted: dict[tuple[str, str, str], list[int]] = {}
    for trial_id, trial in reuse.trials.items():
        count = counted.setdefault(_names(trial), [0, 0])
        count[0] += 1
        count[1] += trial_id in reuse.rows
    return [Combination(*names, *count) for names, count in counted.items()]


def explained(reuse: Reuse) -> list[Explanation]:
    """Why trials are run or reused, counted per dataset, algorithm and adversary, in the order of the plan."""
    reasons = _Reasons(reuse)
    counted: Counter[tuple[tuple[str, str, str], str]] = Counter()
    for trial_id, trial in reuse.trials.items():
        counted[_names(trial), reasons.of(trial_id, trial)] += 1
    return [Explanation(*names, count, reason) for (names, reason), count in counted.items()]


def _names(trial: Trial) -> tuple[str, str, str]:
    return trial.dataset.label, trial.algorithm.label, trial.adversary.label if trial.adversary else NO_ADVERSARY


class _Reasons:
    def __init__(self, reuse: Reuse) -> None:
        self._reuse, self._plan = reuse, reuse.plan
        self._before = {(row["cell"], row["repetition"]): trial for trial, row in reuse.done.items()}
        self._manifests = list(_manifests(reuse.plan))
        self._known: dict[tuple[str, ...], str] = {}

    def of(self, trial_id: str, trial: Trial) -> str:
        """One line."""
        if trial_id in self._reuse.rows:
            return "reused"
        row = self._reuse.done.get(trial_id)
        if row is not None:
            return self._again(trial_id, trial, row) if row["status"] == "ok" else f"{row['status']} before"
        before = self._before.get((trial.cell, trial.repetition))
        if before is None:
            return "new"
        manifest = next((manifest for trials, manifest in self._manifests if before in trials), None)
        if manifest is None:
            return "changed since; the manifest that would say what is gone"
        key = (str(manifest["run"]), trial.algorithm.label, *self._plan.fingerprints.sources(trial))
        if key not in self._known:
            self._known[key] = "; ".join(self._changes(manifest, trial)) or "changed since"
        return self._known[key]

    def _again(self, trial_id: str, trial: Trial, row: Record) -> str:
        """Why a trial that ended ok runs again."""
        outdated = self._reuse.outdated(row, trial)
        changes = [f"metric {name} " + ("changed" if name in row["metric_code"] else "is new") for name in outdated]
        return self._reuse.again.get(trial_id) or "; ".join(changes)

    def _changes(self, manifest: Mapping[str, Any], trial: Trial) -> Iterator[str]:
        """What differs from the run that a manifest describes."""
        old: Mapping[str, Mapping[str, str]] = manifest.get("ingredients", {})
        new = self._plan.fingerprints.ingredients
        seen = set()
        for key in self._plan.fingerprints.sources(trial):
            if key in old:
                for text in _differences(key, old[key], new[key]):
                    if text not in seen:
                        seen.add(text)
                        yield text
        yield from _changed_settings(manifest["suite_as_run"], self._suite, trial)

    @property
    def _suite(self) -> dict[str, Any]:
        return self._plan.suite.model_dump(mode="json", exclude_defaults=True)


def _manifests(plan: Plan) -> Iterator[tuple[set[str], dict[str, Any]]]:
    """Trials and content of the suite's manifests, newest first."""
    for folder in reversed(plan.store.runs()):
        try:
            manifest = read_manifest(folder)
        except JournalError:
            continue  # a damaged manifest explains nothing
        yield set(manifest["trials"]), manifest


def _differences(owner: str, old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[str]:
    for name in dict.fromkeys([*new, *old]):
        before, now = old.get(name), new.get(name)
        if before == now:
            continue
        if name.startswith("file "):
            yield f"data {name} " + ("changed" if before and now else "came" if now else "is gone")
        elif name == "declaration":
            yield f"declaration of {owner.partition(':')[2]} changed"
        elif len(now or before or "") == _HASH:
            yield f"code of {name} changed"
        else:
            yield f"version of {name} changed ({before or 'none'} -> {now or 'none'})"


# Keys of a suite that decide the outcome of every trial.
_COMMON = ("seed", "split", "preprocess", "feature_values")


def _changed_settings(old: Mapping[str, Any], new: Mapping[str, Any], trial: Trial) -> Iterator[str]:
    for key in _COMMON:
        before, now = (_deciding(key, suite.get(key)) for suite in (old, new))
        if before != now:
            yield f"{key} changed"
    if tunes_by_first(trial) and (old.get("metrics") or [""])[0] != (new.get("metrics") or [""])[0]:
        yield "the metric that parameters are chosen by changed"
    for kind, label in (("datasets", trial.dataset.label), ("algorithms", trial.algorithm.label)):
        before, now = (_entry(suite.get(kind, []), label) for suite in (old, new))
        if before != now:
            yield f"settings of {label} changed"


def _deciding(key: str, value: Any) -> Any:
    """What of a key decides outcomes: more repetitions leave the others as they are."""
    if key == "split" and isinstance(value, Mapping):
        return {name: part for name, part in value.items() if name != "repetitions"} or None
    return value


def _entry(entries: list[Any], label: str) -> Any:
    for entry in entries:
        if isinstance(entry, str):
            entry = {"name": entry}
        if (entry.get("label") or entry.get("name")) == label:
            return {name: value for name, value in entry.items() if name not in ("group", "datasets")}
    return None
