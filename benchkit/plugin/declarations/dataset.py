"""Datasets, their files and what they load."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, ClassVar

from benchkit.plugin.declarations.deferred import defer
from benchkit.plugin.declarations.errors import DeclarationError
from benchkit.plugin.declarations.words import Task, check_choice, check_name

if TYPE_CHECKING:
    import numpy as np

    from benchkit.plugin.declarations.categories import Categories


@dataclass(frozen=True, kw_only=True)
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
        Columns that live and die together, such as a one-hot block: each group is one feature, as is each column in
        none (see `Features`).
    group_names : sequence of str, default=()
        Of the groups, in their order: a table's columns.
    target_name : str, default=""
        Of what is predicted, where the data has a name for it.
    truth : mapping, default={}
        For generated data: coefficients, clean targets and the like.
    columns : mapping of str to ndarray or `Categories`, default={}
        Further columns of the table, by name, of shape (n_samples,): for splits (``groups: patient``) and reports, and
        no features. Columns of categories stand here as they are in the table, whatever the features make of them;
        columns of numbers that are features are found by ``feature_names``. ``Data.FILE`` is the name of the one that
        says which of several files a row is from.
    class_names : sequence of str, default=()
        What the source calls the classes, in the order of ``np.unique(y)``, where ``y`` has other names for them.
    one_hot : sequence of sequences of int or None, default=None
        Columns of each one-hot block, where groups hold other columns than those of one: ``standardize: numbers``
        leaves these as they are. None: the groups of several columns.
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
        SHA-256 of the file, in hexadecimal, where its bytes are known: checked before anything parses it. Not with
        ``compress``, whose bytes depend on the compressor.
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


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """Where data comes from.

    Parameters
    ----------
    name, summary, reference : str
        As for `Algorithm`.
    load : str or callable
        Called with the suite's parameters; returns `Data`. A generated dataset also takes ``random_state``, an int that
        differs by repetition.
    task : {"classification", "regression"}, default="classification"
    generated : bool, default=False
        Drawn anew for every repetition.
    expand : str or callable or None
        Takes the suite's parameters as keywords, returns a list of parameter mappings, one per cell: ``pairs: all``
        becomes 45 of them.
    files : sequence of DataFile, default=()
        Files that it is read from with `benchkit.require_file`. Their content enters the identity of trials.
    paths : str or callable or None
        Takes the suite's parameters, returns the paths of further files whose content decides what is loaded, for
        datasets that read a user's own file.
    example : mapping or None, default={}
        Parameters with which ``benchkit check`` loads it; None where only a user can give them.
    digest : str, default=""
        `benchkit.digest_data` of what ``load()`` returns without parameters: what the right files parse to.
    shape, classes, licence, source : str, default=""
        For ``benchkit list`` and ``benchkit show``.
    categories : bool, default=False
        Whether columns of categories are among its features, as columns of their own or one-hot: published results are
        found by it. No part of the identity of trials.
    several_files : bool, default=False
        Whether its parameter ``path`` may be a list of files, whose rows it puts together, with a further column
        `Data.FILE` that says where each is from (`Categories`, whose codes are the places of the files in the list):
        ``split: {test: FILE}`` needs that.
    inputs : sequence of str, default=()
        What else decides the outcome: paths of files that the code reads, and ``$NAME`` for environment variables.
        Their content enters the identity of trials.
    """

    name: str
    load: Any
    summary: str = ""
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
    inputs: Sequence[str] = ()
    reference: str = ""

    def __post_init__(self) -> None:
        check_name(self)
        defer(self, "load", "expand", "paths")
        check_choice(self, "task", ("classification", "regression"))
