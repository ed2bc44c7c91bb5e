"""Every exception of benchkit that a caller may want to catch.

::

    BenchkitError
    ├── RequestError                    what was asked for cannot be done; one line says why
    │   ├── SuiteError                  the suite, or how it was asked for, is wrong
    │   │   └── NothingSelectedError
    │   ├── UnknownNameError            no plugin declares this name (also a KeyError)
    │   │   └── NoEstimatorError
    │   ├── SelectionError              a reader asked for what the run does not have
    │   ├── PolicyError
    │   ├── IncomparableError
    │   ├── NoRowsError                 the run has kept no rows
    │   ├── NoDataError                 the data of a run cannot be had again
    │   ├── SliceError                  no data set of a run can be divided by this column
    │   ├── FormatError                 a report format could not make its report
    │   ├── JournalError                the output folder or the journal cannot be used
    │   │   ├── FolderGoneError
    │   │   ├── RowsLostError
    │   │   └── PublishError            published results cannot be read, written or joined
    │   ├── TableError                  a table of scores cannot be read, or cannot be judged
    │   ├── FetchError
    │   ├── ScaffoldError
    │   ├── ExecutorUnavailableError
    │   ├── EnvironmentMissingError     also ends trials as ``skipped``
    │   └── EnvironmentBuildError
    ├── DeclarationError                a plugin declared something that cannot be used
    ├── DataUnavailableError            raised by datasets: trials end as ``skipped``
    ├── NotApplicableError              raised by methods and adversaries: trials end as ``skipped``
    ├── TuningOverError
    ├── EndedError                      raised by executors: what ran was ended
    │   ├── OverTimeError
    │   ├── OverMemoryError
    │   └── WorkerDiedError
    └── TrackingError                   raised by trackers: what runs are written to cannot be reached
"""


class BenchkitError(Exception):
    """Of all exceptions that benchkit raises on purpose."""


class RequestError(BenchkitError):
    """What was asked for cannot be done; the message is one line for the user: what, where, and what to do."""
