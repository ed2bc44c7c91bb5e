"""What was seen before a run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from benchkit.suite.loaded import Loaded
from benchkit.suite.schema import AdversaryEntry, AlgorithmEntry


@dataclass(frozen=True)
class Findings:
    """What was seen, each a line with its place and its remedy.

    Attributes
    ----------
    mistakes : list of str
        With these nothing is to run.
    warnings : list of str
        Some trials will be skipped.
    notes : list of str
        What is worth knowing of a plan, and nothing is wrong with.
    refused : mapping of (str, int) to mapping of str to str
        By kind and position of an entry: why it does not take each dataset, by label.
    """

    mistakes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    refused: dict[tuple[str, int], dict[str, str]] = field(default_factory=lambda: defaultdict(dict))

    def refuse(self, label: str, entries: Iterable[tuple[str, int, str]]) -> None:
        """Add entries, by kind and position, that do not take a dataset, and why."""
        for kind, position, reason in entries:
            self.refused[kind, position][label] = reason

    def told(self, loaded: Loaded) -> Findings:
        """Each once, though it may have been seen in many cells, and what the entries refuse among them.

        An entry that takes none of its datasets is a mistake; of one that takes some, those left out are warned of.
        """
        suite = loaded.suite
        mistakes, warnings = list(self.mistakes), list(self.warnings)
        listed: dict[str, Sequence[AlgorithmEntry | AdversaryEntry]]
        listed = {"algorithms": suite.algorithms, "adversaries": suite.adversaries}
        for (kind, position), reasons in self.refused.items():
            applies = set(listed[kind][position].datasets or [entry.display_name for entry in suite.datasets])
            for label, reason in reasons.items():
                said = str(loaded.source.error([kind, position], f"{reason} ({label})"))
                if applies <= reasons.keys():
                    mistakes.append(said)
                else:
                    warnings.append(f"{said}; its trials there will be skipped")
        once = [list(dict.fromkeys(said)) for said in (mistakes, warnings, self.notes)]
        return Findings(mistakes=once[0], warnings=once[1], notes=once[2])
