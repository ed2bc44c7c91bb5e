"""Why each trial of a plan is run, or is not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from benchkit.identity.fingerprints import tunes_by_first
from benchkit.journal import JournalError, Manifest, read_manifest
from benchkit.session.plan import Plan
from benchkit.suite.names import NO_ADVERSARY
from benchkit.suite.trial import Trial

_HASH = 64  # characters of a sha256; versions are shorter


def combinations(plan: Plan, explain: bool = False) -> list[dict[str, Any]]:
    """How many trials each dataset, algorithm and adversary has, and how many are reused; or how many for each reason.

    To ``explain`` is to say why trials are run or reused, ``reason``, instead of how many are ``reused``.
    """
    reasons = _reasons(plan) if explain else dict.fromkeys(plan.trials, "")
    trials: Counter[tuple[str, str, str, str]] = Counter()
    reused: Counter[tuple[str, str, str, str]] = Counter()
    for name, trial in plan.trials.items():
        adversary = trial.adversary.label if trial.adversary else NO_ADVERSARY
        key = trial.dataset.label, trial.algorithm.label, adversary, reasons[name]
        trials[key] += 1
        reused[key] += name in plan.done
    return [
        {"dataset": key[0], "algorithm": key[1], "adversary": key[2], "trials": count}
        | ({"reason": key[3]} if explain else {"reused": reused[key]})
        for key, count in trials.items()
    ]


def _reasons(plan: Plan) -> dict[str, str]:
    """One line for each trial, by the newest manifest that names what it was: what was hashed then and differs now."""
    before = {(row["cell"], row["repetition"]): trial for trial, row in plan.earlier.items()}
    manifests: dict[str, Manifest] = {}  # by trial
    for folder in plan.store.runs():
        with suppress(JournalError):  # a damaged manifest explains nothing
            manifest = read_manifest(folder)
            manifests |= dict.fromkeys(manifest["trials"], manifest)
    reasons: dict[str, str] = {}
    of_kind: dict[tuple[str, ...], str] = {}  # one answer for all repetitions of a method
    for name, trial in plan.trials.items():
        if name in plan.done or name in plan.again:
            reasons[name] = plan.again.get(name, "reused")
        elif (earlier := before.get((trial.fields["cell"], trial.repetition))) is None:
            reasons[name] = "new"
        elif earlier not in manifests:
            reasons[name] = "changed since; the manifest that would say what is gone"
        else:
            manifest = manifests[earlier]
            kind = (str(manifest["run"]), trial.algorithm.label, *plan.fingerprints.sources(trial))
            if kind not in of_kind:
                of_kind[kind] = "; ".join(dict.fromkeys(_changes(plan, manifest, trial))) or "changed since"
            reasons[name] = of_kind[kind]
    return reasons


def _changes(plan: Plan, manifest: Manifest, trial: Trial) -> Iterator[str]:
    """Sources, files, versions and settings that differ from the run that a manifest describes."""
    ingredients: Mapping[str, Mapping[str, str]] = manifest.get("ingredients", {})
    for owner in plan.fingerprints.sources(trial):
        new = plan.fingerprints.ingredients[owner]
        old = ingredients.get(owner, new)
        for name in [name for name in dict.fromkeys([*new, *old]) if old.get(name) != new.get(name)]:
            before, now = old.get(name), new.get(name)
            if name.startswith("file "):
                yield f"data {name} changed"
            elif name == "declaration":
                yield f"declaration of {owner.partition(':')[2]} changed"
            elif len(now or before or "") == _HASH:
                yield f"code of {name} changed"
            else:
                yield f"version of {name} changed ({before or 'none'} -> {now or 'none'})"
    suite = _deciding(plan.suite.model_dump(mode="json", exclude_defaults=True), trial)
    suite_then = _deciding(manifest["suite_as_run"], trial)
    yield from (f"{key} changed" for key, value in suite.items() if value != suite_then[key])


def _deciding(suite: Mapping[str, Any], trial: Trial) -> dict[str, Any]:
    """The keys of a suite that decide the outcome of a trial, by what they are called."""
    decisive: dict[str, Any] = {key: suite.get(key) for key in ("seed", "preprocess", "feature_values")}
    # More repetitions leave the others as they are.
    split = {name: part for name, part in (suite.get("split") or {}).items() if name != "repetitions"}
    decisive["split"] = split
    if tunes_by_first(trial):
        decisive["the metric that parameters are chosen by"] = (suite.get("metrics") or [""])[0]
    for kind, label in (("datasets", trial.dataset.label), ("algorithms", trial.algorithm.label)):
        entries = [{"name": each} if isinstance(each, str) else each for each in suite.get(kind, [])]
        entry = next((each for each in entries if (each.get("label") or each.get("name")) == label), {})
        own = {name: value for name, value in entry.items() if name not in ("group", "datasets")}
        decisive[f"settings of {label}"] = own
    return decisive
