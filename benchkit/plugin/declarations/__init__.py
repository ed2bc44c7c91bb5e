"""What a plugin declares: algorithms, adversaries, datasets, metrics and more, and the values they exchange.

Everything here is light: a declaration names code by a ``"module:attribute"`` string, which is imported only when the
object is made, so that listing hundreds of methods costs no import of scikit-learn.
"""

from benchkit.plugin.declarations.adversary import Adversary as Adversary
from benchkit.plugin.declarations.adversary import AttackContext as AttackContext
from benchkit.plugin.declarations.adversary import AttackResult as AttackResult
from benchkit.plugin.declarations.algorithm import Algorithm as Algorithm
from benchkit.plugin.declarations.algorithm import Environment as Environment
from benchkit.plugin.declarations.algorithm import Tuner as Tuner
from benchkit.plugin.declarations.dataset import Categories as Categories
from benchkit.plugin.declarations.dataset import Data as Data
from benchkit.plugin.declarations.dataset import DataFile as DataFile
from benchkit.plugin.declarations.dataset import Dataset as Dataset
from benchkit.plugin.declarations.dataset import Features as Features
from benchkit.plugin.declarations.dataset import PreprocessingStep as PreprocessingStep
from benchkit.plugin.declarations.dataset import SplitMethod as SplitMethod
from benchkit.plugin.declarations.declaration import NAME as NAME
from benchkit.plugin.declarations.declaration import DataUnavailableError as DataUnavailableError
from benchkit.plugin.declarations.declaration import Declaration as Declaration
from benchkit.plugin.declarations.declaration import DeclarationError as DeclarationError
from benchkit.plugin.declarations.declaration import Deferred as Deferred
from benchkit.plugin.declarations.declaration import NotApplicableError as NotApplicableError
from benchkit.plugin.declarations.declaration import Task as Task
from benchkit.plugin.declarations.metric import Metric as Metric
from benchkit.plugin.declarations.metric import MetricContext as MetricContext
from benchkit.plugin.declarations.services import Command as Command
from benchkit.plugin.declarations.services import Executor as Executor
from benchkit.plugin.declarations.services import ExecutorOption as ExecutorOption
from benchkit.plugin.declarations.services import ReportCell as ReportCell
from benchkit.plugin.declarations.services import ReportFormat as ReportFormat
from benchkit.plugin.declarations.services import ReportSection as ReportSection
from benchkit.plugin.declarations.services import ReportTable as ReportTable
from benchkit.plugin.declarations.services import RowSource as RowSource
from benchkit.plugin.declarations.services import Tracker as Tracker
