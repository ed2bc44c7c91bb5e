"""What can be wrong with an output folder."""

from benchkit.errors import RequestError


class JournalError(RequestError):
    """The output folder or the journal cannot be used; the message is one line for the user."""


class RowsLostError(JournalError):
    """A run ended because a record could not be written: there is no result to show."""

    exit_code = 1


class PublishError(JournalError):
    """Published results cannot be read, written or joined; the message is one line for the user."""
