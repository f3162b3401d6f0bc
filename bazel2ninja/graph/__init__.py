"""The graph of artifacts and actions; every sink reads it, none writes it."""
