"""Options that several commands take, and how their values are read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from benchkit.errors import RequestError

if TYPE_CHECKING:
    from benchkit.plugin.manager import Registry

OUT = Path("runs")


def option(name: str, value: str, text: str, **more: Any) -> Any:
    """An option with a value: what the help calls the value, and what it says of it."""
    return Option(*name.split(), metavar=value, help=text, **more)


def flag(name: str, text: str) -> Any:
    """An option without a value."""
    return Option(name, help=text)


def argument(value: str, text: str) -> Any:
    """An argument, likewise."""
    return Argument(metavar=value, help=text)


SuiteArgument = Annotated[str, argument("SUITE", "Name of a shipped suite, or a path.")]
ProfileOption = Annotated[str | None, option("--profile", "NAME", "One of the suite's profiles.")]
OutOption = Annotated[Path, option("--out", "DIR", "Output folder.")]
JsonOption = Annotated[bool, flag("--json", "As JSON, for other programs.")]
_ONLY = "Run only trials with these values, such as algorithm=lp,svm; repeat it to narrow further."
OnlyOption = Annotated[list[str] | None, option("--only", "KEY=VALUE,...", _ONLY)]
_SET = "Change a key of the suite, such as split.repetitions=3; of split={...} the keys that it does not name stay."
SetOption = Annotated[list[str] | None, option("--set", "KEY=VALUE", _SET)]
PluginOption = Annotated[list[Path] | None, option("--plugin", "FILE.py", "A file with a plugin.")]
_TRUST = "Execute plugin files and models that come with the run, even if it was made elsewhere."
TrustOption = Annotated[bool, flag("--trust", _TRUST)]
_AGAINST = "Compare with published results of other methods, which are not run here."
AgainstOption = Annotated[str | None, option("--against", "DIR|published", _AGAINST)]
_ADD = "Add an algorithm, adversary, dataset or metric to the suite."
AddOption = Annotated[list[str] | None, option("--add", "NAME", _ADD)]
_TRACKER = "Log the run to this tracker instead of MLflow; see 'benchkit list trackers'."
TrackerOption = Annotated[list[str] | None, option("--tracker", "NAME", _TRACKER)]
_UNTIL = "Add repetitions until every claim is decided (without claims: which method is best)."
UntilDecidedOption = Annotated[bool, flag("--until-decided", _UNTIL)]
WithinOption = Annotated[str | None, option("--within", "TIME", "Stop after this time, such as 2h or 45m.")]
_MOST = "Run at most N repetitions (default: the suite's, or 200)."
MostOption = Annotated[int | None, option("--most", "N", _MOST, min=1)]


def registry_with(files: Sequence[Path] | None) -> Registry:
    """What is installed, and what plugin files declare: a `RequestError` where one of these cannot be used."""
    from benchkit.plugin.manager import registry

    registered = registry(tuple(str(path.resolve()) for path in files or ()))
    if broken := [problem for plugin, problem in registered.problems if plugin in registered.files]:
        raise RequestError("; ".join(broken))
    return registered


def parse_within(text: str | None) -> float | None:
    """Seconds of ``--within``: of ``2h``, ``90m``, ``1h30m``, ``45s`` or ``3600``."""
    if text is None:
        return None
    seconds = {"h": 3600.0, "m": 60.0, "min": 60.0, "s": 1.0, "": 1.0}
    parts = re.findall(r"([0-9]*\.?[0-9]+)\s*(h|min|m|s|)", text)
    if not parts or re.sub(r"\s", "", text) != "".join(number + unit for number, unit in parts):
        raise RequestError(f"--within {text[:40]}: expected a time such as 2h, 90m or 1h30m")
    return sum(float(number) * seconds[unit] for number, unit in parts)


def pairs(option: str, texts: Sequence[str] | None) -> dict[str, str]:
    """Keys and values of an option that was given as ``KEY=VALUE``, several times or never."""
    values = {}
    for text in texts or ():
        key, equals, value = text.partition("=")
        if not key or not equals:
            raise RequestError(f"{option} {text}: expected KEY=VALUE")
        values[key.strip()] = value.strip()
    return values


def parse_only(texts: Sequence[str] | None) -> dict[str, list[str]]:
    """``--only dataset=breast,algorithm=lp,svm --only algorithm=o2b`` as a mapping to the values of each field."""
    only: dict[str, list[str]] = {}
    for text in texts or ():
        key = ""
        for part in text.split(","):
            # What has no key is a further value of the one before it.
            ((key, value),) = pairs("--only", [f"{key}={part}" if key and "=" not in part else part]).items()
            only.setdefault(key, []).append(value)
    return only


def parse_settings(texts: Sequence[str] | None) -> dict[str, Any]:
    """``--set key=value`` options as a mapping; values are YAML."""
    import yaml

    from benchkit.suite import yaml_text

    settings = {}
    for key, value in pairs("--set", texts).items():
        try:
            settings[key] = yaml_text.parse(value)
        except (yaml.YAMLError, ValueError, RecursionError):
            raise RequestError(f"--set {key}={value[:80]}: the value is not valid YAML") from None
    return settings
