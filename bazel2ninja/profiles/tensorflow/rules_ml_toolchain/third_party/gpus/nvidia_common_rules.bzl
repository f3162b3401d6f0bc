"""Functions of BUILD files that link libraries of CUDA."""

def cuda_rpath_flags(relpath):
    """Link options that find libraries in Python wheels beside the program: none, as they are the machine's."""
    return []
