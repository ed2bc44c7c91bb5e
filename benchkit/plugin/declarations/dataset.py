"""Declaring data sets, what their columns are, and what prepares them: splits and steps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, ClassVar

from benchkit.plugin.declarations.declaration import TASKS, Declaration, DeclarationError, Task

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, eq=False)
class Categories:
    """A column of texts that repeat, such as the names of patients: a byte or two for each row.

    Attributes
    ----------
    codes : ndarray of int of shape (n_samples,)
        Places among ``names``; -1 where the value is missing.
    names : sequence of str
    """

    codes: np.ndarray
    names: Sequence[str]

    @classmethod
    def of(cls, texts: Iterable[Any]) -> Categories:
        """The column that holds these texts, its names in the order of the alphabet; None and NaN are missing."""
        import numpy as np

        column = [None if text is None or text != text else str(text) for text in texts]
        names = sorted({text for text in column if text is not None})
        places = {name: place for place, name in enumerate(names)} | {None: -1}
        codes = np.array([places[text] for text in column], dtype=np.min_scalar_type(-max(len(names), 1)))
        return cls(codes, tuple(names))

    @property
    def values(self) -> np.ndarray:
        """The texts, as objects, shape (n_samples,); None where one is missing."""
        import numpy as np

        texts: np.ndarray = np.array([*self.names, None], dtype=object)[self.codes]
        return texts

    def take(self, rows: np.ndarray | slice) -> Categories:
        """The column of some rows."""
        return Categories(self.codes[rows], self.names)


class Features:
    """The features that the columns of X belong to.

    A group, such as a one-hot block, is one feature; every column in no group is one. Features are in the order of
    their first columns.

    Parameters
    ----------
    n_columns : int
        Of X.
    groups : sequence of sequences of int, default=()
        Columns of each group, no column in two of them.

    Attributes
    ----------
    n_columns, n_features : int
    of_column : ndarray of int, shape (n_columns,)
        The feature of each column.
    plain : bool
        Whether every column is a feature.

    Raises
    ------
    ValueError
        A group names a column that is not there, or one that another group has.
    """

    of_column: np.ndarray

    def __init__(self, n_columns: int, groups: Iterable[Sequence[int]] = ()) -> None:
        import numpy as np

        first = np.arange(n_columns)
        grouped = [[int(column) for column in group] for group in groups if len(group)]
        taken = [column for group in grouped for column in group]
        if len(set(taken)) < len(taken) or any(not 0 <= column < n_columns for column in taken):
            raise ValueError(f"groups have a column twice, or one that is not there; columns are 0 to {n_columns - 1}")
        for group in grouped:
            first[group] = min(group)
        if not grouped:  # of millions of columns, such as hashed words, sorting takes much memory
            self.n_columns = self.n_features = n_columns
            self.of_column, self.plain = first, True
            return
        starts, self.of_column = np.unique(first, return_inverse=True)
        self.n_columns, self.n_features = n_columns, len(starts)
        self.plain = self.n_features == n_columns
        # Columns in the order of their features, and where each feature begins among them.
        self._order = np.argsort(self.of_column, kind="stable")
        self._starts = np.searchsorted(self.of_column[self._order], np.arange(self.n_features))

    def sum(self, columns: np.ndarray) -> np.ndarray:
        """Sums over the columns of each feature: from shape (..., n_columns) to (..., n_features)."""
        import numpy as np

        if self.plain:
            return columns
        return np.asarray(np.add.reduceat(columns[..., self._order], self._starts, axis=-1))

    def spread(self, features: np.ndarray) -> np.ndarray:
        """What each column's feature has: from shape (..., n_features) to (..., n_columns)."""
        return features if self.plain else features[..., self.of_column]

    def share(self, features: np.ndarray) -> np.ndarray:
        """What each column has of its feature's amount, in equal parts, so that `sum` gives it back."""
        import numpy as np

        if self.plain:
            return features
        return np.asarray((features / np.bincount(self.of_column))[..., self.of_column])

    def one_hot(self, X: Any) -> bool:
        """Whether no row of X has two entries of one feature that are not zero: dense or sparse (n_rows, n_columns)."""
        import numpy as np

        if self.plain:
            return True
        rows, columns = X.nonzero()
        places = rows.astype(np.int64) * self.n_features + self.of_column[columns]
        return bool(len(np.unique(places)) == len(places))


@dataclass(frozen=True, kw_only=True, eq=False)
class Data:
    """A loaded dataset.

    Attributes
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Labels -1 and +1 for binary problems, the classes otherwise, or targets.
    feature_names : sequence of str, default=()
    feature_values : ndarray of shape (n_features,) or None
        Values that belong to the dataset, used by suites that say ``feature_values: given``: one for each column, a
        group's being their sum, or one for each feature.
    groups : sequence of sequences of int, default=()
        Columns that live and die together, such as a one-hot block: each group is one feature (see `Features`).
    group_names : sequence of str, default=()
        Of the groups, in their order: a table's columns.
    target_name : str, default=""
        Of what is predicted, where the data has a name for it.
    truth : mapping, default={}
        For generated data: coefficients, clean targets and the like.
    columns : mapping of str to ndarray or `Categories`, default={}
        Further columns of the table, by name, of shape (n_samples,): for splits (``groups: patient``) and reports, and
        no features. Columns of categories stand here as they are in the table, whatever the features make of them.
        ``Data.FILE`` is the name of the one that says which of several files a row is from.
    class_names : sequence of str, default=()
        What the source calls the classes, in the order of ``np.unique(y)``, where ``y`` has other names for them.
    one_hot : sequence of sequences of int or None, default=None
        Columns of each one-hot block, which ``standardize: numbers`` leaves as they are. None: the groups of several
        columns.
    """

    FILE: ClassVar[str] = "file"

    X: Any
    y: np.ndarray
    feature_names: Sequence[str] = ()
    feature_values: np.ndarray | None = None
    groups: Sequence[Sequence[int]] = ()
    group_names: Sequence[str] = ()
    target_name: str = ""
    truth: Mapping[str, Any] = field(default_factory=dict)
    columns: Mapping[str, np.ndarray | Categories] = field(default_factory=dict)
    class_names: Sequence[str] = ()
    one_hot: Sequence[Sequence[int]] | None = None


@dataclass(frozen=True, kw_only=True)
class DataFile:
    """A file that a dataset is read from.

    Parameters
    ----------
    name : str
        Its path below a data folder, such as ``spambase/spambase.data``.
    urls : sequence of str, default=()
        Where it can be downloaded, in the order in which to try. Empty: only a person can get it.
    member : str, default=""
        Its path within what the URLs serve, where that is a zip or tar archive.
    compress : bool, default=False
        Whether what is downloaded is to be compressed by gzip (for a ``name`` in ``.gz`` whose source is plain).
    obtain : str, default=""
        What a person does where no URL serves.
    sha256 : str, default=""
        SHA-256 of the file, in hexadecimal, checked before anything parses it. Not with ``compress``, whose bytes
        depend on the compressor.
    """

    name: str
    urls: Sequence[str] = ()
    member: str = ""
    compress: bool = False
    obtain: str = ""
    sha256: str = ""

    def __post_init__(self) -> None:
        parts = PurePosixPath(self.name).parts
        if not parts or parts[0] == "/" or ".." in parts or "\0" in self.name or "\\" in self.name:
            raise DeclarationError(f"data file name {self.name!r} is no path below a data folder")
        if self.sha256 and (self.compress or re.fullmatch("[0-9a-f]{64}", self.sha256) is None):
            raise DeclarationError(f"{self.name!r}: sha256 is 64 hexadecimal digits, and does not go with compress")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Dataset(Declaration):
    """Where data comes from.

    Parameters
    ----------
    load : str or callable
        Called with the suite's parameters; returns `Data`. A generated dataset also takes ``random_state``, an int that
        differs by repetition.
    task : {"classification", "regression"}, default="classification"
    generated : bool, default=False
        Drawn anew for every repetition.
    expand : str or callable or None
        Takes the suite's parameters as keywords, returns a list of parameter mappings, one per cell.
    files : sequence of DataFile, default=()
        Files that it is read from with `benchkit.require_file`. Their content enters the identity of trials.
    paths : str or callable or None
        Takes the suite's parameters, returns the paths of further files that are read, such as a user's own.
    example : mapping or None, default={}
        Parameters with which ``benchkit check`` loads it; None where only a user can give them.
    digest : str, default=""
        `benchkit.digest_data` of what ``load()`` returns without parameters: what the right files parse to.
    shape, classes, licence, source : str, default=""
        For ``benchkit list`` and ``benchkit show``.
    categories : bool, default=False
        Whether columns of categories are among its features: published results are found by it.
    several_files : bool, default=False
        Whether its parameter ``path`` may be a list of files, with a further column `Data.FILE` (`Categories`, whose
        codes are the places of the files in the list), as ``split: {test: FILE}`` needs it.
    suffixes : sequence of str, default=()
        Endings of the names of users' tables that ``benchkit new suite`` takes it for, such as ``.csv``. Its parameters
        are then called ``path``, ``target``, ``drop`` and, where it has such, ``header``, ``decimal``, ``na_values``,
        ``missing_target``, ``positive`` and ``rows``.
    """

    _code = ("load", "expand", "paths")
    _choices: ClassVar = {"task": TASKS}

    load: Any
    task: Task = "classification"
    generated: bool = False
    expand: Any = None
    files: Sequence[DataFile] = ()
    paths: Any = None
    example: Mapping[str, Any] | None = field(default_factory=dict)
    digest: str = ""
    shape: str = ""
    classes: str = ""
    licence: str = ""
    source: str = ""
    categories: bool = False
    several_files: bool = False
    suffixes: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SplitMethod(Declaration):
    """A way of dividing rows: ``split: {method: NAME, params: {...}}``.

    Parameters
    ----------
    make : str or callable
        Takes the suite's ``params`` as keyword arguments and returns a callable, which takes a `SplitContext` and
        returns three arrays of row numbers: train, validation (may be empty) and test. No row may be in two of them.
    """

    _code = ("make",)

    make: Any


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PreprocessingStep(Declaration):
    """A step of ``preprocess``: ``NAME``, or ``{NAME: argument}``.

    Parameters
    ----------
    make : str or callable
        Takes the suite's argument, or nothing; returns an unfitted transformer of scikit-learn's conventions, which is
        fitted on the training part. It keeps the columns and lets NaN pass.
    accepts_sparse : bool, default=False
        Whether it takes CSR matrices. Trials on sparse data become ``skipped`` where it does not.
    """

    _code = ("make",)

    make: Any
    accepts_sparse: bool = False
