"""A curve as small as a card: one method in colour, the others grey."""

from __future__ import annotations

from html import escape

from benchkit.report.grid import Grid

_WIDTH, _HEIGHT, _EDGE = 260, 90, 6


def small_curve(grid: Grid, method: str) -> str:
    """An inline SVG; nothing where the axis has fewer than two places with numbers."""
    places = {at: grid.places[str(at)] for at in grid.columns if isinstance(at, int | float)}
    lines = {
        name: [
            (place, row[str(at)].mean)
            for at, place in places.items()
            if str(at) in row and row[str(at)].mean is not None
        ]
        for name, row in grid.rows.items()
    }
    heights = [mean for points in lines.values() for _, mean in points if mean is not None]
    if len(set(places.values())) < 2 or not heights:
        return ""
    low, high = min(heights), max(heights)
    left, right = min(places.values()), max(places.values())

    def path(name: str) -> str:
        return " ".join(
            f"{_EDGE + (at - left) / (right - left) * (_WIDTH - 2 * _EDGE):.1f},"
            f"{_HEIGHT - _EDGE - ((mean or 0.0) - low) / (high - low or 1) * (_HEIGHT - 2 * _EDGE):.1f}"
            for at, mean in lines[name]
        )

    others = "".join(
        f'<polyline points="{path(name)}" fill="none" stroke="var(--line)" stroke-width="1.5"/>'
        for name in lines
        if name != method
    )
    own = f'<polyline points="{path(method)}" fill="none" stroke="var(--accent)" stroke-width="2.5"/>'
    title = escape(f"{grid.metric} of {method} and of the others along {grid.axis_title}")
    return f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" class="small" role="img" aria-label="{title}">{others}{own}</svg>'
