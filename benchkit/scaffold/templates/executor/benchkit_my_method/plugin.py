"""What this plugin declares. It imports nothing heavy: the code is named, and imported when it is used."""

from benchkit import Executor, ExecutorOption, hookimpl

benchkit_api = 1


@hookimpl
def benchkit_executors() -> list[Executor]:
    """Declare the executors."""
    return [
        Executor(
            name="my-method",
            make="benchkit_my_method.my_method:MyMethod",
            summary="This process, one trial at a time",
            options=[ExecutorOption(name="pause", type=float, default=0.0, summary="Seconds before each function")],
            stops=False,  # it cannot end a function; leave this out once it can
            in_process=True,  # so that no run uses code that was edited since; leave this out once it has workers
        )
    ]
