"""Draw the figure of docs/methods/additive.md: ``python docs/site/additive_steps.py``."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from benchkit_feature_noise.estimators.additive import RobustAdditiveClassifier

IMAGE = Path(__file__).parents[1] / "images" / "additive-steps.svg"
BUDGETS = (0, 2)
COLUMNS = 10
"""The means of the ten measurements."""
PANELS = 3


def main() -> None:
    """Fit with and without preparation, and draw the columns whose steps reach furthest."""
    data = load_breast_cancer()
    rows = StandardScaler().fit_transform(data.data[:, :COLUMNS])
    models = [
        RobustAdditiveClassifier(method="fdrop", C=0.1, budget=budget, n_bins=8).fit(rows, data.target)
        for budget in BUDGETS
    ]
    spread = [np.ptp(heights) for heights in models[0].heights_]
    settings = {
        "svg.hashsalt": IMAGE.stem,
        "svg.fonttype": "none",
        "font.size": 8,
        "axes.spines.top": False,
        "axes.spines.right": False,
    }
    with mpl.rc_context(settings):
        figure, axes = plt.subplots(1, PANELS, figsize=(9, 2.4), sharey=True, layout="constrained")
        for axis, column in zip(axes, np.argsort(spread)[::-1], strict=False):
            at = np.linspace(rows[:, column].min(), rows[:, column].max(), 500)
            grid = np.zeros((len(at), COLUMNS))
            grid[:, column] = at
            for model, budget in zip(models, BUDGETS, strict=True):
                axis.plot(at, model.eval_terms(grid)[:, column], lw=1.4, label=f"prepared for {budget} lost features")
            axis.axhline(0, color="0.7", lw=0.8)
            axis.set_title(data.feature_names[column])
            axis.set_xlabel("standard deviations from the mean")
        axes[0].set_ylabel("added to the score")
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False)
        figure.savefig(IMAGE, metadata={"Date": None})
        plt.close(figure)


if __name__ == "__main__":
    main()
