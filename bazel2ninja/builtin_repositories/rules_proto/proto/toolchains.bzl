"""What a WORKSPACE file calls after it has declared this repository."""

def rules_proto_toolchains():
    """Nothing needs to be registered."""
