"""What goes wrong with published results."""

from benchkit.journal import JournalError


class PublishError(JournalError):
    """Published results cannot be read, written or joined; the message is one line for the user."""
