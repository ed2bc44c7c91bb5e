"""Declarations of adversaries."""

from benchkit import Adversary

ADVERSARIES = [
    Adversary(
        name="column-shift",
        situation="If columns fail for all rows alike",
        loss="random",
        make="benchkit_tabfs.adversaries.column_shift:ColumnShift",
        example={"scenario": "least"},
        budget_unit="features",
        budget_title="columns shifted",
        summary="Takes columns from all rows: one alone, the least or most correlated first, or at random",
        reference="Cheng et al. 2025, TabFSBench: Tabular benchmark for feature shifts in open environments, "
        "scenarios single, least, most and random",
        formula="column j becomes the training part's mean (number) or mode (category), in the order of |rho(x_j, y)|",
    ),
]
