"""The results of a run, as Python sees them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from benchkit.document import Document
from benchkit.document.text import counted
from benchkit.errors import RequestError
from benchkit.journal.manifest import Manifest, find_group, is_own, read_group, read_manifest
from benchkit.journal.rows import Outcomes
from benchkit.journal.store import read_model
from benchkit.plugin.declarations import Deferred, Metric, ReportSection, ReportTable
from benchkit.plugin.guard import PluginError, guarded, note_failure, of
from benchkit.plugin.manager import registry
from benchkit.plugin.parameters import suggestion
from benchkit.report.comparisons import BEST, Comparison, compare
from benchkit.report.kept_rows import KeptRows
from benchkit.report.points import UNLIMITED, Point, points, trivial_methods
from benchkit.report.trial_tables import Inconsistency, failed_trials, inconsistencies
from benchkit.statistics.estimate import estimate
from benchkit.statistics.sampling import ROWS, Scope
from benchkit.suite.claims import Claim
from benchkit.trial.record import ENDED_WELL, Record

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from benchkit.report.claims.verdict import Verdict
    from benchkit.trial.rows import RowOutcomes


# What stands on top of results, with tables and figures, is imported when it is asked for.
_analysis = Deferred("benchkit.report.analysis:Analysis")
_settings = Deferred("benchkit.report.analysis:Settings")
_figure = Deferred("benchkit.report.plots:panels_figure")
_means_frame = Deferred("benchkit.report.tables:means_frame")
_notebook = Deferred("benchkit.report.documents:notebook")
_rows_frame = Deferred("benchkit.report.exports:rows_frame")
_slices_frame = Deferred("benchkit.report.slices:slices_frame")
_with_metrics = Deferred("benchkit.report.metrics_afterwards:with_metrics")


@dataclass(frozen=True)
class Results:
    """Records of a run and what follows from them; of a run of several suites, those of all, suite after suite.

    Attributes
    ----------
    suite, title : str
    folder : Path
        The run's folder.
    rows : sequence of mapping
        One per trial that ended, in the order of the plan; see `records`.
    metrics : list of str
    greater_is_better : mapping of metric to bool
    expectations : sequence of Claim
        What the suite claims.
    attack_order : mapping
        Which attacks are at least as strong as which, for `inconsistencies`.
    ranges : mapping of metric to (low, high)
        Values that a metric can have, where that is declared.
    margin : float or None
        The suite's margin of practical equivalence, of its first metric.
    ran, reused : int
        Trials this invocation set out to run, and found done.
    planned : int or None
        Trials of the manifest, where known.
    seconds : float
        From when it was asked for to its report.
    interrupted : bool
    report_sections : sequence of ReportSection
        What plugins add to every report.
    members : sequence of Results
        Those of each suite, where a collection was run; empty for a run of one suite.
    damaged : sequence of str
        What is wrong with the records, in words: damaged lines of the journal, merged runs that disagree.
    axis_titles : mapping of adversary to str
        What its budgets count, in words, for the axes of figures.
    situations : mapping of adversary to str
        What happens, as the sentence of an answer begins.
    shares : mapping of metric to str
        Of a share of rows, what a model is of them: ``wrong on``.
    trivial : mapping of algorithm to str
        Those that look at no feature, and what they do, in words.
    labels : sequence of str
        Datasets that the suite gave a label: what tells them apart is in it, so that their parameters are not shown.
    until_decided : bool
        Whether repetitions were run until claims and comparisons were decided: verdicts then rest on intervals that
        hold at every look.
    leaks : sequence of str
        What of the data may make scores look better than they are.
    declared_elsewhere : collection of str
        Labels of the methods that benchkit does not bring.
    told : dict, optional
        The manifest, of results of no folder.
    outcomes_beside : sequence of callable
        Where the outcomes of rows come from that stand beside this run's: of a record, those, or None.
    row_metrics : mapping of str to Metric
        Those that are loaded, which rows can be read by.
    extended_rows : KeptRows, optional
        What was kept, where metrics were asked for afterwards: also of these.
    """

    suite: str
    title: str
    folder: Path
    rows: Sequence[Record]
    metrics: Sequence[str]
    greater_is_better: Mapping[str, bool]
    expectations: Sequence[Claim] = ()
    attack_order: Mapping[str, Any] = field(default_factory=dict)
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    margin: float | None = None
    ran: int = 0
    reused: int = 0
    planned: int | None = None
    seconds: float = 0.0
    interrupted: bool = False
    report_sections: Sequence[ReportSection] = ()
    members: Sequence[Results] = ()
    damaged: Sequence[str] = ()
    axis_titles: Mapping[str, str] = field(default_factory=dict)
    situations: Mapping[str, str] = field(default_factory=dict)
    shares: Mapping[str, str] = field(default_factory=dict)
    trivial: Mapping[str, str] = field(default_factory=trivial_methods)
    labels: Sequence[str] = ()
    until_decided: bool = False
    leaks: Sequence[str] = ()
    declared_elsewhere: Collection[str] = ()
    told: Manifest | None = field(default=None, repr=False)
    outcomes_beside: Sequence[Callable[[Record], RowOutcomes | None]] = field(default=(), repr=False)
    row_metrics: Mapping[str, Metric] = field(default_factory=lambda: registry().metrics, repr=False)
    extended_rows: KeptRows | None = field(default=None, repr=False)

    @property
    def suites(self) -> Sequence[Results]:
        """The results of each suite that was run: these alone, or a collection's, in its order."""
        return self.members or (self,)

    @cached_property
    def manifest(self) -> Mapping[str, Any]:
        """The run's manifest, as its folder holds it."""
        if self.told is not None:
            return self.told
        return read_group(self.folder)[0] if find_group(self.folder) == self.folder else read_manifest(self.folder)

    @cached_property
    def kept_rows(self) -> KeptRows:
        """What the run has kept of its rows, and what was published of those beside them."""
        outcomes = Outcomes(self.folder.parent.parent)
        return self.extended_rows or KeptRows(outcomes, self.row_metrics, self.outcomes_beside)

    def outcomes(self, record: Record) -> RowOutcomes | None:
        """What a trial's model made of the test rows, as this run has kept it; None where nothing was kept.

        Raises
        ------
        JournalError
            What was kept is damaged, or gone.
        """
        return self.kept_rows.outcomes.of(record)

    @cached_property
    def records(self) -> list[dict[str, Any]]:
        """One per trial that ended, in the order of the plan. Made when first asked for: 1.2 kB each."""
        return [cast(dict[str, Any], row) if type(row) is dict else dict(row) for row in self.rows]

    @property
    def own_rows(self) -> Sequence[Record]:
        """Those of this run, without published rows that stand beside them."""
        return [row for row in self.rows if not row.get("published")]

    @property
    def statuses(self) -> Counter[str]:
        """How many own records have each status."""
        return Counter(row["status"] for row in self.own_rows)

    @property
    def ok(self) -> bool:
        """Whether every trial ended ok, with all metrics, or was skipped for a reason, and at least one ended ok."""
        if self.members:
            return all(each.ok for each in self.members)
        rows = self.own_rows or self.rows
        statuses = {row["status"] for row in rows}
        whole = not any(row.get("error") for row in rows if row["status"] == "ok")
        return "ok" in statuses and statuses <= {*ENDED_WELL} and whole

    def points(self) -> list[Point]:
        """Means and standard errors along the axis."""
        return [
            point
            for each in self.suites
            for point in points(each.rows, each.metrics, ranges=each.ranges, kept=each.kept_rows, trivial=each.trivial)
        ]

    def comparisons(self, scope: Scope = ROWS, margin: float | None = None, baseline: str = BEST) -> list[Comparison]:
        """Every algorithm against the best at each point, or against a baseline, with tests and intervals.

        Parameters
        ----------
        scope : {"rows", "splits"}, default="rows"
            Whether they speak of new rows or of random splits of these rows.
        margin : float, optional
            Of practical equivalence, of the first metric; the suite's by default.
        baseline : str, default="best"
        """
        if self.members:
            return [comparison for each in self.members for comparison in each.comparisons(scope, margin, baseline)]
        margin = self.margin if margin is None else margin
        margins = {} if margin is None else {self.metrics[0]: margin}
        return compare(self.points(), self.greater_is_better, baseline, scope, margins)

    def judge(self, claim: Claim, until_decided: bool) -> Verdict:
        """A claim, judged; by intervals that hold at every look, where repetitions are run ``until_decided``."""
        from benchkit.report.claims.verdict import judge
        from benchkit.statistics.time_uniform import sequential_estimate

        metric = claim.metric or self.metrics[0]
        direction, limits = self.greater_is_better.get(metric, False), self.ranges.get(metric, UNLIMITED)
        trivial = self.trivial if metric in self.attack_order.get("metrics", ()) else ()
        estimator = sequential_estimate if until_decided else estimate
        return judge(claim, self.rows, metric, direction, limits, trivial, estimator)

    def verdicts(self) -> list[Verdict]:
        """The suite's claims, judged."""
        return [each.judge(claim, each.until_decided) for each in self.suites for claim in each.expectations]

    def inconsistencies(self) -> list[Inconsistency]:
        """Where a weaker attack did more damage than one that is declared to be at least as strong."""
        return [failure for each in self.suites for failure in inconsistencies(each.rows, each.attack_order)]

    def sections(self) -> list[tuple[str, ReportTable | Document]]:
        """Title and content of each plugin's section that has something to say; one that fails says so in its note."""
        sections: list[tuple[str, ReportTable | Document]] = []
        for section in self.report_sections:
            try:
                with guarded(of(section)):
                    content = section.compute(self)
                    if content is not None and not isinstance(content, ReportTable | Document):
                        expected = "a benchkit.ReportTable, a benchkit.document.Document or None"
                        raise TypeError(f"returned a {type(content).__name__}, expected {expected}")
            except PluginError as error:
                note_failure(str(error))
                content = ReportTable(columns=(), rows=(), note=str(error))
            if content is not None:
                sections.append((section.title or section.name, content))
        return sections

    def to_pandas(self) -> pd.DataFrame:
        """All records as a table, one row per trial, with a column per metric; why a trial failed is in ``reason``."""
        import pandas as pd

        rows = []
        for record in self.rows:
            row = {name: value for name, value in record.items() if name != "metrics"}
            row["reason"] = row.pop("error")  # a metric may be called error
            rows.append({**row, **{name: record["metrics"].get(name) for name in self.metrics}})
        return pd.DataFrame(rows)

    def rows_to_pandas(self) -> pd.DataFrame:
        """All test rows of all trials as a table: what each method said of each row, under each adversary.

        Returns
        -------
        DataFrame
            Columns ``trial``, ``dataset`` (of several of one name with the parameters that differ), ``algorithm``,
            ``adversary``, ``axis_value``, ``repetition``, ``generated`` (whether each repetition draws its data anew),
            ``row`` (its number in the data set, from 0), ``truth``, ``prediction``, ``loss``, ``decision``,
            ``probability`` and ``changed`` (columns that the adversary changed), as far as they were kept.

        Raises
        ------
        RequestError
            No rows were kept.
        """
        import pandas as pd

        return pd.concat([_rows_frame(each) for each in self.suites], ignore_index=True)

    def with_metrics(self, *names: str, plugins: Sequence[str] = ()) -> Results:
        """The results with further metrics, which are computed from the rows that were kept.

        Parameters
        ----------
        *names : str
            Of installed metrics; those that cannot be told from rows are left out.
        plugins : sequence of str, default=()
            Plugin files that declare the data sets, for metrics that read raw columns.

        Raises
        ------
        RequestError
            A metric has a value nowhere; one line says why.
        """
        extended: Results = _with_metrics(self, names, plugins)
        return extended

    def by(self, column: str, metric: str | None = None) -> pd.DataFrame:
        """Who suffers: each method's loss on the rows that are alike in a column, beside all other rows.

        Parameters
        ----------
        column : str
            A feature, a category, a column that is left out of the features, or the target.
        metric : str, optional
            A mean over rows; the suite's first that is one by default.

        Returns
        -------
        DataFrame
            A row for each data set, adversary, end of the axis (``axis_value``), ``slice`` and ``algorithm``, with
            ``rows`` (different rows of the slice), ``mean``, ``low`` and ``high`` (95 % interval for new rows),
            ``rest`` (the mean elsewhere), ``difference``, ``p``, ``groups`` (that the rows are of, where the split
            draws whole groups: intervals are then for new groups) and ``holm``.

        Raises
        ------
        RequestError
            No data set has the column, the data cannot be loaded again, or no rows were kept.
        """
        settings = _settings(metrics=None if metric is None else (metric,), by=column)
        frame: pd.DataFrame = _slices_frame([_analysis(each, settings) for each in self.suites])
        return frame

    def only(self, algorithms: Collection[str] | None = None, datasets: Collection[str] | None = None) -> Results:
        """The results of some algorithms and data sets alone.

        Parameters
        ----------
        algorithms, datasets : collection of str, optional
            By their labels; all by default. A group stands for its data sets.

        Raises
        ------
        RequestError
            A name that the run does not have.
        """
        data = [name for row in self.rows for name in (row["dataset"], row.get("group")) if name]
        for kind, names, known in (
            ("algorithm", algorithms, dict.fromkeys(row["algorithm"] for row in self.rows)),
            ("dataset", datasets, dict.fromkeys(data)),
        ):
            for name in names or ():
                if name not in known:
                    hint = suggestion(name, known, otherwise=f"it has {', '.join(known)}")
                    raise RequestError(f"no {kind} {name!r} in this run; {hint}")

        def is_chosen(row: Record) -> bool:
            of_data = datasets is None or row["dataset"] in datasets or row.get("group") in datasets
            return of_data and (algorithms is None or row["algorithm"] in algorithms)

        members = [replace(each, rows=list(filter(is_chosen, each.rows))) for each in self.members]
        members = [each for each in members if each.rows]
        return replace(self, rows=list(filter(is_chosen, self.rows)), members=members)

    def load_model(self, trial: str, *, trust: bool = False) -> Any:
        """The fitted estimator of a trial, kept by ``--keep-models``.

        Parameters
        ----------
        trial : str
            Its id, or the beginning of it.
        trust : bool, default=False
            Also of a run that another made, or that was made elsewhere, where the estimator is pickled, as those of
            plugins are: unpickling executes what the file says.
        """
        trusted = trust or is_own(self.folder, self.manifest)
        return read_model(self.folder.parent / "models", trial, trusted=trusted)

    def __repr__(self) -> str:
        return f"<Results of {self.suite}: {self.ending}; .answer(), .table(), .plot(), .to_pandas()>"

    @property
    def ending(self) -> str:
        """How the trials ended, in a few words."""
        return f"{len(self.own_rows)} trials: {counted(self.statuses) or 'no trial ended'}"

    def _repr_html_(self) -> str:
        """As a notebook shows them: answers and the first tables."""
        html: str = _notebook(self, self._analyses(None))
        return html

    def _analyses(self, metric: str | None) -> list[Any]:
        """Of one metric: the first of each suite unless it is named."""
        return [
            _analysis(each, _settings(metrics=tuple(each.metrics[:1]) if metric is None else (metric,)))
            for each in self.suites
        ]

    def answer(self) -> str:
        """Which method to use, how sure that is, and who is left out: a few sentences, a line for each adversary.

        These are the lines that the terminal and the page show.
        """
        lines = [line for each in self.suites for line in _analysis(each).answers]
        return "\n".join(lines) if lines else "no answer: no two algorithms ended ok on shared repetitions"

    def table(self, metric: str | None = None, *, spread: bool = False) -> pd.DataFrame:
        """Means along the axis: a row per dataset, adversary and algorithm, a column per point of the axis.

        Parameters
        ----------
        metric : str, optional
            The suite's first by default.
        spread : bool, default=False
            Text instead of numbers: the cells of the report, with spread, stars, and how many trials failed.
        """
        means: pd.DataFrame = _means_frame(self._analyses(metric), spread)
        return means

    def plot(self, metric: str | None = None, *, dataset: str | None = None, adversary: str | None = None) -> Figure:
        """The curves, as a figure of matplotlib that a notebook shows by itself.

        Parameters
        ----------
        metric : str, optional
            The suite's first by default.
        dataset, adversary : str, optional
            Only these panels; all by default.

        Raises
        ------
        SelectionError
            The run has no such panel.
        """
        figure: Figure = _figure(self._analyses(metric), dataset, adversary)
        return figure

    def problems(self) -> list[tuple[int, str]]:
        """Trials that did not end ok, grouped: how many, and 'algorithm on dataset under adversary: status: why'.

        One that raised is named by the file of its traceback.
        """
        problems = []
        for algorithm, where, status, why, trials in failed_trials(self.rows):
            file = self.folder / "tracebacks" / f"{trials[0]}.txt"
            look = f"; traceback in {file}" if status in ("failed", "metric failed") and file.is_file() else ""
            problems.append((len(trials), f"{algorithm} on {where}: {status}: {why}{look}"))
        return problems + [(1, line) for line in dict.fromkeys(self.damaged)]
