"""How the page draws an algorithm: in the colour and with the dash of its curve."""

from __future__ import annotations

from benchkit.report.plots.style import DASHES


def curve_style(place: int) -> str:
    """The style of the algorithm at a place among all of the run."""
    count = len(DASHES)
    dash = " ".join(f"{1.4 * length:g}" for length in DASHES[(place + 3 * (place // count)) % count])
    return f"color:var(--c{place % count});stroke-dasharray:{dash or 'none'}"
