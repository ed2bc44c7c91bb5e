"""A model and a table with a target, matched: columns and labels, every mismatch told at once."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from benchkit.errors import RequestError
from benchkit_audit.columns import Column, as_categories, codes, label_text, make_column, sorted_classes
from benchkit_audit.model import BATCH, FittedModel, Task, in_one_line

FEWEST_ROWS = 20
_MOST_NAMED = 8
# Numbers that differ in more ways than this are taken for a quantity where the model does not say what it is.
_MOST_CLASSES = 20


def match_model(model: Any, X: Any, y: Any, *, classes: Sequence[Any] | None = None) -> tuple[FittedModel, list[str]]:
    """A model with a table that it was not fitted on, and what was done to the table on the way.

    Parameters
    ----------
    model : object
        Fitted, with ``predict``; or a function of a table that returns labels, numbers, or probabilities of classes.
    X : DataFrame or array of shape (n_rows, n_columns)
    y : array-like of shape (n_rows,)
    classes : sequence, optional
        What the model's classes, or the columns of a function's probabilities, are called in y, in their order.

    Raises
    ------
    RequestError
        They do not fit; one line, which calls the table the hold-out.
    """
    fitted = model
    model = getattr(model, "inplace_predict", model)  # a booster of XGBoost takes tables there
    function = not hasattr(model, "predict")
    if function and not callable(model):
        raise RequestError(f"{type(model).__name__} is not a model: it has no 'predict' and is not a function")
    frame, named = _read_frame(X)
    y = y.to_pandas() if hasattr(y, "to_pandas") else y  # such as a series of polars
    labels = np.asarray(y.to_numpy(dtype=object) if hasattr(y, "to_numpy") else y)
    labels = labels[:, 0] if labels.ndim == 2 and labels.shape[1] == 1 else labels
    if labels.shape != (len(frame),):
        raise RequestError(f"the target has shape {labels.shape}, expected one value for each of {len(frame)} rows")
    notes: list[str] = []
    has_target = np.asarray(pd.notna(labels.astype(object)))
    if not has_target.all():
        without = int((~has_target).sum())
        rows = "1 row without a target is" if without == 1 else f"{without:,} rows without a target are"
        notes.append(f"{rows} left out.")
        frame, labels = frame[has_target], labels[has_target]
    if len(frame) < FEWEST_ROWS:
        raise RequestError(f"the hold-out has {len(frame)} rows with a target, expected at least {FEWEST_ROWS}")
    columns, as_array = _match_columns(fitted, frame, named, notes, getattr(y, "name", None))
    steps = fitted_steps(fitted, [column.name for column in columns])
    # Numbers that an encoder takes for categories.
    encoded = {name for step, own, _ in steps if hasattr(step, "categories_") for name in own}
    columns = [replace(column, kind="category") if column.name in encoded else column for column in columns]
    how = "call" if function else "predict"
    matched, answer = _that_answers(FittedModel(model, columns, as_array, "regression", labels, how=how), notes)
    task = _task_of(model, labels, answer)
    matched = replace(matched, task=task, truth=labels if task == "classification" else _numbers(labels))
    if task == "classification":
        matched = _with_classes(matched, answer, labels, classes, notes)
    try:
        matched.answers(matched.table(np.arange(min(matched.n_rows, BATCH)), {}))
    except Exception as error:  # it is anybody's code
        raise _cannot_answer(matched, error) from None
    return matched, notes


def _read_frame(X: Any) -> tuple[pd.DataFrame, bool]:
    """The hold-out as a table, and whether its columns have names of their own; else these are x0, x1, ..."""
    if hasattr(X, "to_pandas"):
        X = X.to_pandas()
    if isinstance(X, pd.DataFrame):
        frame = X.reset_index(drop=True)
        frame.columns = frame.columns.map(str)
        for name in frame.columns[frame.columns.duplicated()]:
            raise RequestError(f"two columns of the hold-out are named {name!r}")
        for name in frame.columns:
            frame[name] = _without_na(frame[name])
        return frame, True
    if hasattr(X, "toarray"):
        raise RequestError("the hold-out is sparse: give X.toarray(), or fewer columns")
    array = np.asarray(X)
    if array.ndim != 2:
        raise RequestError(f"the hold-out has shape {array.shape}, expected rows and columns")
    return pd.DataFrame(array, columns=[f"x{place}" for place in range(array.shape[1])]), False


def _without_na(values: pd.Series) -> pd.Series:
    """A column whose gaps are NaN where its type has pd.NA, which libraries take for nothing that they know."""
    if getattr(values.dtype, "na_value", None) is not pd.NA:
        return values
    if pd.api.types.is_numeric_dtype(values.dtype) and values.isna().any():
        return values.astype("Float64").astype(float)
    return values.astype(object).where(values.notna(), np.nan).infer_objects()


def _match_columns(
    model: Any, frame: pd.DataFrame, named: bool, notes: list[str], target: Any
) -> tuple[list[Column], bool]:
    """The columns that the model was fitted on, in its order; what is missing and extra is told at once."""
    own = [str(name) for name in frame.columns]
    wanted, count = fitted_columns(model, own if named else ())
    if wanted is None and count is None:
        return [make_column(name, frame[name]) for name in own], not named
    if wanted is None or not named:
        if count is not None and count != len(own):
            fitted_on = f"the model was fitted on {count} without names"
            raise RequestError(f"the hold-out has {len(own)} columns, {fitted_on}: {_names(own)}")
        names = wanted or own
        return [make_column(name, frame[column]) for name, column in zip(names, own, strict=True)], wanted is None
    missing, extra = [name for name in wanted if name not in own], [name for name in own if name not in wanted]
    columns = [make_column(name, frame[name]) for name in wanted if name in own]
    if str(target) in missing:
        other = f", perhaps {_names(extra)}, which it does not take" if extra else ""
        raise RequestError(
            f"the target {str(target)!r} is a column that the model was fitted on, so it predicts another one: give "
            f"that as the target{other}"
        )
    if missing:
        unknown = f"; it has {_names(extra)} that the model does not know" if extra else ""
        lacks = f"the hold-out lacks {_names(missing)} that the model was fitted on"
        raise RequestError(f"{lacks}{unknown}{_odd_columns(columns)}")
    if extra:
        notes.append(f"The model does not use {_names(extra)}: left out.")
    trained = _trained_categories(model)
    for place, categories in trained.items():
        columns[place] = as_categories(columns[place], categories)
    if trained:
        names = [wanted[place] for place in sorted(trained)]
        notes.append(f"Values are taken as the categories that the model was trained with: {_names(names)}.")
    return columns, False


def fitted_columns(model: Any, there: Sequence[str]) -> tuple[list[str] | None, int | None]:
    """The columns that a model was fitted on, and how many; each None where it does not say.

    There are no names where a library made them up; such as f0, f1 are those of columns where the hold-out has them.
    """

    def ask(attribute: str) -> Any:
        try:
            value = getattr(model, attribute, None)
            return value() if callable(value) else value
        except Exception:  # a property of an estimator that is not fitted, or was fitted on an array
            return None

    count = ask("n_features_in_")
    # Of scikit-learn, CatBoost, boosters of XGBoost and of LightGBM.
    attributes = ("feature_names_in_", "feature_names_", "feature_names", "feature_name")
    names = next((names for attribute in attributes if (names := ask(attribute)) is not None), None)
    if names is None:
        return None, count
    texts = [str(name) for name in names]
    made_up = [[f"{before}{place}" for place in range(len(texts))] for before in ("", "Column_", "f")]
    return (None if texts in made_up and not set(texts) <= set(there) else texts), count or len(texts)


def fitted_steps(model: Any, columns: Sequence[str], first: bool = True) -> Iterator[tuple[Any, Sequence[str], bool]]:
    """Steps of a pipeline or search that have raw columns, these by name, and whether no step stands before."""
    model = getattr(model, "best_estimator_", model)  # of a search of parameters
    transformers, steps = getattr(model, "transformers_", None), getattr(model, "steps", None)
    if isinstance(transformers, list):
        for _, part, chosen in transformers:  # columns by name, place, slice or mask
            named = not isinstance(chosen, slice) and np.asarray(chosen).dtype.kind in "OUT"
            own = np.atleast_1d(chosen if named else np.array(columns, dtype=object)[chosen])
            yield from fitted_steps(part, [str(name) for name in own], first)
    elif isinstance(steps, list):
        for number, (_, part) in enumerate(steps):
            yield from fitted_steps(part, columns, first and number == 0)
            if hasattr(part, "transformers_"):  # it hands on columns of its own
                break
    else:
        yield model, columns, first


def _trained_categories(model: Any) -> dict[int, list[Any]]:
    """By column, the categories that XGBoost or LightGBM was trained with, where its booster knows them."""
    try:
        booster = model.get_booster() if hasattr(model, "get_booster") else model
        if hasattr(booster, "get_categories"):
            columns = booster.get_categories(export_to_arrow=True).to_arrow()
            return {place: values.to_pylist() for place, (_, values) in enumerate(columns) if values is not None}
        booster = getattr(model, "booster_", model)
        places = booster.params.get("categorical_column") or booster.params["categorical_feature"]
        return {int(place): list(values) for place, values in zip(places, booster.pandas_categorical, strict=True)}
    except Exception:  # another library or release, or trained on an array: nothing is known
        return {}


def _names(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f"column{'s' if len(names) > 1 else ''} {', '.join(map(repr, names[:_MOST_NAMED]))}{more}"


def _task_of(model: Any, labels: np.ndarray, answer: np.ndarray) -> Task:
    """What the model says that it does; else what the target and the model's answers look like.

    Of a target of few numbers, more than two, a model predicts numbers where most of its answers are none of these and
    have fractions.
    """
    try:
        kind = getattr(model, "_estimator_type", None) or model.__sklearn_tags__().estimator_type
    except Exception:  # it has no tags, or those of a stranger's estimator raise anything
        kind = None
    if kind == "regressor":
        return "regression"
    if kind == "classifier" or hasattr(model, "classes_") or hasattr(model, "predict_proba"):
        return "classification"
    numbers = pd.to_numeric(pd.Series(labels), errors="coerce")
    texts = numbers.isna().any() or pd.Series(labels).map(type).eq(bool).all()
    if texts or numbers.nunique() <= 2:
        return "classification"
    one_each = answer.size == len(answer) and answer.dtype.kind == "f"
    between = one_each and np.mean(~np.isin(answer, numbers) & (answer.ravel() % 1 > 0).reshape(answer.shape)) > 0.5
    return "regression" if between or numbers.nunique() > _MOST_CLASSES else "classification"


def _numbers(labels: np.ndarray) -> np.ndarray:
    try:
        values = labels.astype(float)
    except (TypeError, ValueError):
        raise RequestError("the target of a regression must be numbers, and is not") from None
    if not np.isfinite(values).all():
        raise RequestError("the target holds an infinite number")
    return np.asarray(values)


def _that_answers(matched: FittedModel, notes: list[str]) -> tuple[FittedModel, np.ndarray]:
    """The model with what it answers to its hold-out; texts become categories for models that ask for them."""
    rows = np.arange(min(matched.n_rows, BATCH))
    try:
        return matched, matched.ask(matched.table(rows, {}))
    except Exception as error:  # it is anybody's code
        texts = [column.name for column in matched.columns if column.kind == "category"]
        columns = [as_categories(column, None) if column.name in texts else column for column in matched.columns]
        with_categories = replace(matched, columns=columns)
        try:
            if matched.as_array or not texts:
                raise
            answer = with_categories.ask(with_categories.table(rows, {}))
        except Exception:  # what the texts raised says more
            raise _cannot_answer(matched, error) from None
    notes.append(
        f"The model takes texts as categories: {_names(texts)}; which it was trained with it does not say: they are "
        "those of the hold-out, sorted."
    )
    return with_categories, answer


def _cannot_answer(matched: FittedModel, error: Exception) -> RequestError:
    empty = [column.name for column in matched.columns if column.values.isna().all()]
    hint = f"; of {', '.join(empty)} every row is empty" if empty else ""
    odd = _odd_columns(matched.columns)
    if isinstance(error, KeyError):
        hint += f": it asks for a column {error} that the hold-out has not, or has as the target"
    if (text := re.search("could not convert string to float: '(.*)'", str(error))) and text[1] not in odd:
        having = [each.name for each in matched.columns if (each.values.astype(str) == text[1]).any()]
        hint += f"; {_names(having)} has that text" if having else ""
    gaps = [column.name for column in matched.columns if column.values.isna().any()]
    if gaps and re.search(r"\bnan\b|missing", str(error), re.IGNORECASE):
        hint += f"; gaps are in {_names(gaps)}: impute these in the model's pipeline, or leave such rows out"
    return RequestError(f"the model cannot answer the hold-out: {in_one_line(error)}{hint}{odd}")


def _with_classes(
    matched: FittedModel, answer: np.ndarray, labels: np.ndarray, classes: Sequence[Any] | None, notes: list[str]
) -> FittedModel:
    """The model with its classes, and with the question that gives both scores and predictions.

    ``answer`` is what it says of the first rows, ``classes`` what the target calls the model's classes.
    """
    model, in_file = matched.model, sorted_classes(labels)
    if len(in_file) < 2:
        raise RequestError(f"every row of the hold-out has the label {in_file[0]!r}: expected at least two classes")
    given = None if classes is None else [label_text(label) for label in classes]
    trained = getattr(model, "classes_", None)
    numbers = answer.reshape(len(answer), -1)
    # One number between 0 and 1 is a probability of the second class, as boosters and networks give it.
    one = numbers.shape[1] == 1 and numbers.dtype.kind == "f" and bool(((numbers >= 0) & (numbers <= 1)).all())
    one = one and bool((numbers % 1 > 0).any()) and len(in_file) == 2
    scored = trained is None and (numbers.shape[1] > 1 or one)
    if scored:
        own = given or in_file
        if numbers.shape[1] != (1 if one else len(own)):
            who = "function" if matched.how == "call" else "model"
            returned = f"the {who} returns {numbers.shape[1]} probabilities per row"
            raise RequestError(f"{returned}, the target has {len(own)} classes")
        if one:
            notes.append(f"One probability per row is taken as that of {own[1]!r}.")
        matched = replace(matched, model=model if matched.how == "call" else model.predict)
    else:
        own = sorted_classes(answer.ravel()) if trained is None else [label_text(label) for label in np.ravel(trained)]
    if given is None:
        names = _named_as_the_target(own, in_file, notes)
        if scored or names != own:
            answered = numbers.argmax(axis=1) if scored else codes(answer, own)
            answered = (numbers[:, 0] > 0.5).astype(int) if one else answered
            _check_order(answered, codes(labels[: len(answer)], names), names)
    elif trained is not None and len(given) != len(own):
        raise RequestError(f"classes has {len(given)} labels, the model has {len(own)}: {_listed(own)}")
    else:
        names = given if len(given) == len(own) else own
    missing = [name for name in in_file if name not in names]
    if missing and trained is not None:
        rows = f"{int((codes(labels, missing) >= 0).sum()):,} of {len(labels):,} rows"
        notes.append(f"The model never answers {_listed(missing)}, the label of {rows}: they count as wrong.")
    everything = (*names, *missing)
    renamed = () if names == own else tuple(zip(own, names, strict=True))
    matched = replace(matched, classes=everything, truth=codes(labels, everything), renamed=renamed)
    if scored:
        return replace(matched, how="probabilities", decided_by_scores=True)
    for how in ("predict_proba", "decision_function"):
        if matched.how == "predict" and trained is not None and hasattr(model, how):
            tried = replace(matched, how=how)
            try:
                answers = tried.answers(tried.table(np.arange(min(matched.n_rows, BATCH)), {}))
            except Exception:  # such as probabilities that the model was not fitted for
                continue
            if answers.scores is not None and answers.scores.shape[1] == len(own):
                return tried
    return matched


def _named_as_the_target(own: list[str], in_file: list[str], notes: list[str]) -> list[str]:
    """What the target calls the model's labels; refused where these seem to be others by the same names."""
    strange, missing = [name for name in own if name not in in_file], [name for name in in_file if name not in own]
    if not strange or not missing:
        return own
    if own == [str(place) for place in range(len(in_file))] and len(strange) == len(own):
        pairs = ", ".join(f"{number} = {name}" for number, name in list(zip(own, in_file, strict=True))[:5])
        notes.append(f"The model numbers its classes; they are taken as the sorted labels of the target: {pairs}.")
        return in_file
    both = f"the model answers {_listed(own)}, the target has {_listed(in_file)}"
    if len(strange) == len(own):
        raise RequestError(f"{both}: no label is in both; encode the target as when the model was trained")
    try:
        _ = [float(name) for name in (*own, *in_file)]
    except ValueError:
        return own
    raise RequestError(  # perhaps they are the same classes, numbered otherwise
        f"{both}: the model never answers {_listed(missing)}: give the hold-out the model's labels (in Python "
        "classes=[...] says what the target calls them)"
    )


def _check_order(answered: np.ndarray, truth: np.ndarray, names: Sequence[str]) -> None:
    """Refuse an order of labels that was supposed, where another is right in far more rows: four standard errors."""
    from scipy.optimize import linear_sum_assignment

    counts = np.zeros((len(names), len(names)), dtype=int)
    np.add.at(counts, (answered, truth), (answered >= 0) & (truth >= 0))
    _, other = linear_sum_assignment(-counts)
    right, otherwise = int(counts.trace()), int(counts[np.arange(len(names)), other].sum())
    if otherwise - right > 4 * len(truth) ** 0.5:
        order = _listed([names[place] for place in other])
        raise RequestError(
            f"taken as {_listed(names)}, in this order, the model's classes are right in {right:,} of {len(truth):,} "
            f"rows, as {order} in {otherwise:,}: give the hold-out the model's labels, or their order (in Python "
            "classes=[...])"
        )


def _listed(labels: Sequence[str]) -> str:
    return ", ".join(map(repr, labels[:_MOST_NAMED])) + (", ..." if len(labels) > _MOST_NAMED else "")


def _odd_columns(columns: Sequence[Column]) -> str:
    """Columns of texts that mostly are numbers: a mark for what is missing made texts of them."""
    odd = []
    for column in columns:
        texts = column.values.dropna().astype(str)
        numbers = pd.to_numeric(texts, errors="coerce").notna()
        if column.kind == "category" and numbers.mean() >= 0.5:
            what = f" such as {texts[~numbers].iloc[0]!r}" if not numbers.all() else ""
            odd.append(f"{column.name!r} holds numbers and texts{what}")
    return f" ({'; '.join(odd[:_MOST_NAMED])})" if odd else ""
