"""What a WORKSPACE file calls after it has declared this repository."""

def apple_rules_dependencies(**kwargs):
    """Nothing needs to be declared."""
