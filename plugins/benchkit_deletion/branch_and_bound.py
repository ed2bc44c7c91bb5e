r"""The least sum of terms over all deletions within a budget, by branch and bound on a Lagrangian bound.

A term t (a tree, or a summand of an additive model) has one value per leaf; leaf L needs the features K_L kept and the
features D_L deleted, and exactly one leaf of a term fits each deletion S. What is looked for is min over S with
cost(S) <= N of sum_t f_t(S). For any prices p_tj,

    sum_t f_t(S) = sum_t [f_t(S) + sum_j p_tj S_j] - sum_j P_j S_j,   P_j = sum_t p_tj,

and each part by itself is easy: the first is at least the least v_L + sum_{j in D_L} p+_tj + sum_{j in K_L} p-_tj of
any leaf, less sum_j p-_tj (what a leaf leaves open is deleted where that is cheaper; p+ and p- are the positive and
the negative part), the second a fractional knapsack. All prices 0 give the sum of the terms' minima; the best ones the
bound of the linear program in which all terms agree on S (Geoffrion 1974, Lagrangean relaxation for integer
programming). Prices are improved by subgradient steps of Polyak's length, at each node of the search from those of its
parent on.
"""

from __future__ import annotations

import numba
import numpy as np

from benchkit_deletion.fractional_knapsack import fractional

_OPEN, _KEPT, _DELETED = 0, 1, 2
_ROOT_STEPS = 60
_NODE_STEPS = 8


@numba.njit(cache=True)
def least_sum(starts, value, needs, feature, deleted, cost, capacity, cutoff, enough, safe, node_limit):  # type: ignore[no-untyped-def]
    """The least sum found, its deletion as a mask, a proved lower bound of any sum, and the nodes looked at.

    The first five are as of `RowTerms`, with one output. Sums of no less than ``cutoff`` are of no interest; the search
    ends at a sum below ``enough``, and does not look into parts whose bound is above ``safe``. The bound holds but for
    1e-10 of the terms' size; where ``cutoff`` is lower than what was found, sums between it and the bound are not
    excluded.
    """
    n_features, n_terms = len(cost), len(starts) - 1
    order, size = _by_value(starts, value)
    pair, pair_starts, pair_feature = _pairs(starts, needs, feature, n_features)
    terms = (starts, value, needs, feature, deleted, order, pair, pair_starts, pair_feature)
    state = np.zeros(n_features, np.int8)
    best, chosen = _greedy(terms, cost, capacity, state)
    tolerance = 1e-10 * size
    depth_prices = np.zeros((n_features + 2, len(pair_feature)))
    share, total, at = np.zeros(n_features), np.zeros(n_features), np.zeros(n_terms, np.int64)
    votes, trial = np.zeros(n_features), np.zeros(n_features, np.int8)
    # A feature to decide, how, at which depth, and its parent's bound. Depth 0 is the root.
    waiting = [(-1, _OPEN, 0, -np.inf)]
    nodes, lowest, trail = 0, np.inf, [0 for _ in range(0)]
    while len(waiting) > 0 and nodes < node_limit and best >= enough:
        decided, how, depth, parent_bound = waiting.pop()
        goal = min(best, cutoff) - tolerance
        if parent_bound >= goal or parent_bound > safe:
            lowest = min(lowest, parent_bound)
            continue
        while len(trail) > max(depth - 1, 0):
            state[trail.pop()] = _OPEN
        if decided >= 0:
            state[decided] = how
            trail.append(decided)
        nodes += 1
        left = capacity
        for j in range(n_features):
            if state[j] == _DELETED:
                left -= cost[j]
        prices = depth_prices[depth]
        if depth > 0:
            prices[:] = depth_prices[depth - 1]
        bound, best_prices = parent_bound, prices.copy()
        steps = _ROOT_STEPS if depth == 0 else _NODE_STEPS
        length, stale = 1.0, 0
        for step in range(steps):
            reached = _relaxed(terms, cost, left, state, prices, at, share, total)
            if reached > bound:
                stale = 0 if reached > bound + 1e-3 * (goal - bound) else stale + 1
                bound = reached
                best_prices[:] = prices
            else:
                stale += 1
            if bound >= goal or bound > safe:
                break
            if step % 5 == 0 or step == steps - 1:
                for j in range(n_features):
                    taken = state[j] == _DELETED or (state[j] == _OPEN and share[j] > 1 - 1e-9)
                    trial[j] = _DELETED if taken else _KEPT
                found = _of_deletion(terms, trial)
                if found < best:
                    best = found
                    chosen[:] = trial == _DELETED
                    goal = min(best, cutoff) - tolerance
                    if bound >= goal or best < enough:
                        break
            if stale >= 4:
                length, stale = length / 2, 0
                if length < 0.05:
                    break
            # Towards the least bound that would settle the node.
            target = min(goal + tolerance, safe + size * 1e-3) if safe < np.inf else goal + tolerance
            if not _step(terms, state, prices, at, share, length * max(target - reached, tolerance)):
                break
        prices[:] = best_prices
        if best < enough:
            lowest = min(lowest, bound)
            break
        if bound >= goal or bound > safe:
            lowest = min(lowest, bound)
            continue
        asked = _branching_feature(terms, cost, left, state, prices, at, total, votes)
        if asked < 0:
            # Nothing is left to decide: the bound is the sum of this deletion.
            found = _of_deletion(terms, state)
            if found < best:
                best = found
                chosen[:] = state == _DELETED
            lowest = min(lowest, found)
            continue
        waiting.append((asked, _KEPT, depth + 1, bound))
        waiting.append((asked, _DELETED, depth + 1, bound))
    for _, _, _, parent_bound in waiting:
        lowest = min(lowest, parent_bound)
    if lowest == -np.inf:
        prices = np.zeros(len(pair_feature))
        state[:] = _OPEN
        lowest = _relaxed(terms, cost, capacity, state, prices, at, share, total)
    return best, chosen, min(best, lowest), nodes


@numba.njit(cache=True)
def _by_value(starts, value):  # type: ignore[no-untyped-def]
    """Each term's leaves, the lowest first, and the terms' size: the sum of their largest absolute values."""
    order, size = np.empty(len(value), np.int64), 1e-300
    for t in range(len(starts) - 1):
        leaves = value[starts[t] : starts[t + 1]]
        order[starts[t] : starts[t + 1]] = starts[t] + np.argsort(leaves)
        size += np.abs(leaves).max()
    return order, size


@numba.njit(cache=True)
def _pairs(starts, needs, feature, n_features):  # type: ignore[no-untyped-def]
    """Pairs of a term and a feature that it asks about: of each condition, each term's first, and their features."""
    pair = np.empty(len(feature), np.int64)
    pair_starts = np.zeros(len(starts), np.int64)
    pair_feature = np.empty(len(feature), np.int64)
    number, seen = np.zeros(n_features, np.int64), np.full(n_features, -1, np.int64)
    n_pairs = 0
    for t in range(len(starts) - 1):
        for place in range(needs[starts[t]], needs[starts[t + 1]]):
            j = feature[place]
            if seen[j] != t:
                seen[j], number[j] = t, n_pairs
                pair_feature[n_pairs] = j
                n_pairs += 1
            pair[place] = number[j]
        pair_starts[t + 1] = n_pairs
    return pair, pair_starts, pair_feature[:n_pairs]


@numba.njit(cache=True)
def _leaf(terms, t, state):  # type: ignore[no-untyped-def]
    """A term's leaf where every feature is decided: what is not deleted is kept."""
    starts, _, needs, feature, deleted = terms[:5]
    for leaf in range(starts[t], starts[t + 1]):
        fits = True
        for place in range(needs[leaf], needs[leaf + 1]):
            if deleted[place] != (state[feature[place]] == _DELETED):
                fits = False
                break
        if fits:
            return leaf
    return -1


@numba.njit(cache=True)
def _of_deletion(terms, state):  # type: ignore[no-untyped-def]
    """The sum where every feature is decided."""
    total = 0.0
    for t in range(len(terms[0]) - 1):
        total += terms[1][_leaf(terms, t, state)]
    return total


@numba.njit(cache=True)
def _greedy(terms, cost, capacity, state):  # type: ignore[no-untyped-def]
    """Deletes what lowers the sum most per cost, step by step: the sum, and the deletion. Leaves the state open."""
    starts, value, needs, feature, deleted = terms[:5]
    n_features = len(cost)
    state[:] = _KEPT
    gain, left = np.empty(n_features), capacity
    while True:
        gain[:] = 0.0
        for t in range(len(starts) - 1):
            now = value[_leaf(terms, t, state)]
            for leaf in range(starts[t], starts[t + 1]):
                lacking, fits = -1, True
                for place in range(needs[leaf], needs[leaf + 1]):
                    gone = state[feature[place]] == _DELETED
                    if deleted[place] and not gone:
                        fits = lacking < 0
                        lacking = feature[place]
                    elif not deleted[place] and gone:
                        fits = False
                    if not fits:
                        break
                if fits and lacking >= 0:
                    gain[lacking] += now - value[leaf]
        most, taken = 0.0, -1
        for j in range(n_features):
            if state[j] == _KEPT and gain[j] > 0 and cost[j] <= left:
                ratio = gain[j] / cost[j] if cost[j] > 0 else np.inf
                if ratio > most:
                    most, taken = ratio, j
        if taken < 0:
            break
        state[taken] = _DELETED
        left -= cost[taken]
    best, chosen = _of_deletion(terms, state), state == _DELETED
    state[:] = _KEPT
    nothing = _of_deletion(terms, state)
    state[:] = _OPEN
    if nothing <= best:
        return nothing, np.zeros(n_features, np.bool_)
    return best, chosen


@numba.njit(cache=True)
def _relaxed(terms, cost, left, state, prices, at, share, total):  # type: ignore[no-untyped-def]
    """The bound at some prices; fills each term's leaf, what share the knapsack deletes, and the prices' sums P_j."""
    starts, value, needs, feature, deleted, order, pair, _, pair_feature = terms
    bound = 0.0
    total[:] = 0.0
    for place in range(len(prices)):
        if state[pair_feature[place]] == _OPEN:
            total[pair_feature[place]] += prices[place]
            if prices[place] < 0:
                bound += prices[place]
    for t in range(len(starts) - 1):
        least = np.inf
        for rank in range(starts[t], starts[t + 1]):
            leaf = order[rank]
            priced = value[leaf]
            if priced >= least:
                break
            spent = 0.0
            for place in range(needs[leaf], needs[leaf + 1]):
                now = state[feature[place]]
                if now == _OPEN:
                    price = prices[pair[place]]
                    if deleted[place]:
                        spent += cost[feature[place]]
                        if spent > left:
                            priced = np.inf
                            break
                        if price > 0:
                            priced += price
                    elif price < 0:
                        priced -= price
                elif deleted[place] != (now == _DELETED):
                    priced = np.inf
                    break
            if priced < least:
                least = priced
                at[t] = leaf
        bound += least
    # What is decided, or costs more than is left, is no item.
    gains = np.where((state == _OPEN) & (cost <= left), total, 0.0)
    return bound - fractional(gains, cost, left, share)


@numba.njit(cache=True)
def _step(terms, state, prices, at, share, lacking):  # type: ignore[no-untyped-def]
    """One subgradient step upwards, of the length that would gain what lacks; whether there was a direction."""
    _, _, needs, _, deleted, _, pair, pair_starts, pair_feature = terms
    slope = np.zeros(len(prices))
    norm = 0.0
    for t in range(len(pair_starts) - 1):
        for place in range(pair_starts[t], pair_starts[t + 1]):
            j = pair_feature[place]
            if prices[place] > 0:
                slope[place] = -share[j]
            elif prices[place] < 0:
                slope[place] = 1.0 - share[j]
        leaf = at[t]
        for place in range(needs[leaf], needs[leaf + 1]):
            j = pair_feature[pair[place]]
            slope[pair[place]] = 1.0 - share[j] if deleted[place] else -share[j]
    for place in range(len(prices)):
        if state[pair_feature[place]] != _OPEN:
            slope[place] = 0.0
        norm += slope[place] ** 2
    if norm == 0:
        return False
    length = lacking / norm
    for place in range(len(prices)):
        prices[place] += length * slope[place]
    return True


@numba.njit(cache=True)
def _branching_feature(terms, cost, left, state, prices, at, total, votes):  # type: ignore[no-untyped-def]
    """The open feature whose deletion is priced highest and that is affordable; -1 where nothing is left to decide.

    Among features without a price, the one that most terms would have deleted; failing that, any that some term asks
    about.
    """
    _, _, needs, feature, deleted, _, _, _, pair_feature = terms
    votes[:] = 0.0
    total[:] = 0.0
    for place in range(len(prices)):
        j = pair_feature[place]
        if state[j] == _OPEN and cost[j] <= left:
            votes[j] += 1e-12
            total[j] += abs(prices[place])
    for t in range(len(at)):
        for place in range(needs[at[t]], needs[at[t] + 1]):
            j = feature[place]
            if deleted[place] and state[j] == _OPEN:
                votes[j] += 1e-9
    asked, most = -1, 0.0
    for j in range(len(cost)):
        if votes[j] > 0 and cost[j] <= left and total[j] + votes[j] > most:
            asked, most = j, total[j] + votes[j]
    return asked
