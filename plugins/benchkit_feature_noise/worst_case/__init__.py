"""The worst deletion within a budget: its relaxation, and the exact knapsack."""
