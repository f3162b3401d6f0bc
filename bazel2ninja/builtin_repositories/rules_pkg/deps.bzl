"""What a WORKSPACE file calls after it has declared this repository."""

def rules_pkg_dependencies():
    """Nothing needs to be declared."""

def rules_pkg_register_toolchains():
    """Nothing needs to be registered."""
