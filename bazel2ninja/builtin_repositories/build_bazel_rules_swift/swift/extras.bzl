"""What a WORKSPACE file calls after it has declared this repository."""

def swift_rules_extra_dependencies(**kwargs):
    """Nothing needs to be declared."""
