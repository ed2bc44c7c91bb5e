"""Learning from incomplete rows by today's imputers: the extra ``peers-missing``."""

from benchkit import Algorithm, Environment

_ENVIRONMENT = Environment(requirements=["lightgbm<4.7", "miceforest==6.0.5"])
_REFERENCE = "van Buuren & Groothuis-Oudshoorn 2011, mice; Wilson 2020, miceforest"

ALGORITHMS = [
    Algorithm(
        name="miceforest-svm",
        make="benchkit_peers.estimators.chained_forests:ChainedForestsSVC",
        environment=_ENVIRONMENT,
        summary="Support vector machine on values imputed by chained boosted trees",
        grid={"C": [0.1, 1.0, 10.0], "gamma": [0.01, 0.1]},
        accepts_missing=True,
        reference=_REFERENCE,
    ),
]
