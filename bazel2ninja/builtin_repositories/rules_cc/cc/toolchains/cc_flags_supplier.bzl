"""cc_flags_supplier: a make variable with the toolchain's flags; an error when reached."""

def cc_flags_supplier(name, **kwargs):
    """A target that gives $(CC_FLAGS)."""
    fail("cc_flags_supplier(name = %r) is not supported: $(CC_FLAGS) is known without it" % name)
