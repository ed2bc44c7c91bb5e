"""Linear models with losses and guarantees of today: the extra ``peers-linear``."""

from benchkit import Algorithm, Environment

ALGORITHMS = [
    Algorithm(
        name="rehline-svm",
        make="rehline:plq_Ridge_Classifier",
        environment=Environment(requirements=["rehline>=0.1.4"]),
        summary="Linear support vector machine by coordinate descent on composite ReLU-ReHU losses",
        defaults={"loss": {"name": "svm"}, "max_iter": 100_000},
        grid={"C": [0.001, 0.01, 0.1, 1.0, 10.0]},
        reference="Dai & Qiu 2023, ReHLine: regularized composite ReLU-ReHU loss minimization",
        formula="min 1/2 |w|^2 + C sum_i [1 - y_i w.(x_i, 1)]_+",
    ),
    Algorithm(
        name="rehline-huber",
        make="rehline:plq_Ridge_Regressor",
        environment=Environment(requirements=["rehline>=0.1.4"]),
        tasks=("regression",),
        summary="Ridge regression with Huber's loss by coordinate descent on composite ReLU-ReHU losses",
        defaults={"loss": {"name": "huber", "tau": 1.0}, "max_iter": 100_000},
        grid={"C": [0.01, 0.1, 1.0, 10.0, 100.0]},
        reference="Dai & Qiu 2023, ReHLine; Huber 1964",
        formula="min 1/2 |w|^2 + C sum_i huber_tau(y_i - w.(x_i, 1))",
    ),
    Algorithm(
        name="wdro-logistic",
        make="benchkit_peers.estimators.wasserstein_logistic:WassersteinLogisticRegression",
        environment=Environment(requirements=["skwdro>=1.1"]),
        warm_up="benchkit_peers.estimators.warm_up:import_torch",
        summary="Logistic regression for the worst distribution in a Wasserstein ball, smoothed by entropy",
        grid={"rho": [0.0001, 0.001, 0.01, 0.1, 1.0]},
        reference="Vincent, Azizian, Iutzeler & Malick 2024, skwdro: a library for Wasserstein robust optimization",
        formula="min_w sup over Q with W(P_n, Q) <= rho of E_Q log(1 + exp(-y (b + w.x)))",
    ),
]
