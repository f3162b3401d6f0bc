"""What WORKSPACE calls to put BUILD files into sources of LLVM."""

def llvm_configure(name, **_kwargs):
    """Declares nothing: the repository `name`, too, is the system's library."""
