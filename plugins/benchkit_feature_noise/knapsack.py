"""The 0/1 knapsack with real profits and weights, by dynamic programming outwards from the break item.

After D. Pisinger, A minimal algorithm for the 0-1 knapsack problem, Operations Research 45, 1997: items are sorted by
profit per weight, the break solution takes those before the first that does not fit, and states add items after it
and remove items before it in turn. A state goes when a lighter one earns as much, or when the fractional bound of its
completion does not exceed the best solution known.
"""

from __future__ import annotations

import numba
import numpy as np


@numba.njit(cache=True)
def solve(profits: np.ndarray, weights: np.ndarray, capacity: float, floor: float, slack: float, limit: int) -> tuple:
    """Best choice of items, if it earns more than ``floor``.

    Parameters
    ----------
    profits, weights : ndarray of shape (n_items,)
        Positive, by profits / weights descending.
    capacity : float
        Less than the sum of weights.
    floor : float
        Profit of a solution that is known.
    slack : float
        Fraction of the best profit by which the solution may fall short of it; 0 for the best one.
    limit : int
        How many states may be looked at.

    Returns
    -------
    chosen : ndarray of bool, shape (n_items,)
        Of a better solution than the known one; nothing chosen where there is none.
    states : int
        How many were looked at; above ``limit`` the search was given up.
    """
    n_items = len(profits)
    chosen = np.zeros(n_items, dtype=np.bool_)
    weight, profit, above = 0.0, 0.0, 0
    while above < n_items and weight + weights[above] <= capacity:
        weight += weights[above]
        profit += profits[above]
        above += 1
    break_item, below = above, above - 1
    best, best_node = floor, -2
    if profit > best:
        best, best_node = profit, -1
    # States, by weight ascending; a node remembers how a state came about: its predecessor and the item toggled.
    heavy, earn, node = np.array([weight]), np.array([profit]), np.array([-1])
    parent, toggled, n_nodes = np.empty(1024, np.int64), np.empty(1024, np.int64), 0
    n_states, looked = 1, 0
    adding = True
    while n_states > 0 and (above < n_items or below >= 0):
        adding = (adding and above < n_items) or below < 0
        if adding:
            item, d_weight, d_profit = above, weights[above], profits[above]
            above += 1
        else:
            item, d_weight, d_profit = below, -weights[below], -profits[below]
            below -= 1
        adding = not adding
        ratio_above = profits[above] / weights[above] if above < n_items else 0.0
        ratio_below = profits[below] / weights[below] if below >= 0 else np.inf
        looked += 2 * n_states
        if looked > limit:
            return chosen, looked
        if n_nodes + n_states > len(parent):
            size = 2 * len(parent) + n_states
            longer, longer_toggled = np.empty(size, np.int64), np.empty(size, np.int64)
            longer[:n_nodes], longer_toggled[:n_nodes] = parent[:n_nodes], toggled[:n_nodes]
            parent, toggled = longer, longer_toggled
        new_heavy, new_earn = np.empty(2 * n_states), np.empty(2 * n_states)
        new_node = np.empty(2 * n_states, np.int64)
        kept, old, moved, top = 0, 0, 0, -np.inf
        while old < n_states or moved < n_states:
            take_old = moved == n_states or (old < n_states and heavy[old] <= heavy[moved] + d_weight)
            if take_old:
                w, p, origin = heavy[old], earn[old], node[old]
                old += 1
            else:
                w, p, origin = heavy[moved] + d_weight, earn[moved] + d_profit, node[moved]
                moved += 1
            if p <= top:
                continue  # a lighter state earns as much
            left = capacity - w
            if left >= 0:
                bound = p + left * ratio_above
            elif below < 0:
                bound = -np.inf  # nothing is left to take out
            else:
                bound = p + left * ratio_below
            feasible_best = left >= 0 and p > best
            if bound <= best * (1 + slack) and not feasible_best:
                continue
            top = p
            if not take_old:
                parent[n_nodes], toggled[n_nodes] = origin, item
                origin = n_nodes
                n_nodes += 1
            if feasible_best:
                best, best_node = p, origin
            new_heavy[kept], new_earn[kept], new_node[kept] = w, p, origin
            kept += 1
        heavy, earn, node, n_states = new_heavy, new_earn, new_node, kept
    if best_node >= -1:
        chosen[:break_item] = True
        while best_node >= 0:
            chosen[toggled[best_node]] = not chosen[toggled[best_node]]
            best_node = parent[best_node]
    return chosen, looked
