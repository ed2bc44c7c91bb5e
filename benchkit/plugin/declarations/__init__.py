"""What a plugin declares: algorithms, adversaries, datasets, metrics and more, and the values they exchange.

Everything here is light: a declaration names code by a ``"module:attribute"`` string, which is imported only when the
object is made, so that listing hundreds of methods costs no import of scikit-learn.
"""

from benchkit.plugin.declarations.adversary import Adversary, AttackContext, AttackResult
from benchkit.plugin.declarations.algorithm import (
    Algorithm,
    Distribution,
    Environment,
    ModelCheck,
    Tuner,
    TuningContext,
    TuningOverError,
)
from benchkit.plugin.declarations.dataset import Categories, Data, DataFile, Dataset, Features
from benchkit.plugin.declarations.deferred import Deferred
from benchkit.plugin.declarations.executor import Executor, ExecutorOption
from benchkit.plugin.declarations.metric import Metric, MetricContext
from benchkit.plugin.declarations.preparation import FeatureValues, PreprocessingStep, SplitContext, SplitMethod
from benchkit.plugin.declarations.reporting import ReportCell, ReportFormat, ReportSection, ReportTable
from benchkit.plugin.declarations.services import Command, RowsBeside, RowSource, Tracker, TrackingError
from benchkit.plugin.declarations.words import NAME, DataUnavailableError, DeclarationError, NotApplicableError, Task

Declaration = (
    Algorithm
    | Adversary
    | Dataset
    | Metric
    | ReportSection
    | ReportFormat
    | Executor
    | Tuner
    | Tracker
    | Command
    | RowSource
    | SplitMethod
    | PreprocessingStep
    | FeatureValues
)

__all__ = [
    "NAME",
    "Adversary",
    "Algorithm",
    "AttackContext",
    "AttackResult",
    "Categories",
    "Command",
    "Data",
    "DataFile",
    "DataUnavailableError",
    "Dataset",
    "Declaration",
    "DeclarationError",
    "Deferred",
    "Distribution",
    "Environment",
    "Executor",
    "ExecutorOption",
    "FeatureValues",
    "Features",
    "Metric",
    "MetricContext",
    "ModelCheck",
    "NotApplicableError",
    "PreprocessingStep",
    "ReportCell",
    "ReportFormat",
    "ReportSection",
    "ReportTable",
    "RowSource",
    "RowsBeside",
    "SplitContext",
    "SplitMethod",
    "Task",
    "Tracker",
    "TrackingError",
    "Tuner",
    "TuningContext",
    "TuningOverError",
]
