"""The feature-noise plugin: what it declares. Nothing here imports a solver."""

from functools import partial
from typing import Any

from benchkit import Adversary, Algorithm, Metric, hookimpl

benchkit_api = 1

DSX10 = "Dekel, Shamir & Xiao 2010, Learning to classify with missing and corrupted features"
GR06 = "Globerson & Roweis 2006, Nightmare at test time: robust learning by feature deletion"
TGRS08 = "Teo, Globerson, Roweis & Smola 2008, Convex learning with invariances"

_ESTIMATORS = "benchkit_feature_noise.estimators"
_COMPILE, _COMPILE_STEPS = f"{_ESTIMATORS}.warm_up:compile_kernels", f"{_ESTIMATORS}.warm_up:compile_frank_wolfe"
_C = [0.001, 0.01, 0.1, 1.0, 10.0]
_sparse = partial(Algorithm, accepts_sparse=True)
_stepwise = partial(_sparse, budget_param="n_deleted", warm_up=_COMPILE_STEPS)
_paid = {"values_param": "feature_values", "groups_param": "groups", "warm_up": _COMPILE}
_boxed = partial(_sparse, grid=f"{_ESTIMATORS}.lp:box_grid", **_paid)
_program = {"verify": f"{_ESTIMATORS}.verification:verify", "fit_path": f"{_ESTIMATORS}.paths:fit_path"}
_fdrop = partial(
    _sparse,
    make=f"{_ESTIMATORS}.fdrop:FeatureDroppingSVM",
    grid={"C": _C},
    budget_param="n_deleted",
    groups_param="groups",
    warm_up=_COMPILE,
    **_program,
)
_additive = partial(
    Algorithm,
    make=f"{_ESTIMATORS}.additive:RobustAdditiveClassifier",
    budget_param="budget",
    accepts_missing=True,
    **_paid,
)
_FDROP = "min 1/2 |w|^2 + C sum_i [1 - y_i (b + w.x_i) + max_(features of value <= K) sum y_i w_j x_ij]_+"

# Where N = V the adversary may delete all features of each row, which then looks like any other: whatever (w, b), in
# the worst case the answer is the sign of b, and none errs less than the larger class. The program says the same: as
# P = V - N goes to 0 in Eq. 3, P w goes to 0 in the box |w_j| <= C, and with b' = P b what is left of P times the
# objective, (1/m) sum_i [V - y_i b']_+, is least at b' = V times the sign of the larger class. Eq. 6 of Globerson and
# Roweis needs no such rule: with K = V its solution is w = 0 and that b.
ALGORITHMS = [
    _boxed(
        name="lp",
        make=f"{_ESTIMATORS}.lp:RobustLinearProgram",
        hardened={},
        summary="Linear program that survives the deletion of features of total value N, weights in a box",
        budget_param="noise_budget",
        at_all_features="constant",
        reference=f"{DSX10}, Eq. 4",
        formula="min (1/m) sum_i xi_i, xi_i = [max_J V(J)/P - y_i (b + sum_J w_j x_ij)]_+, |w_j| <= C",
        **_program,
    ),
    _boxed(
        name="o2b",
        make=f"{_ESTIMATORS}.o2b:OnlineToBatchPerceptron",
        warm_up=f"{_ESTIMATORS}.warm_up:compile_perceptron",
        summary="Perceptron against a deleting adversary, projected onto a box, iterates averaged",
        budget_param="noise_budget",
        at_all_features="constant",
        reference=f"{DSX10}, section 3",
        formula="w_(i+1) = [w_i + tau y_i x_i restricted to J_i]_(+-C) on a loss, mean of w_1 ... w_m",
    ),
    _fdrop(
        name="fdrop",
        hardened={},
        summary="Support vector machine that survives the deletion of K features of each row",
        reference=f"{GR06}, Eq. 6",
        formula="min 1/2 |w|^2 + C sum_i [1 - y_i (b + w.x_i) + max_(K features) sum y_i w_j x_ij]_+",
    ),
    _fdrop(
        name="fdrop-v",
        summary="fdrop told the feature values: K is a budget in the adversary's own units",
        values_param="feature_values",
        reference=f"{GR06}, Eq. 6, given what LP is given",
        formula="as fdrop, with sum_j v_j lambda_j <= K",
    ),
    _boxed(
        name="one-versus-rest",
        make=f"{_ESTIMATORS}.one_versus_rest:OneVersusRest",
        summary="Many classes through one of the binary classifiers (estimator: lp, o2b, fdrop, svm, ...)",
        budget_param="budget",
        reference=f"{GR06}, footnote 1",
        formula="argmax_c b_c + w_c.x, (w_c, b_c) fitted to class c against the rest",
    ),
    _additive(
        name="additive-fdrop",
        hardened={},
        defaults={"method": "fdrop"},
        summary="fdrop-v on bins of each column: a sum of step functions that survives the deletion of K features",
        grid={"C": _C, "n_bins": [8, 16]},
        reference=f"{GR06}, Eq. 6, with the indicators of a column's bins as one feature",
        formula="min 1/2 |h|^2 + C sum_i [1 - y_i (b + sum_j h_j(x_ij)) + max_(features of value <= K) sum y_i h_j]_+",
    ),
    _additive(
        name="additive-lp",
        defaults={"method": "lp"},
        summary="lp on bins of each column: a sum of step functions in a box that survives the deletion of value N",
        grid=f"{_ESTIMATORS}.additive:step_grid",
        at_all_features="constant",
        reference=f"{DSX10}, Eq. 4, with the indicators of a column's bins as one feature",
        formula="min (1/m) sum_i xi_i, xi_i = [max_J V(J)/P - y_i (b + sum_J h_j(x_ij))]_+, |h_j| <= C",
    ),
    _stepwise(
        name="tgrs",
        make=f"{_ESTIMATORS}.tgrs:StochasticFeatureDropping",
        summary="FDROP by stochastic steps, to a stated fraction of its objective, all features of value 1",
        grid={"C": _C},
        reference=TGRS08,
        formula=_FDROP,
    ),
    _stepwise(
        name="tgrs-v",
        make=f"{_ESTIMATORS}.tgrs:StochasticFeatureDropping",
        summary="tgrs that knows the feature values, as lp does",
        grid={"C": _C},
        values_param="feature_values",
        reference=TGRS08,
        formula=_FDROP,
    ),
    _sparse(
        name="fdrop-uniform",
        make=f"{_ESTIMATORS}.fdrop:UniformFeatureDroppingSVM",
        summary="Support vector machine against the deletion of the same K features from all rows, by enumeration",
        grid={"C": _C},
        budget_param="n_deleted",
        reference=f"{GR06}, section 2.2",
        formula="min 1/2 |w|^2 + C max_(K features S) sum_i [1 - y_i (b + sum_(j not in S) w_j x_ij)]_+",
    ),
    _boxed(
        name="inf-svm",
        make=f"{_ESTIMATORS}.lp:RobustLinearProgram",
        summary="Support vector machine with weights in a box: the robust linear program with nothing deleted",
        defaults={"noise_budget": 0.0},
        reference=f"{DSX10}, Eq. 4 at N = 0",
        formula="min (1/m) sum_i [1 - y_i (b + w.x_i)]_+, |w_j| <= C",
    ),
    _stepwise(
        name="sec-svm",
        budget_param=None,
        make=f"{_ESTIMATORS}.tgrs:SecureSVM",
        summary="Support vector machine with weights held in a box, so that no few features decide",
        grid={"C": [0.01, 0.1, 1.0], "box": [0.01, 0.03, 0.1, 0.3, 1.0]},
        reference="Demontis et al. 2017, Yes, machine learning can be more secure!",
        formula="min 1/2 |w|^2 + C sum_i [1 - y_i (b + w.x_i)]_+, |w_j| <= box",
    ),
    _sparse(
        name="mcf",
        make=f"{_ESTIMATORS}.random_deletion:MarginalizedCorruptedFeatures",
        summary="Least squares under random deletion, its expectation in closed form",
        grid={"deletion_rate": [0.1, 0.3, 0.5, 0.7, 0.9], "ridge": [0.1, 1.0, 10.0]},
        reference="van der Maaten, Chen, Tyree & Weinberger 2013, Learning with marginalized corrupted features",
        formula="min sum_i (b + w.x_i - y_i)^2 + q/(1-q) sum_ij x_ij^2 w_j^2 + ridge |w|^2",
    ),
    _sparse(
        name="dropout-svm",
        make=f"{_ESTIMATORS}.random_deletion:DropoutSVM",
        summary="Linear support vector machine on copies of the rows with features deleted at random",
        grid={"C": _C},
        budget_param="n_deleted",
        formula="min 1/2 |w|^2 + C/copies sum_i sum_copies [1 - y_i (b + w.x~_i)]_+",
    ),
    _sparse(
        name="selecting-svm",
        make=f"{_ESTIMATORS}.feature_ranking:FeatureSelectingSVM",
        warm_up=_COMPILE,
        summary="Linear support vector machine on the features that a ranking puts first",
        grid={"C": _C},
        reference=f"{GR06}, section 3; Yang & Pedersen 1997 (InfoGain)",
        formula="rank by the share of rows from which the adversary of fdrop deletes j, or by I([x_j > 0]; y)",
    ),
]

ADVERSARIES = [
    Adversary(
        name="greedy-corrupt",
        situation="If noise replaces the features that count most",
        budget_title="features corrupted",
        make="benchkit_feature_noise.adversaries:GreedyCorrupt",
        summary="Chooses features as greedy-delete does and replaces them by noise, Gaussian or bounded",
        requires="linear",
        reference=f"{DSX10}, section 4 and 2.5",
        formula="x_j ~ N(mean_j, var_j) or U(-1, 1) for the j that greedy-delete would delete",
    ),
    Adversary(
        name="query-corrupt",
        situation="If noise replaces the features that count most",
        budget_title="features replaced",
        make="benchkit_feature_noise.adversaries:QueryCorrupt",
        summary="Chooses features as query-delete does and replaces them by Gaussian noise",
        requires="decision_function",
        reference=f"{DSX10}, section 4, with query-delete's choice",
        formula="x_j ~ N(mean_j, var_j) for the j that query-delete would delete",
    ),
]


def _metric(name: str, summary: str, **more: Any) -> Metric:
    """The function of ``metrics.py`` that has the metric's name."""
    return Metric(
        name=name, compute=f"benchkit_feature_noise.metrics:{name.replace('-', '_')}", summary=summary, **more
    )


METRICS = [
    _metric(
        "greedy-error",
        "What greedy deletion within the budget does to a linear model: the lower end of the bracket",
        range=(0, 1),
    ),
    _metric(
        "exact-error",
        "Share of rows that some deletion within the budget makes wrong, for a linear model",
        range=(0, 1),
    ),
    _metric(
        "relaxation-error", "What deletion in parts does to a linear model: the upper end of the bracket", range=(0, 1)
    ),
    _metric(
        "gamma-loss",
        "Share of training rows that some deletion leaves a margin below V(J)/P",
        range=(0, 1),
        reference=f"{DSX10}, Eq. 22 at gamma = 1",
        formula="mean_i [min_J y_i w.x_i(J) - V(J)/P < 0]",
    ),
    _metric(
        "theorem2-bound",
        "Bound on the risk under deletion, probability 0.95, no bias, features in [-1, 1]",
        reference=f"{DSX10}, Theorem 2",
        formula="sup {e : KL(kappa-loss || e) <= (ln(m/delta) + sum_j ln max(4PC/(kappa v_j), 1))/(m-1)}, best kappa",
    ),
    _metric(
        "corollary1-bound",
        "The weaker closed form of theorem2-bound, which may exceed 1",
        reference=f"{DSX10}, Corollary 1",
        formula="loss + sqrt(2 loss beta/(m-1)) + 2 beta/(m-1)",
    ),
    _metric(
        "theorem3-bound",
        "Bound on the risk when N features are replaced by bounded noise of mean zero, all values 1",
        reference=f"{DSX10}, Theorem 3 with Theorem 2",
        formula="theorem2-bound at gamma = C sqrt(2 N ln(1/epsilon)), plus epsilon = 0.05",
    ),
    _metric(
        "worst-case-loss",
        "Mean robust hinge loss of a linear model on the uncorrupted test rows",
        reference=f"{DSX10}, Eq. 29",
        formula="mean_i [V/P - y (b + w.x) + max_delta sum_j delta_j (y w_j x_j - v_j/P)]_+",
    ),
    _metric("online-loss", "Mean loss that an online learner suffered on its way", reference=f"{DSX10}, section 3"),
    _metric(
        "theorem4-regret",
        "How far online-loss may exceed the loss of the best fixed weights in the box",
        reference=f"{DSX10}, Theorem 4",
        formula="C sqrt((n + 1)(R^2 + 1)/m)",
    ),
    _metric(
        "corollary2-excess",
        "How far the averaged Perceptron's expected loss may exceed the least in the box, probability 0.95",
        reference=f"{DSX10}, Corollary 2",
        formula="(3C + V/P) sqrt(2(n + 1 + ln(2/delta))/m), for |x|_1 <= 1",
    ),
    _metric("objective", "Objective of the fitted weights, from the closed form of the worst case"),
    _metric("duality-gap", "Objective minus the lower bound by the solver's multipliers"),
    _metric("iterations", "Iterations of the solver"),
    _metric(
        "unconverged",
        "1 where the solver ended before the gap or the tolerances asked of it; the mean is the share of fits",
    ),
    _metric(
        "seconds-per-iteration",
        "Wall seconds of the fit over the iterations of the solver, set-up included",
        measures_time=True,
    ),
    _metric("chosen-k", "How much deletion the fitted model was made for: K of fdrop, N of lp"),
    _metric(
        "first-feature-deleted",
        "Share of training rows with x_1 > 0, y = +1 whose worst deletion takes x_1",
        greater_is_better=True,
        reference=f"{GR06}, 4.1",
    ),
    _metric(
        "corruption-excess",
        "Error under the adversary minus the error under greedy deletion with the same budget",
        reference=f"{DSX10}, 2.5",
    ),
    _metric("greedy-understatement", "Exact worst case minus what the greedy adversary reaches"),
    _metric("bracket-width", "What deletion in parts reaches minus what the greedy adversary reaches"),
    _metric(
        "theorem2-slack",
        "Theorem 2's bound minus the exact worst-case error: what the bound gives away",
        reference=f"{DSX10}, Theorem 2",
    ),
]

benchkit_algorithms = hookimpl(lambda: ALGORITHMS)
benchkit_adversaries = hookimpl(lambda: ADVERSARIES)
benchkit_metrics = hookimpl(lambda: METRICS)
