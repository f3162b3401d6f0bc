"""What a WORKSPACE file calls after it has declared this repository."""

def bazel_skylib_workspace():
    """Nothing needs to be registered."""
