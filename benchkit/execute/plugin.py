"""The executors of this machine, declared through the hook that other people's are."""

from benchkit.plugin.declarations import Executor
from benchkit.plugin.spec import hookimpl

benchkit_api = 1


@hookimpl
def benchkit_executors() -> list[Executor]:
    """Declare the executors."""
    return [
        Executor(
            name="local",
            make="benchkit.execute.local:LocalExecutor",
            summary="Worker processes on this machine, which can be killed one by one",
        ),
        Executor(
            name="inline",
            make="benchkit.execute.work:InlineExecutor",
            summary="This process, one trial at a time: for notebooks and debuggers",
            stops=False,
            in_process=True,
        ),
    ]
