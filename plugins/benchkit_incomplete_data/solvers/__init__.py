"""Algorithm 1 and its parts: kernels, losses, regularisers, searches; they know no estimator."""
