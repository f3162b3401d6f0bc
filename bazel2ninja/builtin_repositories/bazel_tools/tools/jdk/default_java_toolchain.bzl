"""Java toolchains: an error when reached."""

def default_java_toolchain(name, **kwargs):
    """A Java toolchain."""
    fail("default_java_toolchain(name = %r) is not supported: Java targets are not built" % name)
