"""What a plugin says that it cannot do."""

from benchkit.errors import BenchkitError


class DeclarationError(BenchkitError):
    """A plugin declared something that cannot be used."""


class DataUnavailableError(BenchkitError):
    """A dataset's file is not on this machine; the message says which file to put where. Trials become ``skipped``."""


class NotApplicableError(BenchkitError):
    """A combination of algorithm, adversary and dataset that has no meaning. Trials become ``skipped``."""
