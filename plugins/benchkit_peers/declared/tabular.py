"""Networks for tables: the extra ``peers-tabular``."""

from benchkit import Algorithm, Environment

ALGORITHMS = [
    Algorithm(
        name="realmlp",
        make="pytabkit:RealMLP_TD_S_Classifier",
        environment=Environment(requirements=["pytabkit[models]>=1.7"]),
        warm_up="benchkit_peers.estimators.warm_up:import_torch",
        summary="Multilayer perceptron with the tuned defaults of RealMLP-TD-S, on the processor",
        defaults={"device": "cpu", "n_threads": 1, "verbosity": 0},
        grid={"lr": [0.01, 0.02, 0.04, 0.07, 0.14]},
        reference="Holzmueller, Grinsztajn & Steinwart 2024, Better by default: strong pre-tuned MLPs",
    ),
]
