"""The 0/1 knapsack with real profits and weights, by dynamic programming outwards from the break item.

After D. Pisinger, A minimal algorithm for the 0-1 knapsack problem, Operations Research 45, 1997: items are sorted by
profit per weight, the break solution takes those before the first that does not fit, and states add items after it
and remove items before it in turn. A state goes when a lighter one earns as much, or when the fractional bound of its
completion does not exceed the best solution known.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np


@numba.njit(cache=True)
def solve(
    profits: np.ndarray, weights: np.ndarray, capacity: float, floor: float, slack: float, limit: int
) -> tuple[Any, ...]:
    """Best choice of items as a mask, if it earns more than ``floor`` (else nothing), and how many states it took.

    ``profits`` and ``weights`` are positive, by profits / weights descending, ``capacity`` less than the sum of
    weights. The solution may fall short of the best one by the fraction ``slack`` of its profit. The search is given up
    where it takes more than ``limit`` states.
    """
    n_items, weight, profit, break_item = len(profits), 0.0, 0.0, 0
    while break_item < n_items and weight + weights[break_item] <= capacity:
        weight += weights[break_item]
        profit += profits[break_item]
        break_item += 1
    above, below = break_item, break_item - 1
    best, best_node = (profit, -1) if profit > floor else (floor, -2)
    # States, by weight ascending; a node remembers how a state came about: its predecessor and the item toggled.
    heavy, earn, node = np.array([weight]), np.array([profit]), np.array([-1])
    parent, toggled, n_nodes = np.empty(1024, np.int64), np.empty(1024, np.int64), 0
    looked, adding = 0, True
    while len(heavy) > 0 and (above < n_items or below >= 0):
        adding = (adding and above < n_items) or below < 0
        if adding:
            item, sign = above, 1.0
            above += 1
        else:
            item, sign = below, -1.0
            below -= 1
        adding = not adding
        looked += 2 * len(heavy)
        if looked > limit:
            return np.zeros(n_items, dtype=np.bool_), looked
        ratio_above = profits[above] / weights[above] if above < n_items else 0.0
        ratio_below = profits[below] / weights[below] if below >= 0 else np.inf
        parent, toggled = _roomier(parent, toggled, n_nodes, len(heavy))
        heavy, earn, node, n_nodes, best, best_node = _toggle(
            (heavy, earn, node),
            (item, sign * weights[item], sign * profits[item]),
            (parent, toggled, n_nodes),
            (best, best_node, slack),
            (capacity, ratio_above, ratio_below),
        )
    return _choice(n_items, break_item, best_node, parent, toggled), looked


@numba.njit(cache=True)
def _roomier(parent: np.ndarray, toggled: np.ndarray, used: int, more: int) -> tuple[Any, ...]:
    """The nodes, with room for more of them."""
    if used + more <= len(parent):
        return parent, toggled
    size = 2 * len(parent) + more
    longer, longer_toggled = np.empty(size, np.int64), np.empty(size, np.int64)
    longer[:used], longer_toggled[:used] = parent[:used], toggled[:used]
    return longer, longer_toggled


@numba.njit(cache=True)
def _toggle(
    states: tuple[Any, ...],
    change: tuple[Any, ...],
    nodes: tuple[Any, ...],
    known: tuple[Any, ...],
    ahead: tuple[Any, ...],
) -> tuple[Any, ...]:
    """States with and without an item toggled, merged by weight; those that cannot become better go.

    ``states`` are weights ascending, profits, nodes; ``change`` the item and what toggling it adds to weight and
    profit; ``nodes`` predecessors, items toggled, and how many there are, new ones being appended; ``known`` the best
    profit, its node, and the fraction of it by which a state's bound must exceed it; ``ahead`` the capacity, and the
    profit per weight of the next items to add and to remove. Returns the states, how many nodes there are, the best
    profit, its node.
    """
    heavy, earn, node = states
    item, d_weight, d_profit = change
    parent, toggled, n_nodes = nodes
    best, best_node, slack = known
    capacity, ratio_above, ratio_below = ahead
    n_states = len(heavy)
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
        elif ratio_below == np.inf:
            bound = -np.inf  # nothing is left to take out
        else:
            bound = p + left * ratio_below
        better = left >= 0 and p > best
        if bound <= best * (1 + slack) and not better:
            continue
        top = p
        if not take_old:
            parent[n_nodes], toggled[n_nodes] = origin, item
            origin = n_nodes
            n_nodes += 1
        if better:
            best, best_node = p, origin
        new_heavy[kept], new_earn[kept], new_node[kept] = w, p, origin
        kept += 1
    return new_heavy[:kept], new_earn[:kept], new_node[:kept], n_nodes, best, best_node


@numba.njit(cache=True)
def _choice(n_items: int, break_item: int, node: int, parent: np.ndarray, toggled: np.ndarray) -> np.ndarray:
    """The items of a node: those before the break item, with what was toggled on the way."""
    chosen = np.zeros(n_items, dtype=np.bool_)
    if node >= -1:
        chosen[:break_item] = True
        while node >= 0:
            chosen[toggled[node]] = not chosen[toggled[node]]
            node = parent[node]
    return chosen
