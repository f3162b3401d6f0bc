"""What a WORKSPACE file calls after it has declared this repository."""

def bazel_features_deps():
    """Nothing needs to be declared."""
