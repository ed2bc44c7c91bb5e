"""Declarations of metrics: brackets of the error under deletion, the papers' bounds, what solvers reached."""

from benchkit import Metric

DSX10 = "Dekel, Shamir & Xiao 2010, Learning to classify with missing and corrupted features"

_BRACKETS = [
    Metric(
        name="greedy-error",
        range=(0, 1),
        compute="benchkit_feature_noise.bounds.bracket_metrics:greedy_error",
        summary="What greedy deletion within the budget does to a linear model: the lower end of the bracket",
    ),
    Metric(
        name="exact-error",
        range=(0, 1),
        compute="benchkit_feature_noise.bounds.bracket_metrics:exact_error",
        summary="Share of rows that some deletion within the budget makes wrong, for a linear model",
    ),
    Metric(
        name="relaxation-error",
        range=(0, 1),
        compute="benchkit_feature_noise.bounds.bracket_metrics:relaxation_error",
        summary="What deletion in parts does to a linear model: the upper end of the bracket",
    ),
]

_BOUNDS = [
    Metric(
        name="gamma-loss",
        range=(0, 1),
        compute="benchkit_feature_noise.bounds.bound_metrics:gamma_loss",
        summary="Share of training rows that some deletion leaves a margin below V(J)/P",
        reference=f"{DSX10}, Eq. 22 at gamma = 1",
        formula="mean_i [min_J y_i w.x_i(J) - V(J)/P < 0]",
    ),
    Metric(
        name="theorem2-bound",
        compute="benchkit_feature_noise.bounds.bound_metrics:theorem2_bound",
        summary="Bound on the risk under deletion, probability 0.95, no bias, features in [-1, 1]",
        reference=f"{DSX10}, Theorem 2",
        formula="sup {e : KL(kappa-loss || e) <= (ln(m/delta) + sum_j ln max(4PC/(kappa v_j), 1))/(m-1)}, best kappa",
    ),
    Metric(
        name="corollary1-bound",
        compute="benchkit_feature_noise.bounds.bound_metrics:corollary1_bound",
        summary="The weaker closed form of theorem2-bound, which may exceed 1",
        reference=f"{DSX10}, Corollary 1",
        formula="loss + sqrt(2 loss beta/(m-1)) + 2 beta/(m-1)",
    ),
    Metric(
        name="theorem3-bound",
        compute="benchkit_feature_noise.bounds.bound_metrics:theorem3_bound",
        summary="Bound on the risk when N features are replaced by bounded noise of mean zero, all values 1",
        reference=f"{DSX10}, Theorem 3 with Theorem 2",
        formula="theorem2-bound at gamma = C sqrt(2 N ln(1/epsilon)), plus epsilon = 0.05",
    ),
    Metric(
        name="worst-case-loss",
        compute="benchkit_feature_noise.bounds.bound_metrics:worst_case_loss",
        summary="Mean robust hinge loss of a linear model on the uncorrupted test rows",
        reference=f"{DSX10}, Eq. 29",
        formula="mean_i [V/P - y (b + w.x) + max_delta sum_j delta_j (y w_j x_j - v_j/P)]_+",
    ),
    Metric(
        name="online-loss",
        compute="benchkit_feature_noise.bounds.bound_metrics:online_loss",
        summary="Mean loss that an online learner suffered on its way",
        reference=f"{DSX10}, section 3",
    ),
    Metric(
        name="theorem4-regret",
        compute="benchkit_feature_noise.bounds.bound_metrics:theorem4_regret",
        summary="How far online-loss may exceed the loss of the best fixed weights in the box",
        reference=f"{DSX10}, Theorem 4",
        formula="C sqrt((n + 1)(R^2 + 1)/m)",
    ),
    Metric(
        name="corollary2-excess",
        compute="benchkit_feature_noise.bounds.bound_metrics:corollary2_excess",
        summary="How far the averaged Perceptron's expected loss may exceed the least in the box, probability 0.95",
        reference=f"{DSX10}, Corollary 2",
        formula="(3C + V/P) sqrt(2(n + 1 + ln(2/delta))/m), for |x|_1 <= 1",
    ),
]

_SOLVERS = [
    Metric(
        name="objective",
        compute="benchkit_feature_noise.bounds.solver_metrics:objective",
        summary="Objective of the fitted weights, from the closed form of the worst case",
    ),
    Metric(
        name="duality-gap",
        compute="benchkit_feature_noise.bounds.solver_metrics:duality_gap",
        summary="Objective minus the lower bound by the solver's multipliers",
    ),
    Metric(
        name="iterations",
        compute="benchkit_feature_noise.bounds.solver_metrics:iterations",
        summary="Iterations of the solver",
    ),
    Metric(
        name="unconverged",
        compute="benchkit_feature_noise.bounds.solver_metrics:unconverged",
        summary="1 where the solver ended before the gap or the tolerances asked of it; the mean is the share of fits",
    ),
    Metric(
        name="seconds-per-iteration",
        measures_time=True,
        compute="benchkit_feature_noise.bounds.solver_metrics:seconds_per_iteration",
        summary="Wall seconds of the fit over the iterations of the solver, set-up included",
    ),
]

METRICS = [*_BRACKETS, *_BOUNDS, *_SOLVERS]
