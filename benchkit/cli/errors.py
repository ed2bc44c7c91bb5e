"""Exit codes, and telling the user's mistakes from ours."""

from __future__ import annotations

import sys

OK = 0
SOME_FAILED = 1
USER_MISTAKE = 2
INTERRUPTED = 130


def is_users_mistake(error: Exception) -> bool:
    """Whether an exception's message is written for the user, as one line."""
    from benchkit.data.fetch import FetchError
    from benchkit.execute.executor import ExecutorUnavailableError
    from benchkit.journal import JournalError
    from benchkit.plugin.manager import UnknownNameError
    from benchkit.report.analysis import SelectionError
    from benchkit.report.compare_runs import IncomparableError
    from benchkit.report.failures import PolicyError
    from benchkit.scaffold.write import ScaffoldError
    from benchkit.suite.load import SuiteError

    of_requests = SuiteError | UnknownNameError | SelectionError | PolicyError | IncomparableError | ScaffoldError
    return isinstance(error, of_requests | JournalError | FetchError | ExecutorUnavailableError)


def print_error(message: str) -> None:
    """One line on standard error."""
    print(f"benchkit: {message}", file=sys.stderr)
