"""Declarations of the papers' robust classifiers."""

from benchkit import Algorithm

DSX10 = "Dekel, Shamir & Xiao 2010, Learning to classify with missing and corrupted features"
GR06 = "Globerson & Roweis 2006, Nightmare at test time: robust learning by feature deletion"

# Where N = V the adversary may delete all features of each row, which then looks like any other: whatever (w, b), in
# the worst case the answer is the sign of b, and none errs less than the larger class. The program says the same: as
# P = V - N goes to 0 in Eq. 3, P w goes to 0 in the box |w_j| <= C, and with b' = P b what is left of P times the
# objective, (1/m) sum_i [V - y_i b']_+, is least at b' = V times the sign of the larger class. Eq. 6 of Globerson and
# Roweis needs no such rule: with K = V its solution is w = 0 and that b.
ALGORITHMS = [
    Algorithm(
        name="lp",
        make="benchkit_feature_noise.estimators.lp:RobustLinearProgram",
        hardened={},
        summary="Linear program that survives the deletion of features of total value N, weights in a box",
        grid="benchkit_feature_noise.estimators.lp:box_grid",
        budget_param="noise_budget",
        at_all_features="constant",
        values_param="feature_values",
        groups_param="groups",
        accepts_sparse=True,
        verify="benchkit_feature_noise.estimators.verification:verify",
        fit_path="benchkit_feature_noise.estimators.paths:fit_path",
        warm_up="benchkit_feature_noise.estimators.warm_up:compile_kernels",
        reference=f"{DSX10}, Eq. 4",
        formula="min (1/m) sum_i xi_i, xi_i = [max_J V(J)/P - y_i (b + sum_J w_j x_ij)]_+, |w_j| <= C",
    ),
    Algorithm(
        name="o2b",
        make="benchkit_feature_noise.estimators.o2b:OnlineToBatchPerceptron",
        summary="Perceptron against a deleting adversary, projected onto a box, iterates averaged",
        grid="benchkit_feature_noise.estimators.lp:box_grid",
        budget_param="noise_budget",
        at_all_features="constant",
        values_param="feature_values",
        groups_param="groups",
        accepts_sparse=True,
        warm_up="benchkit_feature_noise.estimators.warm_up:compile_kernels",
        reference=f"{DSX10}, section 3",
        formula="w_(i+1) = [w_i + tau y_i x_i restricted to J_i]_(+-C) on a loss, mean of w_1 ... w_m",
    ),
    Algorithm(
        name="fdrop",
        make="benchkit_feature_noise.estimators.fdrop:FeatureDroppingSVM",
        hardened={},
        summary="Support vector machine that survives the deletion of K features of each row",
        grid={"C": [0.001, 0.01, 0.1, 1.0, 10.0]},
        budget_param="n_deleted",
        groups_param="groups",
        accepts_sparse=True,
        verify="benchkit_feature_noise.estimators.verification:verify",
        fit_path="benchkit_feature_noise.estimators.paths:fit_path",
        warm_up="benchkit_feature_noise.estimators.warm_up:compile_kernels",
        reference=f"{GR06}, Eq. 6",
        formula="min 1/2 |w|^2 + C sum_i [1 - y_i (b + w.x_i) + max_(K features) sum y_i w_j x_ij]_+",
    ),
    Algorithm(
        name="fdrop-v",
        make="benchkit_feature_noise.estimators.fdrop:FeatureDroppingSVM",
        summary="fdrop told the feature values: K is a budget in the adversary's own units",
        grid={"C": [0.001, 0.01, 0.1, 1.0, 10.0]},
        budget_param="n_deleted",
        values_param="feature_values",
        groups_param="groups",
        accepts_sparse=True,
        verify="benchkit_feature_noise.estimators.verification:verify",
        fit_path="benchkit_feature_noise.estimators.paths:fit_path",
        warm_up="benchkit_feature_noise.estimators.warm_up:compile_kernels",
        reference=f"{GR06}, Eq. 6, given what LP is given",
        formula="as fdrop, with sum_j v_j lambda_j <= K",
    ),
    Algorithm(
        name="one-versus-rest",
        make="benchkit_feature_noise.estimators.one_versus_rest:OneVersusRest",
        summary="Many classes through one of the binary classifiers (estimator: lp, o2b, fdrop, svm, ...)",
        grid="benchkit_feature_noise.estimators.lp:box_grid",
        budget_param="budget",
        values_param="feature_values",
        groups_param="groups",
        accepts_sparse=True,
        warm_up="benchkit_feature_noise.estimators.warm_up:compile_kernels",
        reference=f"{GR06}, footnote 1",
        formula="argmax_c b_c + w_c.x, (w_c, b_c) fitted to class c against the rest",
    ),
]
