"""What the trials of ``suites.yaml`` give, as a table; ``python tests/trial/golden/record.py`` writes it anew.

That is right when an outcome was meant to change: raise ``PROTOCOL`` in ``benchkit/identity/fingerprints.py`` before,
and say there what changed.
"""

import json
import sys
import tempfile
from importlib import import_module
from pathlib import Path

import yaml

from benchkit.identity.fingerprints import COMPUTES_WITH, PROTOCOL
from benchkit.plugin.manager import registry
from benchkit.suite.expand import expand
from benchkit.suite.load import load
from benchkit.trial.learner import FitCache
from benchkit.trial.protocol import run_trial

HERE = Path(__file__).parent
TABLE = HERE / "records.json"
DECIDED = ("metrics", "params", "budget", "n_rows", "n_train", "n_validation", "n_test", "at_edge", "no_value")
PLUGINS = (str(HERE / "golden_plugin.py"),)
COMMON, SUITES = yaml.safe_load((HERE / "suites.yaml").read_text(encoding="utf-8")).values()


def trials(name, folder):
    """Those of a suite; `SUITES` say what each has beside what is common to all."""
    path = Path(folder) / f"{name}.yaml"
    path.write_text(yaml.safe_dump({"name": name, **COMMON, **SUITES[name]}, sort_keys=False), encoding="utf-8")
    return expand(load(path), registry(PLUGINS), PLUGINS)


def run_all(folder):
    """The outcome of each trial, by a name that tells which it is."""
    records = {}
    for suite in SUITES:
        fits = FitCache(None)
        for trial in trials(suite, folder):
            adversary = f" v {trial.adversary.label}" if trial.adversary else ""
            method = f"{trial.dataset.label} {trial.algorithm.label}{adversary}"
            key = f"{suite}: {method} at {trial.axis_value} #{trial.repetition}"
            assert key not in records
            outcome = run_trial(trial, fits)
            tuning = [[stage["values"], stage["scores"], stage["rows"]] for stage in outcome["tuning"]]
            records[key] = {field: outcome[field] for field in DECIDED} | {"tuning": tuning}
    return json.loads(json.dumps(records))


def versions_here():
    """Of what the protocol computes with."""
    return {each: import_module(each).__version__ for each in COMPUTES_WITH}


def check_number(known, records, number):
    """Say what is wrong between a table and today's outcomes; nothing where both go together."""
    before = known["records"]
    changed = sorted(name for name in {*before, *records} if not alike(before.get(name), records.get(name)))
    if changed and known["protocol"] == number:
        return (
            f"{len(changed)} of {len(records)} golden records changed, such as {changed[0]!r}: an outcome did that "
            "should not, or PROTOCOL is to be raised, and then 'python tests/trial/golden/record.py' to be run"
        )
    if known["protocol"] != number:
        return f"the golden records are of protocol {known['protocol']}: run 'python tests/trial/golden/record.py'"
    return ""


def alike(one, other):
    """Equal, numbers but for what processors round otherwise."""
    if isinstance(one, float) or isinstance(other, float):
        return one == other or (one is not None and other is not None and abs(one - other) <= 1e-9 * (1 + abs(one)))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(alike, one, other))
    return one == other


def main():
    with tempfile.TemporaryDirectory() as folder:
        records = run_all(folder)
    known = json.loads(TABLE.read_text(encoding="utf-8"))
    if known["protocol"] == (number := PROTOCOL) and (problem := check_number(known, records, number)):
        sys.exit(problem)
    versions = versions_here()
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(record)}" for name, record in records.items())
    TABLE.write_text(
        f'{{\n "protocol": {number},\n "computed_with": {json.dumps(versions)},\n "records": {{\n{lines}\n }}\n}}\n',
        encoding="utf-8",
    )
    print(f"{len(records)} golden records of protocol {number}")


if __name__ == "__main__":
    main()
