"""Declarations of splits."""

from benchkit import SplitMethod

SPLITS = [
    SplitMethod(
        name="given-seed",
        make="benchkit_tabfs.splits.given_seed:GivenSeed",
        summary="scikit-learn's train_test_split with a seed that the suite gives, classes not kept in proportion",
        reference="Cheng et al. 2025, TabFSBench: one split, 80 to 20, seed 42",
    ),
]
