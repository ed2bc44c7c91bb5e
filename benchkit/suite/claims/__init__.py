"""What a suite claims: the entries of ``expect``, one file per form that they may have."""
