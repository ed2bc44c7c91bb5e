"""How the page draws an algorithm: in the colour and with the dash of its curve."""

from __future__ import annotations

from collections.abc import Sequence

from benchkit.report.plots.style import DASHES, style_numbers


def curve_styles(algorithms: Sequence[str]) -> dict[str, str]:
    """The style of each of a run's algorithms."""
    return {name: _style(place) for name, place in style_numbers(algorithms).items()}


def _style(place: int) -> str:
    count = len(DASHES)
    dash = " ".join(f"{1.4 * length:g}" for length in DASHES[(place + 3 * (place // count)) % count])
    return f"color:var(--c{place % count});stroke-dasharray:{dash or 'none'}"
