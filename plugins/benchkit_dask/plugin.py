"""What this plugin declares."""

from benchkit import Executor, ExecutorOption, hookimpl

benchkit_api = 1


@hookimpl
def benchkit_executors() -> list[Executor]:
    """Declare the executor."""
    return [
        Executor(
            name="dask",
            make="benchkit_dask.cluster:DaskExecutor",
            summary="Workers of a dask cluster, or of one that is started here; needs the extra dask",
            options=[
                ExecutorOption(
                    name="scheduler",
                    summary="Where a cluster listens, such as tcp://host:8786; without it one is started here",
                    elsewhere=True,
                )
            ],
        )
    ]
