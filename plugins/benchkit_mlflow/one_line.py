"""What others raise, in one line."""

_LONGEST = 500


def one_line(error: BaseException) -> str:
    """Class and message of an exception, as one line that is not too long."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:_LONGEST]}" if text else type(error).__name__
