"""The contract with plugins: what they declare, when they are called, how they are found. The ground floor."""
