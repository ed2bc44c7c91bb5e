"""Regression data of L. Torgo's collection: ailerons and computer activity."""

from __future__ import annotations

from benchkit import Data, require_file
from benchkit_datasets.parsing.arff import read_arff
from benchkit_datasets.problems.subsets import draw_rows


def load_ailerons(n: int | None = None, subset_seed: int = 0) -> Data:
    """Control action on the ailerons of an F16; 13750 states of the aircraft in 40 features.

    Parameters
    ----------
    n : int, optional
        Number of rows to draw; all where absent. Dick, Haider & Scheffer 2008 use 2000.
    subset_seed : int, default=0
        Seed of that draw, the same in every repetition; the paper's own subset is not known.
    """
    return _load("torgo/ailerons.arff.gz", 41, 13750, n, subset_seed)


def load_cpu_act(n: int | None = None, subset_seed: int = 0) -> Data:
    """Share of time, in percent, that processors run in user mode; 8192 moments of a computer in 21 features.

    Parameters
    ----------
    n : int, optional
        Number of rows to draw; all where absent. Dick, Haider & Scheffer 2008 use 1500.
    subset_seed : int, default=0
        Seed of that draw, the same in every repetition; the paper's own subset is not known.
    """
    return _load("torgo/cpu_act.arff.gz", 22, 8192, n, subset_seed)


def _load(file: str, columns: int, expected_rows: int, n: int | None, subset_seed: int) -> Data:
    names, table = read_arff(require_file(file), columns, expected_rows)
    rows = draw_rows(len(table), n, subset_seed)
    return Data(X=table[rows, :-1], y=table[rows, -1], feature_names=names[:-1])
