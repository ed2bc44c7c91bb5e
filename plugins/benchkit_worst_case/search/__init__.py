"""The worst deletion for a sum of terms: branch and bound."""
