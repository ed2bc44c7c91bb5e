"""What a plugin declares: algorithms, adversaries, datasets, metrics and more, and the values they exchange.

Everything here is light: a declaration names code by a ``"module:attribute"`` string, which is imported only when the
object is made, so that listing hundreds of methods costs no import of scikit-learn.
"""

from benchkit.plugin.declarations.adversary import Adversary, AttackContext, AttackResult
from benchkit.plugin.declarations.algorithm import Algorithm, ModelCheck
from benchkit.plugin.declarations.categories import Categories
from benchkit.plugin.declarations.command import Command
from benchkit.plugin.declarations.dataset import Data, DataFile, Dataset
from benchkit.plugin.declarations.deferred import Deferred
from benchkit.plugin.declarations.environment import Environment
from benchkit.plugin.declarations.errors import DataUnavailableError, DeclarationError, NotApplicableError
from benchkit.plugin.declarations.executor import Executor
from benchkit.plugin.declarations.executor_option import ExecutorOption
from benchkit.plugin.declarations.features import Features
from benchkit.plugin.declarations.metric import Metric, MetricContext
from benchkit.plugin.declarations.preparation import FeatureValues, PreprocessingStep, SplitContext, SplitMethod
from benchkit.plugin.declarations.report_format import ReportFormat
from benchkit.plugin.declarations.report_section import ReportSection
from benchkit.plugin.declarations.report_table import ReportCell, ReportTable
from benchkit.plugin.declarations.row_source import RowsBeside, RowSource
from benchkit.plugin.declarations.tracker import Tracker, TrackingError
from benchkit.plugin.declarations.tuner import Distribution, Tuner, TuningContext, TuningOverError
from benchkit.plugin.declarations.words import NAME, Task

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
