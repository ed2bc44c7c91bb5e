"""A model and a table with a target, matched: columns and labels, every mismatch told at once."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from benchkit.errors import RequestError
from benchkit.fitted.columns import Column, as_categories, codes, label_text, make_column, sorted_classes
from benchkit.fitted.model import BATCH, FittedModel, Task, in_one_line

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

TASKS = ("classification", "regression")
FEWEST_ROWS = 20
_MOST_NAMED = 8
# Numbers that differ in more ways than this are taken for a quantity where the model does not say what it is.
_MOST_CLASSES = 20


@dataclass(frozen=True)
class Matched:
    """A model with its table, and what was done to the table on the way.

    Attributes
    ----------
    model : FittedModel
    notes : list of str
    """

    model: FittedModel
    notes: list[str]


def match_model(
    model: Any, X: Any, y: Any, *, task: Task | None = None, classes: Sequence[Any] | None = None
) -> Matched:
    """Match a model with a table that it was not fitted on.

    Parameters
    ----------
    model : object
        Fitted, with ``predict``; or a function of a table that returns labels, numbers, or probabilities of classes.
    X : DataFrame or array of shape (n_rows, n_columns)
    y : array-like of shape (n_rows,)
    task : {"classification", "regression"}, optional
        Read from the model, else from y, where absent.
    classes : sequence, optional
        What the model's classes, or the columns of a function's probabilities, are called in y, in their order.

    Raises
    ------
    RequestError
        They do not fit; one line, which calls the table the hold-out.
    """
    import numpy as np

    if task not in (None, *TASKS):
        raise RequestError(f"task is {task!r}, expected classification or regression")
    function = callable(model) and not hasattr(model, "predict")
    if not function and not hasattr(model, "predict"):
        raise RequestError(f"a {type(model).__name__} is no model: it has no 'predict', and is no function")
    frame, named = _read_frame(X)
    labels = np.asarray(y.to_numpy(dtype=object) if hasattr(y, "to_numpy") else y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1 or len(labels) != len(frame):
        raise RequestError(f"the target has shape {labels.shape}, expected one value for each of {len(frame)} rows")
    notes: list[str] = []
    known = np.array([each is not None and each == each for each in labels.tolist()], dtype=bool)
    if not known.all():
        notes.append(f"{(~known).sum():,} rows without a target are left out.")
        frame, labels = frame[known], labels[known]
    if len(frame) < FEWEST_ROWS:
        raise RequestError(f"the hold-out has {len(frame)} rows with a target, expected at least {FEWEST_ROWS}")
    columns, as_array = _match_columns(model, frame, named, function, notes)
    chosen: Task = task or _task_of(model, labels)
    truth = labels if chosen == "classification" else _numbers(labels)
    matched = FittedModel(model, columns, as_array, chosen, truth)
    matched, answer = _that_answers(replace(matched, how="call" if function else "predict"), notes)
    if chosen == "classification":
        matched = _with_classes(matched, answer, labels, classes, notes)
    try:
        matched.answers(matched.table(np.arange(min(matched.n_rows, BATCH)), {}))
    except Exception as error:  # it is anybody's code
        raise _cannot_answer(matched, error) from None
    return Matched(matched, notes)


def as_frame(X: Any) -> pd.DataFrame:
    """Rows as a table; columns without names are x0, x1, ..."""
    return _read_frame(X)[0]


def _read_frame(X: Any) -> tuple[pd.DataFrame, bool]:
    """The hold-out as a table, and whether its columns have names of their own."""
    import pandas as pd

    if isinstance(X, pd.DataFrame):
        frame = X.reset_index(drop=True)
        frame.columns = [str(name) for name in frame.columns]
        if twice := [name for name in frame.columns if list(frame.columns).count(name) > 1]:
            raise RequestError(f"two columns of the hold-out are named {twice[0]!r}")
        return frame, True
    if hasattr(X, "to_pandas"):
        return _read_frame(X.to_pandas())
    if hasattr(X, "toarray"):
        raise RequestError("the hold-out is sparse: give X.toarray(), or fewer columns")
    import numpy as np

    array = np.asarray(X)
    if array.ndim != 2:
        raise RequestError(f"the hold-out has shape {array.shape}, expected rows and columns")
    return pd.DataFrame(array, columns=[f"x{j}" for j in range(array.shape[1])]), False


def _match_columns(
    model: Any, frame: pd.DataFrame, named: bool, function: bool, notes: list[str]
) -> tuple[list[Column], bool]:
    """The columns that the model was fitted on, in its order; what is missing and extra is told at once."""
    wanted, count = _fitted_names(model, list(frame.columns) if named else ()), _fitted_count(model)
    if function or (wanted is None and count is None):
        return [make_column(name, frame[name]) for name in frame.columns], not named
    if wanted is not None and named:
        missing = [name for name in wanted if name not in frame.columns]
        extra = [name for name in frame.columns if name not in wanted]
        if missing:
            found = f"; it has {_names(extra)} that the model does not know" if extra else ""
            known = [make_column(name, frame[name]) for name in wanted if name in frame.columns]
            raise RequestError(
                f"the hold-out lacks {_names(missing)} that the model was fitted on{found}{_odd_columns(known)}"
            )
        if extra:
            notes.append(f"The model does not use {_names(extra)}: left out.")
        columns = [make_column(name, frame[name]) for name in wanted]
        trained = _trained_categories(model)
        if trained:
            names = _names([wanted[place] for place in sorted(trained)])
            notes.append(f"Values are taken as the categories that the model was trained with: {names}.")
        return [
            as_categories(each, trained[place]) if place in trained else each for place, each in enumerate(columns)
        ], False
    if count is not None and count != frame.shape[1]:
        raise RequestError(
            f"the hold-out has {frame.shape[1]} columns, the model was fitted on {count} without names: "
            f"{_names(list(frame.columns))}"
        )
    if wanted is not None:
        frame = frame.set_axis(wanted, axis=1)
    return [make_column(name, frame[name]) for name in frame.columns], wanted is None


def _fitted_names(model: Any, there: Sequence[str]) -> list[str] | None:
    """The names of the columns that a model was fitted on; None where it saw none, and where a library made them up.

    Names such as f0, f1 are those of columns where the hold-out has them.
    """
    for attribute in ("feature_names_in_", "feature_names_"):
        try:
            names = getattr(model, attribute, None)
        except Exception:  # a property of an estimator that is not fitted, or was fitted on an array
            continue
        if names is not None:
            texts = [str(name) for name in names]
            made_up = [[f"{before}{place}" for place in range(len(texts))] for before in ("", "Column_", "f")]
            return None if texts in made_up and not set(texts) <= set(there) else texts
    return None


def _trained_categories(model: Any) -> dict[int, list[Any]]:
    """By column, the categories that XGBoost or LightGBM was trained with, where its booster knows them."""
    try:
        if hasattr(model, "get_booster"):
            columns = model.get_booster().get_categories(export_to_arrow=True).to_arrow()
            return {place: each.to_pylist() for place, (_, each) in enumerate(columns) if each is not None}
        booster = getattr(model, "booster_", model)
        places = booster.params.get("categorical_column") or booster.params["categorical_feature"]
        return {int(place): list(each) for place, each in zip(places, booster.pandas_categorical, strict=True)}
    except Exception:  # another library or release, or trained on an array: nothing is known
        return {}


def _fitted_count(model: Any) -> int | None:
    try:
        count = getattr(model, "n_features_in_", None)
        return len(model.feature_names_) if count is None and hasattr(model, "feature_names_") else count
    except Exception:  # as above
        return None


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:_MOST_NAMED]))
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f"column{'s' if len(names) > 1 else ''} {shown}{more}"


def _task_of(model: Any, labels: np.ndarray) -> Task:
    """What the model says that it does; else what the target looks like."""
    import pandas as pd

    kind = getattr(model, "_estimator_type", None)
    if kind is None and hasattr(model, "__sklearn_tags__"):
        try:
            kind = model.__sklearn_tags__().estimator_type
        except Exception:  # tags of strangers' estimators raise anything
            kind = None
    if kind == "classifier":
        return "classification"
    if kind == "regressor":
        return "regression"
    if hasattr(model, "classes_") or hasattr(model, "predict_proba"):
        return "classification"
    numbers = pd.to_numeric(pd.Series(labels), errors="coerce")
    texts = numbers.isna().any() or pd.Series(labels).map(type).eq(bool).all()
    return "classification" if texts or numbers.nunique() <= _MOST_CLASSES else "regression"


def _numbers(labels: np.ndarray) -> np.ndarray:
    import numpy as np

    try:
        values = labels.astype(float)
    except (TypeError, ValueError):
        raise RequestError("the target of a regression must be numbers, and is not") from None
    if not np.isfinite(values).all():
        raise RequestError("the target holds an infinite number")
    return np.asarray(values)


def _that_answers(matched: FittedModel, notes: list[str]) -> tuple[FittedModel, np.ndarray]:
    """The model with what it answers to its hold-out; texts become categories for models that ask for them."""

    def answer(asked: FittedModel) -> np.ndarray:
        import numpy as np

        ask = asked.model if asked.how == "call" else asked.model.predict
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.asarray(ask(asked.table(np.arange(min(asked.n_rows, BATCH)), {})))

    try:
        return matched, answer(matched)
    except Exception as error:  # it is anybody's code
        texts = [column.name for column in matched.columns if column.kind == "category"]
        made = [as_categories(each, None) if each.name in texts else each for each in matched.columns]
        with_categories = replace(matched, columns=made)
        try:
            answered = None if matched.as_array or not texts else answer(with_categories)
        except Exception:  # what the texts raised says more
            answered = None
        if answered is None:
            raise _cannot_answer(matched, error) from None
    notes.append(
        f"The model takes texts as categories: {_names(texts)}; which it was trained with it does not say: they are "
        "those of the hold-out, sorted."
    )
    return with_categories, answered


def _cannot_answer(matched: FittedModel, error: Exception) -> RequestError:
    empty = [column.name for column in matched.columns if column.values.isna().all()]
    hint = f"; of {', '.join(empty)} every row is empty" if empty else ""
    odd = _odd_columns(matched.columns)
    return RequestError(f"the model cannot answer the hold-out: {in_one_line(error)}{hint}{odd}")


def _with_classes(
    matched: FittedModel, answer: np.ndarray, labels: np.ndarray, classes: Sequence[Any] | None, notes: list[str]
) -> FittedModel:
    """The model with its classes, and with the question that gives both scores and predictions.

    Parameters
    ----------
    matched : FittedModel
    answer : ndarray of shape (n_rows, ...)
        What the model says of the first rows.
    labels : ndarray of shape (n_rows,)
    classes : sequence or None
        What the target calls the model's classes.
    notes : list of str
    """
    import numpy as np

    model, in_file = matched.model, sorted_classes(labels)
    if len(in_file) < 2:
        raise RequestError(f"every row of the hold-out has the label {in_file[0]!r}: expected at least two classes")
    given = None if classes is None else [label_text(each) for each in classes]
    scored = matched.how == "call" and answer.ndim == 2 and answer.shape[1] > 1
    if scored:
        own = given or in_file
        if answer.shape[1] != len(own):
            raise RequestError(
                f"the function returns {answer.shape[1]} probabilities per row, the target has {len(own)} classes"
            )
    else:
        trained = getattr(model, "classes_", None)
        own = sorted_classes(answer.ravel()) if trained is None else [label_text(each) for each in np.ravel(trained)]
    names = given if given is not None and len(given) == len(own) else own
    if given is None:
        names = _named_as_the_target(own, in_file, notes)
    missing = [name for name in in_file if name not in names]
    if missing and getattr(model, "classes_", None) is not None:
        rows = int((codes(labels, missing) >= 0).sum())
        notes.append(
            f"The model never answers {_listed(missing)}, the label of {rows:,} of {len(labels):,} rows: they count as "
            "wrong."
        )
    everything = [*names, *missing]
    matched = replace(
        matched,
        classes=tuple(everything),
        truth=codes(labels, everything),
        renamed=() if names == own else tuple(zip(own, names, strict=True)),
    )
    if scored:
        return replace(matched, how="probabilities", decided_by_scores=True)
    for how in ("predict_proba", "decision_function"):
        if matched.how == "predict" and hasattr(model, "classes_") and hasattr(model, how):
            tried = replace(matched, how=how)
            try:
                answers = tried.answers(tried.table(np.arange(min(matched.n_rows, BATCH)), {}))
            except Exception:  # such as probabilities that the model was not fitted for
                continue
            if answers.scores is not None and answers.scores.shape[1] == len(own):
                return replace(
                    tried, decided_by_scores=np.array_equal(answers.scores.argmax(axis=1), answers.predictions)
                )
    return matched


def _named_as_the_target(own: list[str], in_file: list[str], notes: list[str]) -> list[str]:
    """What the target calls the model's labels; refused where these seem to be others by the same names."""
    strange, missing = ([each for each in of if each not in among] for of, among in ((own, in_file), (in_file, own)))
    if not strange or not missing:
        return own
    if own == [str(place) for place in range(len(in_file))] and len(strange) == len(own):
        said = ", ".join(f"{number} = {name}" for number, name in list(zip(own, in_file, strict=True))[:5])
        notes.append(f"The model numbers its classes; they are taken as the sorted labels of the target: {said}.")
        return in_file
    told = f"the model answers {_listed(own)}, the target has {_listed(in_file)}"
    if len(strange) == len(own):
        raise RequestError(f"{told}: no label is in both")
    if fit := _fitting(own, in_file):
        raise RequestError(
            f"{told}: the model never answers {_listed(missing)}, and {fit} would fit: give the hold-out the model's "
            "labels (in Python classes=[...] says what the target calls them)"
        )
    return own


def _fitting(own: list[str], in_file: list[str]) -> str:
    """How numbers among the labels of a model may stand for those of a target: in order, or shifted; empty for none."""
    try:
        said, known = [float(each) for each in own], [float(each) for each in in_file]
    except ValueError:
        return ""
    if len(own) == len(in_file):
        return ", ".join(f"{number} = {name}" for number, name in list(zip(own, in_file, strict=True))[:_MOST_NAMED])
    for shift in (known[0] - said[0], known[-1] - said[-1]):
        if all(each - shift in said for each in known):
            return f"a shift by {shift:g}"
    return ""


def _listed(labels: Sequence[str]) -> str:
    return ", ".join(map(repr, labels[:_MOST_NAMED])) + (", ..." if len(labels) > _MOST_NAMED else "")


def _odd_columns(columns: Sequence[Column]) -> str:
    """Columns of texts that mostly are numbers: a mark for what is missing made texts of them."""
    import pandas as pd

    odd = []
    for column in columns:
        if column.kind != "category":
            continue
        known = column.values.dropna().astype(str)
        numbers = pd.to_numeric(known, errors="coerce").notna()
        if numbers.mean() >= 0.5:
            what = f" such as {known[~numbers].iloc[0]!r}" if not numbers.all() else ""
            odd.append(f"{column.name!r} holds numbers and texts{what}")
    return f" ({'; '.join(odd[:_MOST_NAMED])})" if odd else ""
