"""What WORKSPACE files call before pip_parse()."""

def pip_install_dependencies():
    """Nothing needs to be declared."""
