"""What can be wrong with an output folder."""

from benchkit.errors import RequestError


class JournalError(RequestError):
    """The output folder or the journal cannot be used; the message is one line for the user."""


class FolderGoneError(JournalError):
    """The output folder was deleted while a run was writing there."""


class RowsLostError(JournalError):
    """A run has ended, and some of its records could not be written: there is no result to show."""

    exit_code = 1


class PublishError(JournalError):
    """Published results cannot be read, written or joined; the message is one line for the user."""
