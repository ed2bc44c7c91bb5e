"""What methods are called on pages of many suites: their registered name, and what tells them from their like."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any

_LONGEST = 18


def identity_of(entry: Mapping[str, Any]) -> str:
    """A method whatever grid it is tuned over, as text: its registered name, parameters, and the way of tuning."""
    steps = [{key: value for key, value in step.items() if key != "grid"} for step in entry["tune"]]
    return json.dumps([entry["name"], entry["params"], steps], sort_keys=True)


def short_labels(identities: Iterable[str], prepared: Collection[str] = ()) -> dict[str, str]:
    """What each method is called: ``lp``, and ``lp, C = 30`` where another ``lp`` has another C or tunes it.

    Parameters
    ----------
    identities : iterable of str
        As `identity_of` gives them.
    prepared : collection of str
        Registered names of methods that prepare for a loss: of these tuning on corrupted rows goes without saying.
    """
    by_name: dict[str, list[tuple[str, dict[str, Any], list[Any]]]] = defaultdict(list)
    for identity in sorted(set(identities)):
        name, params, steps = json.loads(identity)
        by_name[name].append((identity, params, steps))
    labels: dict[str, str] = {}
    for name, members in by_name.items():
        keys = sorted({key for _, params, _ in members for key in params})
        differing = [key for key in keys if len({_text(params.get(key)) for _, params, _ in members}) > 1]
        ways = {_way(steps) for _, _, steps in members}
        taken: dict[str, int] = {}
        for identity, params, steps in members:
            parts = [name, *(f"{key} = {_text(params[key])}" for key in differing if key in params)]
            if len(ways) > 1 and _way(steps) not in ("", _usual(ways, name in prepared)):
                parts.append(_way(steps))
            label = ", ".join(parts)
            taken[label] = taken.get(label, 0) + 1
            labels[identity] = label if taken[label] == 1 else f"{label} ({taken[label]})"
    return labels


def _way(steps: list[Any]) -> str:
    """How it is tuned, in words; nothing where it is not."""
    if not steps:
        return ""
    data = " and ".join(dict.fromkeys(str(step.get("data", "clean")) for step in steps))
    several = f" in {len(steps)} steps" if len(steps) > 1 else ""
    return f"tuned on {data} rows{several}"


def _usual(ways: set[str], prepared: bool) -> str:
    """The way of tuning that goes without saying, if any of the like is tuned so."""
    wanted = "tuned on corrupted rows" if prepared else "tuned on clean rows"
    return wanted if wanted in ways else sorted(way for way in ways if way)[0]


def _text(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
