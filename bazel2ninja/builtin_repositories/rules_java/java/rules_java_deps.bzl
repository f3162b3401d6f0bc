"""What a WORKSPACE file calls after it has declared this repository."""

def rules_java_dependencies():
    """Nothing needs to be declared."""

def protobuf_repo():
    """Nothing needs to be declared."""
