"""What a WORKSPACE file calls after it has declared this repository."""

def rules_shell_dependencies():
    """Nothing needs to be declared."""

def rules_shell_toolchains(**kwargs):
    """Nothing needs to be registered."""
