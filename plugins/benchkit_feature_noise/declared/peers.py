"""Declarations of what the linear program is compared with."""

from benchkit import Algorithm

GR06 = "Globerson & Roweis 2006, Nightmare at test time: robust learning by feature deletion"
TGRS08 = "Teo, Globerson, Roweis & Smola 2008, Convex learning with invariances"

_C = [0.001, 0.01, 0.1, 1.0, 10.0]
_FDROP = "min 1/2 |w|^2 + C sum_i [1 - y_i (b + w.x_i) + max_(features of value <= K) sum y_i w_j x_ij]_+"

ALGORITHMS = [
    Algorithm(
        name="tgrs",
        make="benchkit_feature_noise.estimators.tgrs:StochasticFeatureDropping",
        warm_up="benchkit_feature_noise.estimators.warm_up:compile_frank_wolfe",
        summary="FDROP by stochastic steps, to a stated fraction of its objective, all features of value 1",
        grid={"C": _C},
        budget_param="n_deleted",
        accepts_sparse=True,
        reference=TGRS08,
        formula=_FDROP,
    ),
    Algorithm(
        name="tgrs-v",
        make="benchkit_feature_noise.estimators.tgrs:StochasticFeatureDropping",
        warm_up="benchkit_feature_noise.estimators.warm_up:compile_frank_wolfe",
        summary="tgrs that knows the feature values, as lp does",
        grid={"C": _C},
        budget_param="n_deleted",
        values_param="feature_values",
        accepts_sparse=True,
        reference=TGRS08,
        formula=_FDROP,
    ),
    Algorithm(
        name="fdrop-uniform",
        make="benchkit_feature_noise.estimators.fdrop_uniform:UniformFeatureDroppingSVM",
        summary="Support vector machine against the deletion of the same K features from all rows, by enumeration",
        grid={"C": _C},
        budget_param="n_deleted",
        accepts_sparse=True,
        reference=f"{GR06}, section 2.2",
        formula="min 1/2 |w|^2 + C max_(K features S) sum_i [1 - y_i (b + sum_(j not in S) w_j x_ij)]_+",
    ),
    Algorithm(
        name="inf-svm",
        make="benchkit_feature_noise.estimators.lp:RobustLinearProgram",
        warm_up="benchkit_feature_noise.estimators.warm_up:compile_kernels",
        summary="Support vector machine with weights in a box: the robust linear program with nothing deleted",
        defaults={"noise_budget": 0.0},
        grid="benchkit_feature_noise.estimators.lp:box_grid",
        values_param="feature_values",
        groups_param="groups",
        accepts_sparse=True,
        reference="Dekel, Shamir & Xiao 2010, Learning to classify with missing and corrupted features, Eq. 4 at N = 0",
        formula="min (1/m) sum_i [1 - y_i (b + w.x_i)]_+, |w_j| <= C",
    ),
    Algorithm(
        name="sec-svm",
        make="benchkit_feature_noise.estimators.sec_svm:SecureSVM",
        warm_up="benchkit_feature_noise.estimators.warm_up:compile_frank_wolfe",
        summary="Support vector machine with weights held in a box, so that no few features decide",
        grid={"C": [0.01, 0.1, 1.0], "box": [0.01, 0.03, 0.1, 0.3, 1.0]},
        accepts_sparse=True,
        reference="Demontis et al. 2017, Yes, machine learning can be more secure!",
        formula="min 1/2 |w|^2 + C sum_i [1 - y_i (b + w.x_i)]_+, |w_j| <= box",
    ),
    Algorithm(
        name="mcf",
        make="benchkit_feature_noise.estimators.mcf:MarginalizedCorruptedFeatures",
        summary="Least squares under random deletion, its expectation in closed form",
        grid={"deletion_rate": [0.1, 0.3, 0.5, 0.7, 0.9], "ridge": [0.1, 1.0, 10.0]},
        accepts_sparse=True,
        reference="van der Maaten, Chen, Tyree & Weinberger 2013, Learning with marginalized corrupted features",
        formula="min sum_i (b + w.x_i - y_i)^2 + q/(1-q) sum_ij x_ij^2 w_j^2 + ridge |w|^2",
    ),
    Algorithm(
        name="dropout-svm",
        make="benchkit_feature_noise.estimators.dropout_svm:DropoutSVM",
        summary="Linear support vector machine on copies of the rows with features deleted at random",
        grid={"C": _C},
        budget_param="n_deleted",
        accepts_sparse=True,
        formula="min 1/2 |w|^2 + C/copies sum_i sum_copies [1 - y_i (b + w.x~_i)]_+",
    ),
    Algorithm(
        name="imputing-defender",
        make="benchkit_feature_noise.estimators.imputing_defender:ImputingDefender",
        summary="Takes zeros where training had none as missing, imputes them, then asks any classifier",
        formula="x_m <- E[x_m | x_observed] under a Gaussian fitted to the training rows",
    ),
]
