"""Feeding trials to an executor and turning whatever becomes of them into records."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from itertools import chain, islice, repeat
from typing import Any, cast

from benchkit.environment.place import EnvironmentMissingError, build_command
from benchkit.errors import EndedError, WorkerDiedError
from benchkit.execute.work import Workplace, work
from benchkit.plugin.guard import PluginError, guarded
from benchkit.plugin.manager import Registry
from benchkit.suite.trial import Trial
from benchkit.trial.record import Status, record

# Trials in the executor for each worker: enough that none idles, few enough that a stop leaves little to undo.
_AHEAD = 8


def run_trials(
    executor: Any,
    trials: Iterable[tuple[str, Trial]],
    place: Workplace,
    registry: Registry,
    timeout: float | None = None,
    retries: int = 0,
    who: str = "the executor",
) -> Iterator[tuple[list[Trial], tuple[dict[str, Any], str] | None]]:
    """Run trials, taken as far as there is room for them, on what an `Executor` makes, which ``who`` names.

    Yields the trials that a worker has started, and a record as it comes, with the traceback where there is one; None
    in its place at least twice a second. One whose process died is run again ``retries`` times. A `PluginError` is
    raised where the executor does not say how much it takes.
    """
    begun, ended = set[str](), {"None"}

    def compiles(trial: Trial) -> str:
        return str(registry.algorithms[trial.algorithm.name].warm_up)

    def others_first() -> Iterator[tuple[str, Trial]]:
        """The trials in order, but for those whose method a worker compiles just now, lest another does so, too."""
        put_off = list[tuple[str, Trial]]()
        for entry in trials:
            if (method := compiles(entry[1])) in begun - ended:
                put_off.append(entry)
                continue
            begun.add(method)
            yield entry
        yield from put_off

    waiting, again = others_first(), list[tuple[str, Trial]]()
    pending: dict[Future[Any], tuple[str, Trial]] = {}
    deaths: Counter[str] = Counter()
    for seconds in chain([0.0], repeat(0.5)):  # the first trials run while who asks for them does other things
        with guarded(f"{who}: capacity"):
            room = int(executor.capacity) * _AHEAD - len(pending)
        for trial_id, trial in [*again, *islice(waiting, max(0, room - len(again)))]:
            algorithm, function = registry.algorithms[trial.algorithm.name], cast(Callable[..., Any], work)
            if algorithm.environment is not None:
                from benchkit.execute.foreign import InEnvironment  # which few suites need

                function = InEnvironment(work, algorithm.environment, build_command(algorithm, trial.plugins))
            future: Future[Any]
            try:
                with guarded(f"{who}: submit"):
                    future = executor.submit(function, trial, trial_id, place, timeout=timeout)
                    if not isinstance(future, Future):
                        raise TypeError(f"returned a {type(future).__name__}, expected a concurrent.futures.Future")
            except PluginError as error:  # the trial ends as a row, whatever has become of the executor
                future = Future()
                future.set_exception(WorkerDiedError(str(error)))
            pending[future] = trial_id, trial
        again = []
        if not pending:
            return
        done, _ = wait(pending, timeout=seconds, return_when=FIRST_COMPLETED)
        running = [trial for future, (_, trial) in pending.items() if future.running()]
        for future in [future for future in pending if future in done]:
            trial_id, trial = pending.pop(future)
            ended.add(compiles(trial))
            problem: BaseException | None
            if future.cancelled():
                problem = WorkerDiedError("the executor cancelled it")
            elif (problem := future.exception()) is None:
                match future.result():
                    case ({"trial": str(), "status": str()} as row, str(trace)):
                        yield running, ({**row, "trial": trial_id}, trace)  # one text of the id is enough here
                        continue
                    case other:
                        what = type(other).__name__
                        problem = WorkerDiedError(f"the executor returned a {what} that is no record of a trial")
            if isinstance(problem, WorkerDiedError):
                deaths[trial_id] += 1
                if deaths[trial_id] <= retries:
                    again.append((trial_id, trial))
                    continue
            if isinstance(problem, EndedError):
                used = {"cpu_seconds": problem.cpu_seconds, "peak_mb": problem.peak_mb}
                reason = f"{problem}, {deaths[trial_id]} times" if deaths[trial_id] > 1 else str(problem)
                row = record(trial, trial_id, problem.status, outcome=used, error=problem, reason=reason)
            else:  # such as a result that cannot be pickled
                status: Status = "skipped" if isinstance(problem, EnvironmentMissingError) else "failed"
                row = record(trial, trial_id, status, error=problem)
            yield running, (row, "")
        if not done:
            yield running, None
