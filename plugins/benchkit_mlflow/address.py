"""Where MLflow is, and keeping the password in that address out of everything that is printed."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import unquote, unquote_plus

VARIABLE = "MLFLOW_TRACKING_URI"
DATABASE = "mlflow.db"

_HIDDEN = "***"
_SQLITE = "sqlite:///"
# Greedy up to the last @: whoever forgot to quote an @ or a / in a password still has it hidden.
_USER = re.compile(r"^[\w+.-]+://(?P<user>.+)@", re.DOTALL)
_SECRET_OPTION = re.compile(r"[?&;][^=&;#]*(?:pass|pwd|token|secret|key)[^=&;#]*=(?P<value>[^&;#]+)", re.IGNORECASE)
_SECRET_VARIABLES = ("MLFLOW_TRACKING_PASSWORD", "MLFLOW_TRACKING_TOKEN")


def tracking_uri(out: Path) -> str:
    """``MLFLOW_TRACKING_URI``, or the database in the output folder; to connect with, never to be printed."""
    return os.environ.get(VARIABLE) or f"{_SQLITE}{out.resolve() / DATABASE}"


def is_remote() -> bool:
    """Whether the user named a place for MLflow, instead of the database in the output folder."""
    return bool(os.environ.get(VARIABLE))


def is_server(uri: str) -> bool:
    """Whether an address is that of an MLflow server, which has pages of its own."""
    return uri.startswith(("http://", "https://"))


def sqlite_file(uri: str) -> Path | None:
    """The file of an SQLite database; None for any other address."""
    path = uri.removeprefix(_SQLITE).partition("?")[0]
    return Path(path) if uri.startswith(_SQLITE) and path not in ("", ":memory:") else None


def masked(uri: str) -> str:
    """An address to print: without user, password, and options such as ``?password=``."""
    return hide_secrets(uri, uri)


def hide_secrets(text: str, uri: str) -> str:
    """A text in which no secret is left.

    Parameters
    ----------
    text : str
        Such as an error's message.
    uri : str
        The tracking address whose user and password, as written and as decoded, are hidden. So are the values of
        ``MLFLOW_TRACKING_PASSWORD`` and ``MLFLOW_TRACKING_TOKEN``.

    Returns
    -------
    str
        The text with ``***`` in place of each secret.
    """
    secrets = [os.environ.get(name, "") for name in _SECRET_VARIABLES]
    user = _USER.match(uri)
    if user is not None:
        whole = user["user"]
        # Without a colon it is a token.
        secrets += [whole, whole.partition(":")[2]]
    secrets += [option["value"] for option in _SECRET_OPTION.finditer(uri)]
    secrets += [decode(secret) for secret in list(secrets) for decode in (unquote, unquote_plus)]
    for secret in sorted(set(secrets), key=len, reverse=True):
        if secret:
            text = text.replace(secret, _HIDDEN)
    return text
