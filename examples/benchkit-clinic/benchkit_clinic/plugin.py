"""The plugin: what is declared, and nothing that is heavy to import."""

from benchkit import (
    Executor,
    ExecutorOption,
    PreprocessingStep,
    ReportFormat,
    SplitMethod,
    hookimpl,
)

benchkit_api = 1


@hookimpl
def benchkit_splits() -> list[SplitMethod]:
    """One."""
    return [
        SplitMethod(
            name="later-rows",
            make="benchkit_clinic.later_rows:later_rows",
            summary="train on the earlier rows, test on the later ones",
        )
    ]


@hookimpl
def benchkit_preprocessing_steps() -> list[PreprocessingStep]:
    """One."""
    return [
        PreprocessingStep(
            name="winsorize",
            make="benchkit_clinic.winsorize:Winsorizer",
            summary="values beyond a quantile of the training part become that quantile",
        )
    ]


@hookimpl
def benchkit_report_formats() -> list[ReportFormat]:
    """One."""
    return [
        ReportFormat(
            name="letter",
            render="benchkit_clinic.letter:letter",
            suffix=".txt",
            summary="what to answer, in a few lines of plain text for an e-mail",
        )
    ]


@hookimpl
def benchkit_executors() -> list[Executor]:
    """One."""
    return [
        Executor(
            name="shared-machine",
            make="benchkit_clinic.shared_machine:shared_machine",
            summary="workers of this machine, fewer than it has processors",
            options=[ExecutorOption(name="leave", type=int, default=1, summary="Processors that are left to others")],
        )
    ]
