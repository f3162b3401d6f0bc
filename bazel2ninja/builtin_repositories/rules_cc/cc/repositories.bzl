"""What a WORKSPACE file calls after it has declared this repository."""

def rules_cc_dependencies():
    """Nothing needs to be declared."""

def rules_cc_toolchains(*args):
    """Nothing needs to be declared: the toolchain comes from the command line."""
