"""Images with the pixels that an adversary deleted, as in Globerson & Roweis 2006, figure 2."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure

DELETED = "#D55E00"


def deleted_pixels(
    images: np.ndarray, deleted: np.ndarray, titles: Sequence[str] = (), columns: int = 5, title: str = ""
) -> Figure:
    """Draw images in grey, and over them the deleted pixels in colour.

    Parameters
    ----------
    images : ndarray of shape (n_images, height, width)
        Grey values, scaled alike for all images; large is dark, as ink is.
    deleted : ndarray of bool of shape (n_images, height, width)
    titles : sequence of str, optional
        One per image.
    columns : int, default=5

    Raises
    ------
    ValueError
        The shapes differ.
    """
    import math

    import numpy as np
    from matplotlib.figure import Figure

    images, deleted = np.asarray(images, dtype=float), np.asarray(deleted, dtype=bool)
    if images.ndim != 3 or images.shape != deleted.shape:
        raise ValueError(f"images {images.shape} and deleted {deleted.shape} are not both (n, height, width)")
    columns = min(columns, len(images))
    rows = math.ceil(len(images) / columns)
    figure = Figure(figsize=(1.3 * columns, 1.4 * rows + (0.3 if title else 0)))
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    low, high = float(images.min()), float(images.max())
    for place, axes in enumerate(panels):
        axes.set_axis_off()
        if place < len(images):
            axes.imshow(images[place], cmap="gray_r", vmin=low, vmax=high, interpolation="nearest")
            height, width = np.nonzero(deleted[place])
            side = 72 * 1.1 / max(images.shape[1:])
            axes.scatter(width, height, s=(0.55 * side) ** 2, marker="s", color=DELETED, linewidths=0)
            if place < len(titles):
                axes.set_title(titles[place], fontsize=7)
    figure.suptitle(title, fontsize=8.5)
    return figure
