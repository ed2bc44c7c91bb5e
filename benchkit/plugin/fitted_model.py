"""A model that was fitted elsewhere as an algorithm, by its file: ``fitted:model.skops``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePath

from benchkit.plugin.declarations import Algorithm, Deferred

SUFFIXES = (".skops", ".joblib", ".pkl", ".pickle", ".sav")
"""Files of models: skops, which executes nothing, and pickles."""
_PREFIX = "fitted:"


@dataclass(frozen=True, kw_only=True)
class FittedAlgorithm(Algorithm):
    """An algorithm that no plugin declares, and that is not fitted.

    Parameters
    ----------
    path : str
        The model's file. Its content is part of a trial's identity; its folder is not.
    """

    path: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "make", Deferred(self.make))


def fitted_name(path: str) -> str:
    """What the algorithm of a file is called."""
    return f"{_PREFIX}{path}"


def is_fitted_name(name: object) -> bool:
    """Whether a name is that of a model's file."""
    return isinstance(name, str) and name.startswith(_PREFIX) and PurePath(name).suffix.lower() in SUFFIXES


def portable_name(name: str) -> str:
    """An algorithm's name as it is elsewhere: of a model's file without its folder."""
    return fitted_name(_path(name).name) if is_fitted_name(name) else name


def file_stem(name: str) -> str:
    """A model's file without its folder and suffix: what reports call it."""
    return _path(name).stem


def declare_fitted(name: str) -> FittedAlgorithm:
    """The declaration of a model's file.

    Raises
    ------
    FileNotFoundError
        There is no such file.
    """
    path = _path(name)
    if not Path(path).expanduser().is_file():
        where = "" if path.is_absolute() else f" in {Path.cwd()}"
        raise FileNotFoundError(f"there is no file {path}{where}")
    return FittedAlgorithm(
        name=name,
        make="benchkit.auditing.fitted_estimator:FittedEstimator",
        summary=f"the model of {path.name}, as it was fitted",
        tasks=("classification", "regression"),
        accepts_missing=True,
        inputs=(str(Path(path).expanduser()),),
        path=str(Path(path).expanduser()),
    )


def _path(name: str) -> PurePath:
    return PurePath(name.removeprefix(_PREFIX))
