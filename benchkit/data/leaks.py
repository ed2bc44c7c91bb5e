"""What leaks from a table into its scores: columns that tell the target, and rows that belong together."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchkit.data.columns import column_moments, column_names, find_column
from benchkit.plugin.declarations import Data

if TYPE_CHECKING:
    import pandas as pd

_DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([ T].*)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}( .*)?")
# A category of more values has fewer rows of each than tell anything.
_FEW_VALUES, _FEWEST_ROWS = 20, 5


class Leak(NamedTuple):
    """What may make scores look better than they are, and what to do about it."""

    where: str  # a column, several, or ``rows``
    what: str
    remedy: str
    left_out: bool = False  # of the features, whatever is done

    def __str__(self) -> str:
        where = "rows" if self.where == "rows" else f"column{'s' * (' and ' in self.where)} {self.where}"
        return f"{where} {self.what}: {self.remedy}"


def is_numeric(column: pd.Series) -> bool:
    """Whether a column holds numbers; truth values are a category of two."""
    import pandas as pd

    return bool(pd.api.types.is_numeric_dtype(column.dtype) and not pd.api.types.is_bool_dtype(column.dtype))


def texts_of(column: pd.Series) -> list[str]:
    """The different values of a column as texts, sorted."""
    return sorted({str(value).strip() for value in column.dropna().unique()})


def are_dates(column: pd.Series) -> bool:
    """Whether the values of a column are dates."""
    if column.dtype.kind in "mM":
        return True
    texts = [] if is_numeric(column) else texts_of(column)
    return len(texts) > 2 and all(map(_DATE.fullmatch, texts))


# Of a column of numbers, so many texts stand for "unknown".
_MOST_WORDS, _FEWEST_NUMBERS = 3, 3


def words_among_numbers(column: pd.Series) -> list[str]:
    """The words that make a column of numbers one of texts; none of other columns."""
    import pandas as pd

    texts = [] if is_numeric(column) or are_dates(column) else texts_of(column)
    words = [text for text in texts if pd.isna(pd.to_numeric(text, errors="coerce"))]
    return words if len(words) <= _MOST_WORDS and len(texts) - len(words) >= _FEWEST_NUMBERS else []


# A table has as many patients at least. Of a column that is called as an id is, so many rows must share theirs: many
# patients came once. Other columns have many values, nearly all of which repeat.
_FEWEST_GROUPS, _SHARED, _SINGLE, _MANY = 5, 0.2, 0.35, 20
# Gaps are this much more frequent beside one class: a patient who is well is measured less, which is known before.
_GAPS_APART = 0.4
_NAMED = (
    "patient|subject|person|individual|participant|respondent|user|customer|client|animal|machine|device|sensor|site|"
    "clinic|hospital"
)
# Of numbers these are as often amounts: years of schooling, people of a family, students of a district.
_ALSO_AMOUNTS = "household|family|school|student|pupil|employee|worker"
# With a word before them these are kinds: age_group.
_FIRST = "(^(group|cluster)s?($|[_\\W]))"
_NAMES = re.compile(
    rf"{_FIRST}|(^|[_\W])(id|ids|{_NAMED}|{_ALSO_AMOUNTS})s?($|[_\W]|(_?(id|no|nr|number|code|name)$))", re.IGNORECASE
)
# A number with such a word at its beginning measures it: customer_age.
_NAMES_OF_NUMBERS = re.compile(
    rf"{_FIRST}|(^|[_\W])(id|ids|{_NAMED}|({_NAMED}|{_ALSO_AMOUNTS})s?[_\W]?(id|no|nr|number|code))$", re.IGNORECASE
)


# Of values that name what rows belong to, so many rows share one on average; rows of one are so much more alike in
# some column (mean squares of differences of ranks) than rows of the next value, and than any two, by so many standard
# errors; and numbers that do have nothing to do with most columns.
_OF_ONE, _MORE_ALIKE, _SURELY, _UNRELATED = (1.5, 30.0), 0.7, 4.0, 0.3


def repeated_id(frame: pd.DataFrame, target: str) -> str | None:
    """The column that most likely names what rows belong together by; None where none repeats like an id.

    It has no gaps, and holds texts or whole numbers, none of them in most rows. It is called as such columns are
    (`is_called_id`), and a fifth of the rows share their value with others. Where no column is, it is one of any name,
    nearly all of whose values repeat, and rows of one value are alike and those of other values are not. Of several it
    is the one with the most values.
    """
    counts: dict[str, tuple[int, bool]] = {}  # and whether they are texts, which measure nothing
    others: dict[str, tuple[int, bool]] = {}
    for name in sorted(map(str, frame.columns.drop(target))):
        column = frame[name]
        if column.isna().any() or are_dates(column):  # rows of a day are not of one patient
            continue
        sizes = column.value_counts()
        if (is_numeric(column) and (column % 1 != 0).any()) or sizes.max() > len(column) / 2:
            continue
        if is_called_id(column):
            if sizes[sizes > 1].sum() > _SHARED * len(column) and len(sizes) >= _FEWEST_GROUPS:
                counts[name] = len(sizes), not is_numeric(column)
        elif len(sizes) > _MANY and sizes.max() <= len(column) / 10 and (sizes == 1).mean() < _SINGLE:
            others[name] = len(sizes), not is_numeric(column)
    if not counts and others:
        # In a random order: rows of one value that kept theirs would be alike where the file is sorted otherwise.
        codes = frame.apply(lambda column: column if is_numeric(column) else column.astype(str))
        ranks = codes.sample(frac=1, random_state=0).rank(pct=True).fillna(0.5)
        ranks = ranks.loc[:, np.ptp(ranks, axis=0) > 0]
        counts = {name: n for name, n in others.items() if _alike_by_value(ranks, name, is_numeric(frame[name]))}
    return max(counts, key=counts.__getitem__, default=None)


def is_called_id(column: pd.Series) -> bool:
    """Whether a column has a name of an owner of rows: patient, user_id; of numbers neither customer_age nor school."""
    return (_NAMES_OF_NUMBERS if is_numeric(column) else _NAMES).search(str(column.name)) is not None


def _alike_by_value(ranks: pd.DataFrame, name: str, are_numbers: bool) -> bool:
    """Whether rows of one value of a column are alike, and those of neighbouring values are not, from ranks."""
    # The order of texts means nothing.
    values = ranks[name].to_numpy() if are_numbers else ranks[name].factorize()[0]
    if not _OF_ONE[0] <= len(values) / len(set(values)) <= _OF_ONE[1]:
        return False
    if are_numbers and (_WITHIN_YEAR.fullmatch(name) or _YEAR.fullmatch(name)):
        return False
    order = np.argsort(values, kind="stable")
    same = np.diff(values[order]) == 0  # rows that follow each other are of one value, or of two
    others = [column.to_numpy()[order] for other, column in ranks.items() if other != name]
    if np.mean([abs(float(np.corrcoef(values[order], other)[0, 1])) > _UNRELATED for other in others] or 1) > 0.2:
        return False
    for other in others:
        apart = np.diff(other) ** 2
        within, between, at_random = apart[same], apart[~same], 2 * other.var()
        error = (within.var() / len(within) + between.var() / len(between)) ** 0.5
        more_alike = within.mean() < _MORE_ALIKE * min(between.mean(), at_random)
        if more_alike and between.mean() - within.mean() > _SURELY * error and between.mean() > _MORE_ALIKE * at_random:
            return True
    return False


# What is called so is a number of records, too. So many rows are of the group that most rows of their record are of.
_RECORDS, _OF_ONE_GROUP = re.compile(r"(^|[_\W])(mrn|no|nr|number)$", re.IGNORECASE), 0.95


def other_names(frame: pd.DataFrame, group: str, names: Iterable[str]) -> Iterator[tuple[str, str, bool]]:
    """Columns that say whose rows they are as ``group`` does, each with what is seen of it, and whether it is sure.

    Several rows share theirs, and each value of one goes with one value of the other; or the column is called as an id
    is, and nearly every value of it goes with one of the group. Numbers that are not called so, or have decimals, may
    measure: the elevation of a site.
    """
    for name in names:
        if name == group or len(pair := frame[[group, name]].dropna()) < _MOSTLY_KNOWN * len(frame):
            continue
        sizes = pair.value_counts()
        if len(sizes) == len(pair):
            continue
        measured = is_numeric(pair[name]) and (pair[name] % 1 != 0).any()
        called = not measured and (bool(_RECORDS.search(name)) or is_called_id(pair[name]))
        if all(sizes.index.get_level_values(level).is_unique for level in (0, 1)):
            what = f"goes one-to-one with {group} (each {group} has one {name}, which no other has)"
            yield name, what, called or not is_numeric(pair[name])
        elif called and sizes.groupby(level=1).max().sum() >= _OF_ONE_GROUP * len(pair):
            yield name, f"is an id, by its name, and nearly every value of it belongs to one {group}", True


# A column that tells the target leaves so few rows wrong, where the largest class alone is wrong in more.
_TOLD, _UNTOLD, _MOSTLY_KNOWN = 0.995, 0.98, 0.5
# One that tells most of it, and leaves a third at most of what the next column leaves, may be made from it; so may
# several that are as far ahead of all others, if each of them tells a little more; and one of as many values as there
# are classes that tells less. Of these two kinds each errs by chance: no other column has to do with its errors, at
# this level of all their correlations together.
_MOSTLY_TOLD, _EACH_OF_SEVERAL, _FAR_AHEAD = 0.9, 0.95, 3
_COPIED, _AHEAD, _LEVEL = 0.85, 2, 0.01


def telling(frame: pd.DataFrame, target: str, dropped: Sequence[str], regression: bool) -> Iterator[Leak]:
    """Columns of which each tells the target, also by its gaps, and pairs, one made of the other and the target."""
    late = f"if it is known only after {target}"
    told = dict(telling_columns(frame, target, dropped, regression))
    told |= {} if regression else dict(_telling_gaps(frame.drop(columns=[*dropped, *told]), target))
    for name, what in told.items():
        yield Leak(name, what, f"leave it out (drop: [{name}]) {late}")
    for one, other, made_by in telling_pairs(frame, target, dropped) if regression else ():
        yield Leak(f"{one} and {other}", f"give {target} as their {made_by}", f"leave one of the two out (drop) {late}")


def telling_columns(
    frame: pd.DataFrame, target: str, dropped: Sequence[str], regression: bool
) -> Iterator[tuple[str, str]]:
    """Columns of which each alone tells the target of all rows but a few, or far more than every other column does.

    Each comes with how well it tells the target, which may be known too late for it to be used.
    """
    names = [str(name) for name in frame.columns.drop([target, *dropped])]
    told = {name: _told_where_known(frame[name], frame[target], regression) for name in names}
    shares, parts = {name: share for name, (share, _) in told.items()}, {name: part for name, (_, part) in told.items()}
    names.sort(key=shares.__getitem__, reverse=True)
    certain = [name for name in names if shares[name] >= _TOLD]
    ranked, ahead = names[len(certain) :], 0  # beside one that tells all, others may tell nearly all
    for n, (name, following) in enumerate(pairwise(ranked), start=1):
        share, distance = shares[name], (1 - shares[following]) / max(1 - shares[name], 1e-12)
        if distance >= _FAR_AHEAD and share >= (_MOSTLY_TOLD if n == 1 else _EACH_OF_SEVERAL):
            copied = n > 1 and not regression
        elif copied := n == 1 and not regression and distance >= _AHEAD and share >= _COPIED:
            if not parts[name].nunique() == _predicted(parts[name], frame[target]).nunique() == frame[target].nunique():
                continue
        else:
            continue
        if not copied or all(_errs_by_chance(frame[ranked], parts[each], frame[target]) for each in ranked[:n]):
            ahead = n
    best_of_others = f" (the next best column, {ranked[ahead]}: {shares[ranked[ahead]]:.1%})" if ahead else ""
    for name in names[: len(certain) + ahead]:
        where = " (those where it has a value)" if len(parts[name]) < len(frame) else ""
        if frame[name].isna().any() and parts[name].dtype == bool:
            where = ", by whether it has a value"
        percent, part = f"{shares[name]:.1%}", parts[name]
        if not regression:
            counts = is_numeric(part) and part.is_unique and np.ptp(part) == len(frame) - 1
            what = f"numbers the rows in the order of {target}, and " if counts else ""
            what += f"alone predicts {target} in {percent} of {len(part):,} rows"
        elif is_numeric(part) and part.nunique() > _FEW_VALUES and part.corr(frame[target]) ** 2 < shares[name] - 0.01:
            what = f"alone puts rows in nearly the same order as {target} (squared correlation of ranks: {percent})"
        else:
            what = f"alone explains {percent} of the variance of {target}"
        yield name, what + where + (best_of_others if name in ranked else "")


def _telling_gaps(frame: pd.DataFrame, target: str) -> Iterator[tuple[str, str]]:
    """Columns whose gaps are far more frequent, or far less, in the rows of one class than in the others."""
    for name in frame.columns[frame.isna().any()]:
        gaps, differences = frame[name].isna(), dict[float, str]()
        for label, here in gaps.groupby(frame[target]).mean().sort_values().items():
            others = gaps[frame[target] != label]
            if min(len(others), len(frame) - len(others)) >= _MANY:
                what = f"is missing in {here:.0%} of the rows whose {target} is {label}"
                differences[round(abs(here - others.mean()), 9)] = f"{what}, and in {others.mean():.0%} of others"
        if max(differences, default=0.0) >= _GAPS_APART:
            yield name, differences[max(differences)]


def _told_where_known(column: pd.Series, target: pd.Series, regression: bool) -> tuple[float, pd.Series]:
    """Which share of the target a column tells, and what does: its gaps, itself, or its values if it has most.

    Of these that is taken which tells most; its gaps, if they tell nearly as much.
    """
    gaps, known = column.isna(), column.dropna()
    parts = [gaps, column, *([known] if gaps.mean() <= 1 - _MOSTLY_KNOWN else [])] if gaps.any() else [column]
    told = [(_told(part, target[part.index], regression), part) for part in parts]
    best = max(told, key=lambda each: each[0])
    return told[0] if told[0][0] > best[0] - _LEVEL else best


def _errs_by_chance(features: pd.DataFrame, column: pd.Series, target: pd.Series) -> bool:
    """Whether no other column has to do with the errors of what a column alone predicts."""
    target = target[column.index]
    errors = (_predicted(column, target) != target).astype(float)
    others = features.loc[column.index].drop(columns=column.name)
    ranks = others.apply(lambda other: other.rank().fillna(len(other) / 2))
    parts = [target == label for label in target.unique()]  # within a class, for both have to do with the class
    related = [ranks[part].corrwith(errors[part]).abs().max() * part.sum() ** 0.5 for part in parts]
    return not max(np.nan_to_num(related)) > NormalDist().inv_cdf(1 - _LEVEL / 2 / ranks.shape[1] / len(parts))


def telling_pairs(frame: pd.DataFrame, target: str, dropped: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Two columns of numbers whose sum, difference, product or ratio is the target, and which of these it is.

    It is so in the rows where both have a value, which are most.
    """
    names = [str(name) for name in frame.columns.drop([target, *dropped]) if is_numeric(frame[name])]
    for made_by, change in ((("sum", "difference"), np.asarray), (("product", "ratio"), np.log)):
        with np.errstate(all="ignore"):
            numbers = {name: change(frame[name].to_numpy(dtype=float)) for name in [target, *names]}
        # Of the logarithm of what is not positive nothing is asked, nor of a column that is missing in most rows.
        usable = {
            name: column - np.nanmean(column)
            for name, column in numbers.items()
            if np.isfinite(column[frame[name].notna()]).all() and frame[name].notna().mean() >= _MOSTLY_KNOWN
        }
        usable = {name: column for name, column in usable.items() if np.nanstd(column) > 0}
        y = usable.pop(target, None)
        if y is None or not 2 <= len(usable) < len(frame):
            continue
        columns = np.column_stack([*usable.values()])
        filled = np.nan_to_num(columns)  # by the mean, only to choose the two
        pair = np.argsort(-np.abs(np.linalg.lstsq(filled, y)[0]) * filled.std(axis=0))[:2]
        both = np.isfinite(columns[:, pair]).all(axis=1)
        if both.mean() < _MOSTLY_KNOWN:
            continue
        two, y = columns[both][:, pair], y[both]
        two, y = two - two.mean(axis=0), y - y.mean()
        signs = np.linalg.lstsq(two, y)[0]
        left, alone = y - two @ np.sign(signs), [np.corrcoef(column, y)[0, 1] ** 2 for column in two.T]
        if 1 - left.var() / y.var() >= _TOLD and max(alone) < _UNTOLD and np.allclose(np.abs(signs), 1, atol=0.05):
            one, other = ([*usable][n] for n in pair)
            yield one, other, made_by[0 if signs[0] > 0 and signs[1] > 0 else 1]


_YEAR = re.compile(r"(^|.*[_\W])(year|yr)s?", re.IGNORECASE)
_WITHIN_YEAR = re.compile(
    r"(^|.*[_\W])(month|mon|week|doy|day([_\W]?of[_\W]?(the[_\W]?)?(year|month))?|quarter)", re.IGNORECASE
)
# Numbers of so many seconds are of 1990 to 2060, in a column that is called so; dates may be written as 20240305.
_TIMES, _SECONDS = re.compile(r"time|date|day|stamp|epoch|(^|_)ts$", re.IGNORECASE), (6.3e8, 2.84e9)
_DAY = re.compile(r"(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])")
# Of a split in time: parts of the rows, and how often.
_PART, _ORIGINS = 0.1, 4
# So far the targets of rows that follow each other are alike, at each of these distances, where rows are in time.
_ALIKE, _DISTANCES, _MOST_RUNS, _ALIKE_SURELY = 0.2, (1, 2, 3, 4, 5), 2, 5.0


def row_times(
    frame: pd.DataFrame, target: str, groups: str | None = None, targets: np.ndarray | None = None
) -> Leak | None:
    """What says when each row was, if anything does; of several columns of dates the one with the most days.

    Columns of dates, parts of dates such as years and months, seconds since 1970, or the order of the rows: targets of
    rows that follow each other are alike, where they are neither sorted by it nor ``groups`` of rows. The frame may be
    a part of the rows, of all of which these are the ``targets``.
    """
    later, columns = "to test on what came later", [str(name) for name in frame.columns.drop(target)]
    dates: list[tuple[int, Leak]] = []
    for name in columns:
        if not are_dates(frame[name]) or frame[name].isna().any():
            continue
        try:
            moments = column_moments(frame[name].to_numpy(), name, "")
        except ValueError:
            remedy = f"{later} write them as 2024-03-05 and {_split_by_time(name)}"
            dates.append((0, Leak(name, "holds dates", remedy, True)))
            continue
        if np.bincount(moments).max() <= _PART / 2 * len(moments):  # fine enough to cut such parts
            days = int(moments.max()) + 1
            what = f"holds dates, {days:,} different ones"
            dates.append((days, Leak(name, what, f"{later} write {_split_by_time(name)}", True)))
    if dates:
        return max(dates, key=lambda entry: entry[0])[1]
    for name in columns:
        if is_numeric(frame[name]) and _TIMES.search(name):
            what = "looks like seconds since 1970" * bool(frame[name].between(*_SECONDS).all())
            if frame[name].map("{:.0f}".format).str.fullmatch(_DAY).all():
                what = "looks like dates written as numbers"
            if what:
                return Leak(name, what, f"{later} write {_split_by_time(name)}")
    if parts := parts_of_dates(frame[columns]):
        where = f"{', '.join(parts[:-1])} and {parts[-1]}"
        return Leak(where, "say when each row was", f"{later} write {_split_by_time(parts)}")
    if groups is None and in_order_of_time(frame[target] if targets is None else targets):
        what = f"are in an order in which {target} of neighbouring rows is alike, as in a file written over time"
        if (number := _in_order_of_rows(frame[columns])) is not None:
            remedy = f"if {number}, whose numbers rise or fall with the rows, says when each row was, {later} write "
            return Leak("rows", what, remedy + _split_by_time(number))
        split = f"{_split_by_time('THAT')} and 'drop: [THAT]'"
        remedy = f"if it is the order of time, {later} add a column that numbers the rows, and write {split}"
        return Leak("rows", what, remedy)
    return None


def _in_order_of_rows(frame: pd.DataFrame) -> str | None:
    """The column of numbers that rises or falls with the rows, fine enough to cut parts of time by, if any is."""
    for name, column in frame.items():
        in_order = is_numeric(column) and (column.is_monotonic_increasing or column.is_monotonic_decreasing)
        if in_order and column.value_counts().max() <= _PART / 2 * len(column):
            return str(name)
    return None


def in_order_of_time(targets: pd.Series | np.ndarray) -> bool:
    """Whether targets of rows that follow each other are alike, though the rows are not sorted by it."""
    import pandas as pd

    target = pd.Series(targets)
    numbers = is_numeric(target) and target.nunique() > _FEW_VALUES
    values = target.rank().to_numpy() if numbers else np.unique(target.astype(str), return_inverse=True)[1]
    n, classes = len(values), len(set(values.tolist()))
    steps = np.sign(np.diff(values))
    runs = 1 + int((np.diff(steps[steps != 0]) != 0).sum()) if numbers else 1 + int((steps != 0).sum())
    if n < 20 * len(_DISTANCES) or classes < 2 or runs <= (_MOST_RUNS if numbers else _MOST_RUNS * classes):
        return False
    if numbers:
        alike = [np.corrcoef(values[:-lag], values[lag:])[0, 1] for lag in _DISTANCES]
    else:
        expected = float(np.square(np.bincount(values) / n).sum())
        alike = [(float((values[:-lag] == values[lag:]).mean()) - expected) / (1 - expected) for lag in _DISTANCES]
    return bool(min(alike) > max(_ALIKE, _ALIKE_SURELY / n**0.5))


def _split_by_time(columns: str | list[str]) -> str:
    """A whole line of a suite."""
    import yaml

    split = {"time": columns, "test": _PART, "validation": _PART, "repetitions": _ORIGINS}
    return f"'split: {yaml.safe_dump(split, default_flow_style=True, sort_keys=False, width=1000).strip()}'"


def parts_of_dates(frame: pd.DataFrame) -> list[str]:
    """Columns that say together when a row is of: a year, parts of it such as months, then days; or none."""
    whole = [str(name) for name in frame if is_numeric(frame[name]) and not frame[name].isna().any()]
    years = [name for name in whole if _YEAR.fullmatch(name) and frame[name].between(1900, 2100).all()]
    matches = {name: match for name in whole if (match := _WITHIN_YEAR.fullmatch(name))}
    parts = sorted(matches, key=lambda name: "qmwd".index(matches[name][2][0].lower()))  # quarter, month, week, day
    parts = [name for name in parts if frame[name].between(0, 366).all()]
    found = [*years[:1], *parts] if years and parts else []
    return found if found and len(frame[found].drop_duplicates()) > _MANY else []


def _told(column: pd.Series, target: pd.Series, regression: bool) -> float:
    """The share of the target's variance, or of the rows, that one column tells: by its values, or by thresholds."""
    values = _by_value(column)
    if values is not None and column.nunique() > len(column) / _FEWEST_ROWS:
        return 0.0
    if regression:
        if values is not None:
            within = target - values.map(target.groupby(values).mean())
            return 1 - float(within.var() / target.var())
        # By ranks also what is made of the target by a formula that only rises, such as its logarithm.
        pairs = (column, target), (column.rank(), target.rank())
        return max(float(a.corr(b)) ** 2 for a, b in pairs) if len(column) > _FEW_VALUES else 0.0
    classes = target.value_counts(normalize=True)
    if classes.max() > _UNTOLD or len(classes) > _FEW_VALUES:
        return 0.0
    return float((_predicted(column, target) == target).mean())


def _by_value(column: pd.Series) -> pd.Series | None:
    """The values of a category as texts, a gap being one of them; none of a column of many numbers."""
    few = not is_numeric(column) or column.nunique() <= _FEW_VALUES
    return column.astype(object).where(column.notna(), "").astype(str) if few else None


def _predicted(column: pd.Series, target: pd.Series) -> pd.Series:
    """The class that a column alone predicts: the most frequent one of its value, or between its best thresholds."""
    if (values := _by_value(column)) is not None:
        return values.map(target.groupby(values).agg(lambda part: part.mode()[0]))
    import pandas as pd
    from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier(max_leaf_nodes=target.nunique(), min_samples_leaf=_FEWEST_ROWS)
    # Thresholds divide ranks as they divide numbers, of which a tree takes none beyond 3.4e38.
    codes, classes = pd.factorize(target)
    numbers = column.rank(method="dense").to_numpy(dtype=float)[:, None]
    return pd.Series(classes[tree.fit(numbers, codes).predict(numbers)], index=target.index)


_NAMES_OF_ROWS = re.compile(r"(|unnamed.*|rownames?|row|index|id|(.*[_ .-])(id|nr|no)|.*[a-z]ID|ID)")


def numbers_rows(name: str, column: pd.Series, n_cases: int) -> bool:
    """Whether a column of numbers is a number of its own for every row; ``n_cases`` counts rows that differ."""
    values = column.to_numpy(dtype=float)
    if len(set(values)) != n_cases or not np.array_equal(values, np.round(values)):  # a gap is not equal to itself
        return False
    in_order = len(values) > 2 and bool((np.diff(values) > 0).all()) and values[-1] - values[0] < 20 * len(values)
    return in_order or _NAMES_OF_ROWS.fullmatch(name) is not None


# Rows that are equal by chance: so many times as many, for columns have to do with each other.
_BY_CHANCE = 5


def count_copies(frame: pd.DataFrame, left_out: Sequence[str] = (), tested: np.ndarray | None = None) -> int:
    """Rows that repeat an earlier one but for the columns left out, and for whole numbers that differ in every row.

    Where a mask says which rows are ``tested``, those of them are counted that repeat one of the others. 0 where rows
    of these values would often be equal by chance, as they are where columns have few different values: where all
    columns are of few, and where rows whose columns are shuffled independently repeat a fifth as often.
    """
    numbers = [name for name in frame.columns.drop(list(left_out)) if is_numeric(frame[name])]
    fine = [name for name in numbers if frame[name].nunique() > _FEW_VALUES]
    parts = [frame] if tested is None else [frame[tested], frame[~tested]]  # each may number its rows from 1
    unique = [name for name in fine if all(part[name].is_unique for part in parts)]
    of_rows = [name for name in unique if (frame[name] % 1 == 0).all()]
    if len(of_rows) == len(fine):
        return 0
    rows = frame.drop(columns=[*left_out, *of_rows])
    # What another column tells, as the age group follows from the age, makes no two rows differ.
    for name in fine:
        if name in rows and frame[name].nunique() < len(frame) / _FEWEST_ROWS:
            follow = rows.groupby(name).nunique(dropna=False).max() == 1
            rows = rows.drop(columns=follow.index[follow].difference(fine))
    shuffled = rows.apply(np.random.default_rng(0).permutation)
    copies, by_chance = (_repeated(table, tested) for table in (rows, shuffled))
    return copies if copies > _BY_CHANCE * by_chance else 0


def _repeated(rows: pd.DataFrame, tested: np.ndarray | None) -> int:
    """How many rows repeat an earlier one, or how many of those that are tested repeat one of the others."""
    import pandas as pd

    if tested is None:
        return int(rows.duplicated().sum())
    codes = pd.util.hash_pandas_object(rows, index=False).to_numpy()
    return int(np.isin(codes[tested], codes[~tested]).sum())


class GivenTest(NamedTuple):
    """A test part that a suite gives."""

    rows: np.ndarray  # a mask of all rows
    what: str  # a file, or a value of the column
    column: str = Data.FILE  # that says which rows it has, and no more of them


def leaks_into(test: GivenTest, frame: pd.DataFrame, target: str, features: Collection[str]) -> Iterator[str]:
    """What a given test part shares with the training data: rows, by all features and the target, and their owners."""
    frame = frame.drop(columns=test.column, errors="ignore")
    what = test.what if test.column == Data.FILE else f"the test part ({test.column}: {test.what})"
    n, cases = int(test.rows.sum()), frame.loc[:, [name in {*features, target} for name in frame]]
    tested, others = (cases[rows].reset_index(drop=True) for rows in (test.rows, ~test.rows))
    copies = n if tested.equals(others) else count_copies(cases, tested=test.rows)  # one file may be given twice
    if copies >= max(_FEWEST_ROWS, _MANY_COPIES * n):
        also = f"{copies:,} of {n:,} rows of {what} are also in the training data"
        yield f"{also}: if these are the same cases, scores are too good; leave them out of one of the two"
    if (owner := repeated_id(frame.sample(min(len(frame), _MOST_LOOKED_AT), random_state=0), target)) is not None:
        owners = frame[owner][test.rows]
        shared = owners[owners.isin(frame[owner][~test.rows])]
        if len(shared) - copies >= _MANY_COPIES * n:
            both = f"{shared.nunique():,} of {owners.nunique():,} different values of {owner} in {what} have rows"
            alike = f"in the training data, too: if rows of one {owner} are alike, scores are too good for new ones"
            yield f"{both} {alike}; leave their rows out of one of the two"


# Rows that are looked at, and columns: more of them are no table that somebody has filled in.
_MOST_LOOKED_AT, _MOST_COLUMNS = 5_000, 200
# So many copies are worth a word before a run.
_MANY_COPIES = 0.05


def leaks_of(
    data: Data, classify: bool, at_random: bool, groups: str | None = None, test: GivenTest | None = None
) -> list[str]:
    """What of a data set may make scores look better than they are.

    ``at_random`` says whether its split is, ``groups`` which column names the rows that it keeps together, ``test``
    which rows it tests if that is given.
    """
    import pandas as pd

    target = data.target_name or "the target"
    # A category is there as itself, and as columns of 0 and 1.
    values = tuple(f"{name}=" for name in map(str, data.group_names))
    names = [name for name in column_names(data) if name != data.target_name and not name.startswith(values)]
    if len(names) > _MOST_COLUMNS:
        return []
    columns = {name: find_column(data, name) for name in names}
    frame = pd.DataFrame({name: getattr(column, "values", column) for name, column in columns.items()})
    frame[target] = data.y
    features = {*map(str, data.feature_names), *map(str, data.group_names)}
    texts = [] if test is None else [*leaks_into(test, frame, target, features)]
    frame = frame.sample(min(len(frame), _MOST_LOOKED_AT), random_state=0).sort_index()  # numbers of rows rise
    n = f"{len(frame):,} rows that were looked at"  # of a large table some of its rows: nothing is said of the others
    texts += map(str, telling(frame, target, [name for name in names if name not in features], not classify))
    texts += [
        f"column {name} holds numbers and {', '.join(map(repr, words))}, so that each number is a category: name in "
        "'na_values' what stands for a missing value, or mend the file"
        for name in names
        if name in features and (words := words_among_numbers(frame[name]))
    ]
    n_cases = len(frame.drop_duplicates())
    texts += [
        f"column {name} is a number of its own for every row, and tells nothing of new ones: leave it out "
        f"(drop: [{name}])"
        for name in names
        if name in features and is_numeric(frame[name]) and numbers_rows(name, frame[name], n_cases)
    ]
    if at_random and (copies := count_copies(frame)) >= _MANY_COPIES * len(frame):
        texts.append(
            f"{copies:,} of {n} are copies of others, and the split is at random: a tested row may have a copy in the "
            "training part, and scores are too good then; remove rows that are one case written twice"
        )
    group = groups or (repeated_id(frame, target) if at_random else None)
    if at_random and (times := row_times(frame, target, group, data.y)) is not None:
        texts.append(str(times._replace(what=f"{times.what}, and the split is at random")))
    others: dict[str, str] = {}
    if group is not None and group in frame:
        candidates = [name for name in names if name in features]
        others |= {name: what for name, what, is_sure in other_names(frame, group, candidates) if is_sure}
    if groups is None and group is not None:
        listed = f" and 'drop: [{', '.join([group, *others])}]' beside 'target'" if features & {group, *others} else ""
        texts.append(
            f"column {group} looks like an id ({frame[group].nunique():,} different values in {n}), and the split is "
            f"at random: if rows of one {group} are alike, scores are too good; write 'groups: {group}' in 'split'"
            f"{listed}"
        )
        return texts
    return [*texts, *(f"column {name} {what}: leave it out (drop: [{name}])" for name, what in others.items())]
