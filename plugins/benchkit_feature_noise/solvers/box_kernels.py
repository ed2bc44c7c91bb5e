"""The box's share of the structured interior-point method, compiled: slacks C - w, C + w and their multipliers.

Arrays ``s``, ``p`` and targets ``t`` have shape (2, n_columns), for the upper and the lower bound; (2, 0) where there
is no box. Written as numpy expressions they cost more to call than to compute.
"""

from benchkit_feature_noise.solvers.interior_point_kernels import compiled


@compiled
def add_to_right(t, s, curvature, w, right):
    """Complete a right-hand side by the part of the box and of the curvature."""
    for j in range(len(w)):
        right[j] -= curvature * w[j]
    for j in range(t.shape[1]):
        right[j] += t[1, j] / s[1, j] - t[0, j] / s[0, j]


@compiled
def steps(t, s, p, dw, dp):
    """Steps of the multipliers into ``dp``; the largest -ds/s and -dp/p."""
    worst_primal, worst_dual = 0.0, 0.0
    for c in range(2):
        sign = 1.0 if c else -1.0
        for j in range(t.shape[1]):
            relative = sign * dw[j] / s[c, j]
            dp[c, j] = t[c, j] / s[c, j] - p[c, j] * (1.0 + relative)
            worst_primal, worst_dual = max(worst_primal, -relative), max(worst_dual, -dp[c, j] / p[c, j])
    return worst_primal, worst_dual


@compiled
def affine(s, p, dw, dp, primal, dual, t):
    """Mehrotra's targets without the centre, -ds dp, into ``t``; the products' sum before and after the step."""
    before, after = 0.0, 0.0
    for c in range(2):
        sign = 1.0 if c else -1.0
        for j in range(s.shape[1]):
            ds = sign * dw[j]
            before += s[c, j] * p[c, j]
            after += (s[c, j] + primal * ds) * (p[c, j] + dual * dp[c, j])
            t[c, j] = -ds * dp[c, j]
    return before, after


@compiled
def correct(s, p, dw, dp, primal, dual, least, most, t, corrected):
    """Gondzio's targets: products that a longer step would push out of [least, most] are pulled back to it."""
    for c in range(2):
        sign = 1.0 if c else -1.0
        for j in range(s.shape[1]):
            product = (s[c, j] + primal * sign * dw[j]) * (p[c, j] + dual * dp[c, j])
            inside = min(max(product, least), most)
            corrected[c, j] = t[c, j] + max(inside - product, -most)


@compiled
def move(s, p, dw, dp, primal, dual):
    """Take the step."""
    for c in range(2):
        sign = 1.0 if c else -1.0
        for j in range(s.shape[1]):
            s[c, j] += primal * sign * dw[j]
            p[c, j] += dual * dp[c, j]
