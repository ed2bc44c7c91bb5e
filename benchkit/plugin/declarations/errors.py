"""What a plugin says that it cannot do."""


class DeclarationError(Exception):
    """A plugin declared something that cannot be used."""


class DataUnavailableError(Exception):
    """A dataset's file is not on this machine; the message says which file to put where. Trials become ``skipped``."""


class NotApplicableError(Exception):
    """A combination of algorithm, adversary and dataset that has no meaning. Trials become ``skipped``."""
