"""Values that go missing at random: Dick, Haider & Scheffer 2008, section 6."""

from __future__ import annotations

from benchkit import AttackContext, AttackResult
from benchkit_incomplete_data.adversaries.removal import remove, smallest


class MissingAtRandom:
    """Removes a fraction of all entries, drawn uniformly; a larger fraction removes what a smaller one does, and more.

    An entry is a row's value of a feature: a group of columns, such as a one-hot block, goes whole. A row may lose all
    its values, and a column too.
    """

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Put NaN for ``attack.budget`` of the entries."""
        features = attack.features
        keys = attack.rng.random((attack.X.shape[0], features.n_features))
        return remove(attack, features.spread(smallest(keys, attack.budget)))
