"""The process in which a plugin is watched: loads it, tries all that it declares on tiny data, and says what was read.

Run as ``python -m benchkit.testing.reading.trial PLUGIN ANSWER.json``.
"""

from __future__ import annotations

import sys

from benchkit.testing.reading.watch import Watch


def main(reference: str, answer: str) -> None:
    """Write what a plugin reads and does not declare, as JSON."""
    watch = Watch()
    watch.begin()
    import json
    from contextlib import suppress
    from dataclasses import asdict
    from pathlib import Path

    from benchkit.testing.check import find_plugin

    plugin, registry = find_plugin(reference)

    from benchkit.testing.reading.undeclared import Declared, OwnCode, undeclared
    from benchkit.testing.reading.uses import USES
    from benchkit.trial.identity import Fingerprints

    fingerprints = Fingerprints(registry)
    declared = []
    for kind, use in USES.items():
        catalogue = registry.catalogue(kind)
        for name in (name for name in catalogue if catalogue.origin[name] == plugin.name):
            subject = f"{catalogue.kind} {name}"
            watch.during = subject
            with suppress(Exception):  # whatever fails here breaks a rule of its own
                use(catalogue[name])
            watch.during = ""
            declared.append(Declared(subject, catalogue[name], fingerprints))
    own = OwnCode([*plugin.sources(), *(source for each in declared for source in each.sources)])
    entries = [asdict(entry) for entry in undeclared(watch.readings, declared, own)]
    Path(answer).write_text(json.dumps(entries), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
