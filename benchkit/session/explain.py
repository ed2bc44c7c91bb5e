"""Why each trial of a plan is run, or is not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from benchkit.identity.fingerprints import tunes_by_first
from benchkit.journal import JournalError, read_manifest
from benchkit.session.plan import Plan
from benchkit.suite.names import NO_ADVERSARY
from benchkit.suite.trial import Trial

_HASH = 64  # characters of a sha256; versions are shorter


def combinations(plan: Plan) -> list[dict[str, Any]]:
    """The plan in numbers: how many trials each dataset, algorithm and adversary has, and how many are reused."""
    trials: Counter[tuple[str, str, str]] = Counter()
    reused: Counter[tuple[str, str, str]] = Counter()
    for name, trial in plan.trials.items():
        trials[_labels(trial)] += 1
        reused[_labels(trial)] += name in plan.done
    return [{**_named(labels), "trials": count, "reused": reused[labels]} for labels, count in trials.items()]


def explained(plan: Plan) -> list[dict[str, Any]]:
    """How many trials of each dataset, algorithm and adversary are run or reused for which reason."""
    reasons = _Reasons(plan)
    counts = Counter((_labels(trial), reasons.of(name, trial)) for name, trial in plan.trials.items())
    return [{**_named(labels), "trials": count, "reason": reason} for (labels, reason), count in counts.items()]


def _labels(trial: Trial) -> tuple[str, str, str]:
    return trial.dataset.label, trial.algorithm.label, trial.adversary.label if trial.adversary else NO_ADVERSARY


def _named(labels: tuple[str, str, str]) -> dict[str, str]:
    return dict(zip(("dataset", "algorithm", "adversary"), labels, strict=True))


class _Reasons:
    """Reads manifests of earlier runs, newest first: what was hashed then and differs now is why a trial is another."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._before = {(row["cell"], row["repetition"]): trial for trial, row in plan.earlier.items()}
        self._settings = plan.suite.model_dump(mode="json", exclude_defaults=True)
        self._of_kind: dict[tuple[str, ...], str] = {}  # one answer for all repetitions of a method
        self._manifests: list[tuple[set[str], Mapping[str, Any]]] = []
        for folder in reversed(plan.store.runs()):
            try:
                manifest = read_manifest(folder)
            except JournalError:
                continue  # a damaged manifest explains nothing
            self._manifests.append((set(manifest["trials"]), manifest))

    def of(self, name: str, trial: Trial) -> str:
        """One line."""
        if name in self._plan.done:
            return "reused"
        if name in self._plan.earlier:
            return self._plan.again.get(name) or f"{self._plan.earlier[name]['status']} before"
        before = self._before.get((trial.cell, trial.repetition))
        if before is None:
            return "new"
        manifest = next((manifest for trials, manifest in self._manifests if before in trials), None)
        if manifest is None:
            return "changed since; the manifest that would say what is gone"
        kind = (str(manifest["run"]), trial.algorithm.label, *self._plan.fingerprints.sources(trial))
        if kind not in self._of_kind:
            changes = dict.fromkeys([*self._ingredients(manifest, trial), *self._changed_settings(manifest, trial)])
            self._of_kind[kind] = "; ".join(changes) or "changed since"
        return self._of_kind[kind]

    def _ingredients(self, manifest: Mapping[str, Any], trial: Trial) -> Iterator[str]:
        """Sources, files and versions that differ from the run that a manifest describes."""
        old: Mapping[str, Mapping[str, str]] = manifest.get("ingredients", {})
        for owner in self._plan.fingerprints.sources(trial):
            new = self._plan.fingerprints.ingredients[owner]
            for name in dict.fromkeys([*new, *old.get(owner, ())]):
                before, now = old.get(owner, new).get(name), new.get(name)
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

    def _changed_settings(self, manifest: Mapping[str, Any], trial: Trial) -> Iterator[str]:
        """Keys of the suite that decide outcomes, and differ."""
        old, new = manifest["suite_as_run"], self._settings
        for key in ("seed", "split", "preprocess", "feature_values"):
            if _deciding(old.get(key)) != _deciding(new.get(key)):
                yield f"{key} changed"
        if tunes_by_first(trial) and (old.get("metrics") or [""])[0] != (new.get("metrics") or [""])[0]:
            yield "the metric that parameters are chosen by changed"
        for kind, label in (("datasets", trial.dataset.label), ("algorithms", trial.algorithm.label)):
            if _entry(old.get(kind, []), label) != _entry(new.get(kind, []), label):
                yield f"settings of {label} changed"


def _deciding(value: Any) -> Any:
    """What of a key decides outcomes: more repetitions leave the others as they are."""
    if isinstance(value, Mapping):
        return {name: part for name, part in value.items() if name != "repetitions"} or None
    return value


def _entry(entries: list[Any], label: str) -> Any:
    for entry in entries:
        fields = {"name": entry} if isinstance(entry, str) else entry
        if (fields.get("label") or fields.get("name")) == label:
            return {name: value for name, value in fields.items() if name not in ("group", "datasets")}
    return None
