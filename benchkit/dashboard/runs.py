"""The runs of an output folder: what each is, how far it has come, and what it answers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from benchkit.dashboard.addresses import NoSuchPageError, run_folder
from benchkit.dashboard.statuses import Signature, Statuses, signature
from benchkit.journal import JournalError, is_written, owners, read_group, read_manifest
from benchkit.regular_file import open_regular
from benchkit.report.neutral import read_markdown
from benchkit.trial.record import ENDED_WELL

RUNNING, ENDED, STOPPED, UNREADABLE = "running", "ended", "stopped", "unreadable"
MANIFEST, GROUP = "manifest.json", "collection.json"
_TABLES = "tables.md"
_ANSWERS_WITHIN = 2**16  # bytes at the beginning of a run's tables


@dataclass(frozen=True)
class RunEntry:
    """A run as a list of runs shows it.

    Attributes
    ----------
    suite, run : str
        Names of its folders.
    title, profile, started : str
        As its manifest says.
    state : {"running", "ended", "stopped", "unreadable"}
        Stopped is what did not end, and no process carries on.
    planned, done : int
        Trials.
    statuses : mapping of str to int
        How those that are done ended.
    answers : tuple of str
        Who is best, as the run wrote it when it ended.
    members : tuple of (str, str)
        Suite and run of each member of a collection's run.
    wrong : str
        Why it cannot be read.
    """

    suite: str
    run: str
    title: str = ""
    profile: str = ""
    started: str = ""
    state: str = ENDED
    planned: int = 0
    done: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    answers: tuple[str, ...] = ()
    members: tuple[tuple[str, str], ...] = ()
    wrong: str = ""

    @property
    def failed(self) -> int:
        """Trials that ended, but not well."""
        return sum(count for status, count in self.statuses.items() if status not in ENDED_WELL)

    @property
    def when(self) -> str:
        """Day and minute of its start."""
        return self.started[:16].replace("T", " ") or self.run


class Runs:
    """The runs of an output folder; what has not changed since it was read is not read again.

    Parameters
    ----------
    out : Path
        Output folder.
    """

    def __init__(self, out: Path) -> None:
        self.out = out
        self._statuses = Statuses()
        self._known: dict[Path, tuple[tuple[Signature, ...], RunEntry]] = {}

    def all(self) -> list[RunEntry]:
        """Every run, the newest first."""
        folders = {path.parent for name in (MANIFEST, GROUP) for path in self.out.glob(f"*/*/{name}")}
        entries = []
        for folder in sorted(folders):
            try:
                entries.append(self.one(folder.parent.name, folder.name))
            except NoSuchPageError:
                continue  # a folder of another name than runs have, or a link that leads elsewhere
        return sorted(entries, key=lambda entry: (entry.started, entry.run, bool(entry.members)), reverse=True)

    def one(self, suite: str, run: str) -> RunEntry:
        """A run.

        Raises
        ------
        NoSuchPageError
            There is none of these names.
        """
        folder = run_folder(self.out, suite, run)
        if not (folder / MANIFEST).exists() and not (folder / GROUP).exists():
            raise NoSuchPageError(f"{suite}/{run} is no run")
        try:
            return self._group(folder) if (folder / GROUP).exists() else self._single(folder)
        except (JournalError, OSError) as error:
            return RunEntry(suite, run, state=UNREADABLE, wrong=str(error))

    def _group(self, folder: Path) -> RunEntry:
        manifest, folders = read_group(folder)
        members = [self.one(each.parent.name, each.name) for each in folders if each.is_dir()]
        states = {member.state for member in members}
        state = next((each for each in (RUNNING, STOPPED, UNREADABLE) if each in states), ENDED)
        return RunEntry(
            suite=folder.parent.name,
            run=folder.name,
            title=manifest["title"],
            started=str(manifest.get("started") or min((member.started for member in members), default="")),
            state=state,
            planned=sum(member.planned for member in members),
            done=sum(member.done for member in members),
            statuses=sum((member.statuses for member in members), Counter()),
            members=tuple((member.suite, member.run) for member in members),
        )

    def _single(self, folder: Path) -> RunEntry:
        journal = folder.parent / "trials.jsonl"
        written, statuses = self._statuses.of(journal)
        now = (signature(folder / MANIFEST), signature(folder / _TABLES), written)
        known = self._known.get(folder)
        if known is not None and known[0] == now and known[1].state == ENDED:
            return known[1]
        manifest = read_manifest(folder)
        found = Counter(
            status
            for trial, origin in owners(manifest, folder.name).items()
            if (status := statuses.get((folder.name, trial)) or statuses.get((origin, trial)))
        )
        entry = RunEntry(
            suite=folder.parent.name,
            run=folder.name,
            title=manifest["title"],
            profile=manifest.get("profile", ""),
            started=manifest.get("started", ""),
            state=self._state(folder, bool(manifest.get("complete", True))),
            planned=len(manifest["trials"]),
            done=found.total(),
            statuses=found,
            answers=_answers(folder / _TABLES),
        )
        self._known[folder] = now, entry
        return entry

    def _state(self, folder: Path, complete: bool) -> str:
        if complete:
            return ENDED
        # The lock is the suite's: of its runs, the newest alone can be going on.
        newest = max(path.parent.name for path in folder.parent.glob(f"*/{MANIFEST}"))
        going_on = folder.name == newest and is_written(self.out, folder.parent.name, folder.name) is True
        return RUNNING if going_on else STOPPED


def _answers(tables: Path) -> tuple[str, ...]:
    """The list that a run's tables begin with, below their title."""
    try:
        with open_regular(tables) as file:
            lines = file.read(_ANSWERS_WITHIN).decode(errors="replace").split("\n")[1:]
    except OSError:
        return ()
    answers = []
    for line in lines:
        if line.startswith("- "):
            answers.append(read_markdown(line[2:]))
        elif line:
            break
    return tuple(answers)
