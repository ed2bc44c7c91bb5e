"""Networks for tables: the extra ``peers-tabular``."""

from benchkit import Algorithm, Environment

_TABULAR = Environment(requirements=["pytabkit[models]>=1.7"])
_TORCH = "benchkit_peers.estimators.warm_up:import_torch"
_NETWORK = "benchkit_peers.estimators.tabular_network:TabularNetwork"
_REVISITED = "Gorishniy, Rubachev, Khrulkov & Babenko 2021, Revisiting deep learning models for tabular data"

ALGORITHMS = [
    Algorithm(
        name="realmlp",
        make="pytabkit:RealMLP_TD_S_Classifier",
        environment=_TABULAR,
        warm_up=_TORCH,
        summary="Multilayer perceptron with the tuned defaults of RealMLP-TD-S, on the processor",
        defaults={"device": "cpu", "n_threads": 1, "verbosity": 0},
        grid={"lr": [0.01, 0.02, 0.04, 0.07, 0.14]},
        reference="Holzmueller, Grinsztajn & Steinwart 2024, Better by default: strong pre-tuned MLPs",
    ),
    Algorithm(
        name="rtdl-mlp",
        make=_NETWORK,
        environment=_TABULAR,
        warm_up=_TORCH,
        summary="Multilayer perceptron with dropout that stops early, on the processor",
        defaults={"kind": "mlp"},
        grid={"lr": [0.0003, 0.001, 0.003, 0.01]},
        reference=_REVISITED,
    ),
    Algorithm(
        name="rtdl-resnet",
        make=_NETWORK,
        environment=_TABULAR,
        warm_up=_TORCH,
        summary="Residual network that stops early, on the processor",
        defaults={"kind": "resnet"},
        grid={"lr": [0.0003, 0.001, 0.003, 0.01]},
        reference=_REVISITED,
    ),
    Algorithm(
        name="ft-transformer",
        make=_NETWORK,
        environment=_TABULAR,
        warm_up=_TORCH,
        summary="Transformer whose tokens are columns, stopped early, on the processor",
        defaults={"kind": "ft-transformer"},
        grid={"lr": [0.00003, 0.0001, 0.0003, 0.001]},
        reference=_REVISITED,
    ),
]
