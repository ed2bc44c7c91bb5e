"""Values that go missing at random: Dick, Haider & Scheffer 2008, section 6."""

from __future__ import annotations

from benchkit import Attack, Corruption
from benchkit_incomplete_data.removal import remove, smallest


class MissingAtRandom:
    """Removes a fraction of all entries, drawn uniformly; a larger fraction removes what a smaller one does, and more.

    A row may lose all its values, and a column too.
    """

    def corrupt(self, attack: Attack) -> Corruption:
        """Put NaN for ``attack.budget`` of the entries."""
        return remove(attack, smallest(attack.rng.random(attack.X.shape), attack.budget))
