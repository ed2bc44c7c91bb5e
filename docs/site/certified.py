"""Draw what classifiers prove of their own answers, for docs/methods/exact-tree-delete.md.

python docs/site/certified.py [RUNS]

runs certified.yaml beside it into the folder RUNS (default: runs); what was run before is reused.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt

import benchkit

HERE = Path(__file__).parent
IMAGE = HERE.parent / "images" / "certified.svg"
PROVED = {"itself": "model-certified-accuracy", "exact-tree-delete": "certified-accuracy"}
"""Who proves it: the model itself, or the search that reads it."""


def draw(runs: str, image: Path = IMAGE) -> None:
    """A line for each classifier, from whoever proves anything of it."""
    frame = benchkit.run(str(HERE / "certified.yaml"), out=runs, jobs=1, tracking=False, plots=False).to_pandas()
    frame = frame[frame["status"] == "ok"].rename(columns=lambda name: name.removeprefix("metrics."))
    settings = {
        "svg.hashsalt": image.stem,
        "svg.fonttype": "none",
        "font.size": 8,
        "axes.spines.top": False,
        "axes.spines.right": False,
    }
    with mpl.rc_context(settings):
        figure, axis = plt.subplots(figsize=(6, 3), layout="constrained")
        for place, name in enumerate(frame["algorithm"].unique()):
            for by, metric in PROVED.items():
                proved = frame[frame["algorithm"] == name].groupby("budget")[metric].mean().dropna()
                if len(proved):
                    line = "o-" if by == "itself" else "s--"
                    axis.plot(proved.index, proved, line, color=f"C{place}", ms=3.5, lw=1.2, label=f"{name} ({by})")
        axis.set_xlabel("features that become gaps")
        axis.set_ylabel("share of rows proved to stay right")
        axis.set_ylim(0, 1)
        figure.legend(loc="outside right upper", frameon=False)
        figure.savefig(image, metadata={"Date": None})
        plt.close(figure)


if __name__ == "__main__":
    draw(*(sys.argv[1:2] or ["runs"]))
